/**
 * Names of the network's own parties inside certificates: SPIFFE ids, `spiffe://<trust domain>/<kind>/<id>`
 * (SPIFFE-ID standard, section 2). The trust domain is made once per network and never changes.
 */
import { randomBytes } from 'node:crypto';

/** @throws Error for what is not 1..255 characters out of `a-z 0-9 . - _` */
export function parseTrustDomain(text: string): string {
  if (!/^[a-z0-9._-]{1,255}$/.test(text)) {
    throw new Error('a trust domain has 1 to 255 lower-case letters, digits, dots, dashes and underscores');
  }
  return text;
}

/** Makes a trust domain of 40 hex digits, for a network whose operator chose none. */
export function newTrustDomain(): string {
  return randomBytes(20).toString('hex');
}

export function controllerUri(trustDomain: string, controllerId: string): string {
  return spiffeId(trustDomain, 'controller', controllerId);
}

export function identityUri(trustDomain: string, identityId: string): string {
  return spiffeId(trustDomain, 'identity', identityId);
}

export function routerUri(trustDomain: string, routerId: string): string {
  return spiffeId(trustDomain, 'router', routerId);
}

export function apiSessionCertificateUri(
  trustDomain: string,
  ids: { identityId: string; apiSessionId: string; certificateId: string },
): string {
  return spiffeId(
    trustDomain,
    'identity',
    ids.identityId,
    'apiSession',
    ids.apiSessionId,
    'apiSessionCertificate',
    ids.certificateId,
  );
}

/** @throws Error for a segment with other characters than SPIFFE allows, or `.` or `..`: ids of ours never have them */
function spiffeId(trustDomain: string, ...segments: string[]): string {
  const bad = segments.find((segment) => !/^[A-Za-z0-9._-]+$/.test(segment) || /^\.{1,2}$/.test(segment));
  if (bad !== undefined) throw new Error(`'${bad}' cannot be part of a SPIFFE id`);
  return `spiffe://${parseTrustDomain(trustDomain)}/${segments.join('/')}`;
}
