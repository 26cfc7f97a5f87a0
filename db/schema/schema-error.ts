import { OUTAGES, outageOf, reasonOf } from '../postgres/outages.js';
import type { ServerConfig } from '../postgres/servers.js';

/** The database cannot be used as it is; the message says why and how to mend it. */
export class SchemaError extends Error {}

/** One sentence for a database that cannot be used, `cause` says why. */
export function unusable(cause: unknown, { servers }: ServerConfig): SchemaError {
  const outage = outageOf(cause) ?? 'loginRefused';
  const what = outage === 'unreachable' ? 'cannot be reached' : 'cannot be used';
  const place = servers?.place === undefined ? '' : ` at ${servers.place}`;
  return new SchemaError(
    `The database of DATABASE_URL${place} ${what}: ${reasonOf(cause)}. ${OUTAGES[outage].advice}.`,
    { cause },
  );
}
