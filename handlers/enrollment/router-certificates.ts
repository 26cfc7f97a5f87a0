/** Certificates of routers, made from their requests: at enrollment, and whenever a router exchanges them. */
import type { RouterCertificate } from '../../db/stores/router-certificates.js';
import { DomainError } from '../../domain/errors.js';
import { controllerHosts, routerServerNames } from '../../domain/pki/router-names.js';
import type { RouterNames } from '../../domain/pki/router-names.js';
import type { Context, IssuedChain, NetworkInfo } from '../context.js';
import { readRequest } from './signing-request.js';

/** Parts of the context that make certificates. */
export interface CertificateParts extends Pick<Context, 'stores' | 'pki' | 'yieldQueue'> {
  readonly network: Pick<NetworkInfo, 'advertise' | 'routersReach' | 'routerNames'>;
}

/** Certificates for a router: one to show to controllers, and one for those who connect to it. */
export interface Pair {
  readonly client: IssuedChain;
  readonly server: IssuedChain;
  /** Hosts and addresses in the certificate for clients. */
  readonly serverNames: readonly string[];
  /** Those that were asked for, and are not in it. */
  readonly namesLeftOut: readonly string[];
}

export const certificateOf = ({ client, serverNames, namesLeftOut }: Pair): RouterCertificate => ({
  certPem: client.chainPem,
  fingerprint: client.fingerprint,
  serverNames,
  namesLeftOut,
});

export function warnOfNames(
  routerId: string,
  { namesLeftOut }: Pick<RouterCertificate, 'namesLeftOut'>,
  { warn }: Pick<Context, 'warn'>,
): void {
  if (namesLeftOut.length === 0) return;
  warn(
    { routerId, namesLeftOut },
    'a router asked for names that its certificate does not have: under those, clients will refuse it',
  );
}

/**
 * Takes from the requests their keys, and of the server's the host names that a router may have.
 * @param judge  throws for names that are refused
 */
export async function issuePair(
  routerId: string,
  requests: { readonly client: string; readonly server: string },
  context: CertificateParts,
  judge: (names: RouterNames) => void = () => undefined,
): Promise<Pair> {
  const { stores, pki, network } = context;
  const [client, server] = [await readRequest(requests.client, context), await readRequest(requests.server, context)];
  if (client.commonName !== routerId) {
    throw new DomainError('csrInvalid', {
      causeMessage: 'invalid client CSR',
      logReason: 'the common name is not the id of the router',
    });
  }
  const endpoints = await stores.controllers.endpoints();
  const reserved = controllerHosts(
    [network.advertise, network.routersReach, ...endpoints.flatMap(({ advertised }) => advertised)],
    endpoints.map(({ certPem }) => certPem),
  );
  const names = routerServerNames(
    server.names,
    new Set([...reserved].filter((host) => !network.routerNames.includes(host))),
  );
  judge(names);
  return {
    client: await pki.issueForRouter(client, routerId),
    server: await pki.issueForRouterServer(server, routerId, names),
    serverNames: [...names.dns, ...names.ip],
    namesLeftOut: names.leftOut,
  };
}
