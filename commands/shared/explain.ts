/** Explanations of failures for an operator. */
import { DatabaseError } from 'pg';
import { EmbeddedDatabaseError } from '../../db/embedded/error.js';
import { OwnFileError } from '../../db/embedded/own-files.js';
import { SchemaError } from '../../db/schema/schema-error.js';
import { DatabaseUnavailable, OUTAGES, outageOf, reasonOf } from '../../db/postgres/outages.js';
import { DomainError } from '../../domain/errors.js';
import { ConfigError } from '../../server/settings/config.js';
import { openFileFault } from '../../server/start/open-files.js';

/** One sentence for what an operator can mend; the stack of what only we can. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fileFault = openFileFault(error);
  if (fileFault !== undefined) return fileFault;
  // The message of a `DatabaseUnavailable` is for callers of the API; one of the server may repeat the user's name.
  const outage = error instanceof DatabaseUnavailable || error instanceof DatabaseError ? outageOf(error) : undefined;
  if (outage !== undefined) return `The database failed: ${reasonOf(error.cause ?? error)}. ${OUTAGES[outage].advice}.`;
  if (error instanceof DatabaseError)
    return `The database refused a statement: ${error.message} (SQLSTATE ${error.code ?? 'unknown'}).`;
  if (error instanceof DomainError) return explainDomain(error);
  const isExpected =
    error instanceof ConfigError || error instanceof EmbeddedDatabaseError || error instanceof SchemaError;
  return isExpected ? error.message : (error.stack ?? error.message);
}

/** Their words are for callers of the API, who must not know what only an operator may. */
function explainDomain({ kind, message, causeMessage, cause }: DomainError): string {
  if (kind === 'rateLimited')
    return 'A snapshot or a check of data integrity is under way. Wait for its end, then try again.';
  const reason = cause instanceof OwnFileError || isOfSystem(cause) ? cause.message : causeMessage;
  return reason === undefined || reason === message ? message : `${message.replace(/, see cause$/, '')}: ${reason}.`;
}

const isOfSystem = (cause: unknown): cause is Error =>
  cause instanceof Error && (cause as NodeJS.ErrnoException).code !== undefined;
