/** Ends of the network's certificates that serve this controller. */
import type { RunningPki } from './pki.js';
import type { ServerIdentity } from './renewal.js';

export function certificateEnds(identity: ServerIdentity, pki: RunningPki): { name: string; notAfter: Date }[] {
  const {
    roots: [root],
    intermediates: [intermediate],
  } = pki.trust();
  const above = [
    ['intermediate', intermediate],
    ['root', root],
  ] as const;
  return [
    { name: 'server', notAfter: identity.notAfter() },
    ...above.flatMap(([name, certificate]) =>
      certificate === undefined ? [] : [{ name, notAfter: new Date(certificate.validTo) }],
    ),
  ];
}
