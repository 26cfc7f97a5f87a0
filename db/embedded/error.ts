/** Separates the message from what PostgreSQL wrote last. */
export const LOG_QUOTED = '\nLast lines of its log:\n';

/** A failure to start or keep the embedded PostgreSQL, with what an operator needs to act: what, where, how to fix. */
export class EmbeddedDatabaseError extends Error {
  constructor(message: string, options: { readonly logLines?: string; readonly cause?: unknown } = {}) {
    const quoted = options.logLines ? `${LOG_QUOTED}${options.logLines}` : '';
    super(`${message}${quoted}`, { cause: options.cause });
    this.name = 'EmbeddedDatabaseError';
  }
}

/** The `code` of a system or database error: `ENOENT`, `57P03`, …; undefined for anything else. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
