/** Schema checks of the handlers, done by the thread for JSON Schema. */
import type { SchemaThread } from '../../domain/config/schema-thread.js';
import type { Context } from '../../handlers/context.js';

/** A config type without a schema takes any data. */
export const schemaChecks = (schemas: SchemaThread): Pick<Context, 'checkConfigSchema' | 'checkConfigData'> => ({
  checkConfigSchema: (schema) => schemas.checkSchema(schema),
  checkConfigData: async ({ id, updatedAt, schema }, data) => {
    if (schema !== null) await schemas.checkData({ id, updatedAt, schema }, data);
  },
});
