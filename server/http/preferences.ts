/** The one preference that is heeded: `Prefer: handling=strict` (RFC 7240). */
import type { IncomingHttpHeaders } from 'node:http';

const STRICT = /^\s*handling\s*=\s*(?:"strict"|strict)\s*(?:;|$)/i;
const HANDLING = /^\s*handling\s*(?:=|;|$)/i;

/** Node joins headers of this name with commas. The first preference of a name counts. */
export function prefersStrict({ prefer }: IncomingHttpHeaders): boolean {
  if (prefer === undefined) return false;
  const text = Array.isArray(prefer) ? prefer.join(',') : prefer;
  const first = text.split(',').find((part) => HANDLING.test(part));
  return first !== undefined && STRICT.test(first);
}

export const STRICT_APPLIED = { 'preference-applied': 'handling=strict' } as const;
