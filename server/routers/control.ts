/** Builds the control channel of routers out of what this process has, and hands it their connections. */
import { createPublicKey } from 'node:crypto';
import type { JsonWebKeyInput } from 'node:crypto';
import { newId, tokenOf } from '../../domain/auth/tokens.js';
import type { IncomingConnection } from '../../fabric/channel/acceptor.js';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { KnownControllers } from '../../fabric/presence/controllers.js';
import { createFabric } from '../../fabric/fabric.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Stores } from '../../db/stores/stores.js';
import { RouterCertification } from '../../handlers/enrollment/router-extension.js';
import { verifyPeer } from '../../domain/pki/peer.js';
import type { AccessTokens } from '../sessions/access-tokens.js';
import type { ApiSessionRegistry } from '../sessions/api-sessions.js';
import { addressOf } from '../base/client-address.js';
import type { Settings } from '../settings/config.js';
import { routersReach } from '../settings/control-settings.js';
import { handRoutersOver, holdRouters, routerHandoff } from '../sockets/handoff.js';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';
import { certificatesSent } from '../api/peer.js';
import type { RunningPki } from '../keys/pki.js';
import { createSessionTokens } from '../keys/signed-tokens.js';
import { createRouterServer } from './router-server.js';
import type { RouterServer } from './router-server.js';
import { shownTokens } from './shown-tokens.js';
import type { ServerIdentity } from '../keys/renewal.js';
import { listenAt } from '../sockets/tls-server.js';
import type { RouterConnection } from '../sockets/tls-server.js';

export interface ControlOptions {
  readonly config: Settings;
  readonly stores: Stores;
  readonly apiSessions: ApiSessionRegistry;
  readonly accessTokens: AccessTokens;
  readonly controllerId: string;
  readonly controllers: KnownControllers;
  readonly tokenKey: Buffer;
  readonly pki: RunningPki;
  readonly identity: ServerIdentity;
  readonly log: Logger;
}

/** Requests of routers for certificates that wait to be read. */
const MAX_WAITING_REQUESTS = 100;

export function createControl({
  config,
  stores,
  apiSessions,
  accessTokens,
  controllerId,
  controllers,
  tokenKey,
  pki,
  identity,
  log,
}: ControlOptions): Fabric {
  const sessionTokens = createSessionTokens({ config, identity });
  return createFabric({
    stores,
    log,
    noteFailure: (error, facts, message) => {
      noteFailure(log, error, message, facts);
    },
    controllerId,
    accessTokenSeconds: config.oidcEnabled ? config.oidcAccessToken : 0,
    controllers,
    newId,
    apiSessionToken: (id) => tokenOf(tokenKey, id),
    sessionTimeoutSeconds: apiSessions.timeoutSeconds,
    apiSessions: shownTokens({ stores, apiSessions, accessTokens, newId, sessionTokens }),
    sessionsSeen: (ids) => {
      apiSessions.seen(ids);
    },
    extensions: routerCertification({ config, stores, pki, log }),
    verify: (certificates) => verifyPeer(certificates, { own: pki, cas: [], isOpened: true }),
    keySources() {
      const { roots, intermediates } = pki.trust();
      const { publicJwk, kid } = identity.signer();
      const { kty, crv, x, y, n, e } = publicJwk;
      const key = createPublicKey({ key: { kty, crv, x, y, n, e }, format: 'jwk' } as JsonWebKeyInput);
      return {
        own: [...roots, ...intermediates],
        signerDer: key.export({ type: 'spki', format: 'der' }),
        signerKids: [kid, ...identity.otherFingerprints()],
      };
    },
  });
}

/** Makes certificates for routers that ask for them over their channel. */
function routerCertification({ config, stores, pki, log }: Pick<ControlOptions, 'config' | 'stores' | 'pki' | 'log'>) {
  return new RouterCertification({
    stores,
    pki,
    network: {
      advertise: config.advertise,
      routersReach: routersReach(config),
      routerNames: config.tlsRouterNames,
    },
    yieldQueue: new YieldQueue({ waiting: MAX_WAITING_REQUESTS }),
    warn: (facts, message) => {
      log.warn(facts, message);
    },
    controller: config.name,
  });
}

/** Returns what the acceptor needs to know of a connection. */
function incomingFrom(connection: RouterConnection): IncomingConnection {
  const { socket } = connection;
  return {
    socket,
    certificates: certificatesSent(socket),
    address: addressOf(socket),
    admitted: () => {
      connection.admitted();
    },
  };
}

export interface RouterDoor {
  /** Takes a router's connection on the port that serves HTTPS; undefined when that port takes none. */
  readonly open: ((connection: RouterConnection) => void) | undefined;
  /** Server at the address for routers alone; undefined when this process listens on none. */
  readonly server: RouterServer | undefined;
  /** Address of the routers' own port, as `host:port`. */
  readonly address: string | undefined;
  close(): Promise<void>;
}

export interface RouterDoorOptions {
  readonly fabric: Fabric;
  readonly config: Settings;
  /** The server's certificate, then intermediates; never the root. */
  readonly chainPem: string;
  readonly privateKeyPem: string;
  readonly log: Logger;
}

/**
 * The way of routers into this process, or through it to the worker that holds them, which alone listens at the address
 * for routers.
 * @throws ConfigError when it cannot listen there
 */
export async function openRouterDoor({ fabric, log, config, ...tls }: RouterDoorOptions): Promise<RouterDoor> {
  const { controlListen, controlShared } = config;
  const isShared = controlListen === null || controlShared;
  const handoff = routerHandoff();
  if (handoff?.isHolder === false) {
    const over = handRoutersOver(handoff.path);
    return {
      open: isShared
        ? (connection) => {
            over.pass(incomingFrom(connection));
          }
        : undefined,
      server: undefined,
      address: undefined,
      close: async () => {
        over.close();
      },
    };
  }
  const accept = (incoming: IncomingConnection) => {
    fabric.accept(incoming);
  };
  const onRouter = (connection: RouterConnection) => {
    accept(incomingFrom(connection));
  };
  const holder = handoff === undefined ? undefined : await holdRouters(handoff.path, accept, log);
  const server = controlListen === null ? undefined : createRouterServer({ config, ...tls, onRouter, log });
  const close = async () => {
    server?.leave();
    // Its channels end by themselves before their sockets do. A start that fails earlier closes it too: once is enough.
    await fabric.close();
    await holder?.close();
  };
  try {
    const address =
      server === undefined || controlListen === null
        ? undefined
        : await listenAt(server, controlListen, 'EDGE_CONTROL_LISTEN', true);
    if (address !== undefined) log.info({ address }, 'routers have an address of their own');
    return { open: isShared ? onRouter : undefined, server, address, close };
  } catch (error) {
    await close();
    throw error;
  }
}
