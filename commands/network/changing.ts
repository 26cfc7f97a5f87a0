/** Members of the context that every change needs, in a network or in a rehearsal. */
import type { SchemaThread } from '../../domain/config/schema-thread.js';
import type { ApiSessions, Context } from '../../handlers/context.js';
import { schemaChecks } from '../../server/maintenance/schema-checks.js';
import { partial } from './partial.js';

const nothing = () => undefined;

/** No API session is in the memory of this process. @param purpose  for messages */
export const changing = (
  purpose: string,
  schemas: SchemaThread,
): Pick<Context, 'apiSessions' | 'checkConfigSchema' | 'checkConfigData'> => ({
  apiSessions: partial<ApiSessions>(purpose, { forget: nothing, forgetIdentity: nothing, forgetAll: nothing }),
  ...schemaChecks(schemas),
});
