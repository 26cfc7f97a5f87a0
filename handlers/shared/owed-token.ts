/** How a client is told of a token that an auth policy requires. */
import type { OwedToken } from '../../domain/auth/external-signer.js';

const DESCRIPTIONS: Readonly<Record<OwedToken['fault'], string>> = {
  missing: 'no matching token was provided',
  invalid: 'token is invalid',
  expired: 'token expired',
};

/** The value of `WWW-Authenticate`. */
export function challengeOfToken({ signerId, issuer, fault }: OwedToken): string {
  const what = `error="${fault}" error_description="${DESCRIPTIONS[fault]}"`;
  return `Bearer realm="openziti-secondary-ext-jwt" ${what} id="${signerId}" issuer="${quotable(issuer)}"`;
}

/** An issuer is any text: what a quoted string of a header cannot hold is escaped as in a URL. */
const quotable = (text: string): string =>
  text.toWellFormed().replace(/[^\x20-\x7e]|["\\]/gu, (character) => encodeURIComponent(character));
