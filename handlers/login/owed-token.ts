/** How a client is told of a token that an auth policy requires. */
import type { OwedToken } from '../../domain/auth/external-signer.js';
import { DomainError } from '../../domain/errors.js';
import type { Caller } from '../reply.js';

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

/**
 * The refusal of a session that owes something. A token that is only missing gets no challenge: clients have learned of
 * it from their login.
 */
export function incomplete({ owedToken }: Pick<Caller, 'owedToken'>): DomainError {
  if (owedToken === null)
    return new DomainError('unauthenticated', { logReason: 'the session has not given its second factor' });
  return new DomainError('unauthenticated', {
    ...(owedToken.fault === 'missing' ? {} : { headers: { 'www-authenticate': challengeOfToken(owedToken) } }),
    logReason: `the token of the signer that the auth policy requires is ${owedToken.fault}`,
  });
}
