/** Context of the handlers, put together from the parts that a start has opened. */
import { newId } from '../../domain/auth/tokens.js';
import { createSchemaThread } from '../../domain/config/schema-thread.js';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Context } from '../../handlers/context.js';
import { ElementCache } from '../../handlers/element-cache.js';
import { KeptWorlds } from '../../handlers/kept-worlds.js';
import { QrCodes } from '../../handlers/qr-codes.js';
import type { Network } from '../keys/bootstrap.js';
import type { Closers } from '../base/closers.js';
import type { Settings } from '../settings/config.js';
import { routersReach } from '../settings/control-settings.js';
import { openDocuments } from '../api/documents.js';
import type { Logger } from '../base/log.js';
import type { Outgoing } from '../sockets/outgoing.js';
import type { RunningPki } from '../keys/pki.js';
import type { ServerIdentity } from '../keys/renewal.js';
import { schemaChecks } from '../maintenance/schema-checks.js';
import { createSecondTokens } from '../sessions/second-tokens.js';
import { createEnrollments, createSessionTokens } from '../keys/signed-tokens.js';
import { SignerKeyCache } from '../keys/signer-keys.js';
import { readVersion } from '../base/version.js';
import { ownStateOf } from '../maintenance/own-state.js';
import { examineOpenFiles } from './open-files.js';

/** Parts opened before. */
interface Parts extends Pick<
  Context,
  'stores' | 'passwords' | 'apiSessions' | 'loginProvider' | 'epochs' | 'responseCache' | 'maintenance' | 'eventStreams'
> {
  readonly config: Settings;
  readonly log: Logger;
  readonly closers: Closers;
  readonly startedAt: Date;
  readonly controllerId: string;
  readonly network: Network;
  readonly identity: ServerIdentity;
  readonly pki: RunningPki;
  readonly fabric: Fabric;
  readonly outgoing: Outgoing;
}

/** About half a second of work. */
const MAX_WAITING_VERIFICATIONS = 500;
/** The largest schema takes 100 to 200 ms, so that the last one waits for two or three seconds. */
const MAX_WAITING_SCHEMAS = 16;
/** A check of data takes microseconds, after the first one of its type, which takes as long as its schema. */
const MAX_WAITING_CONFIGS = 200;

/** Ends with the closers. */
export function buildContext(parts: Parts): Context {
  const { config, log, stores, passwords, apiSessions, epochs, responseCache, pki } = parts;
  const { loginProvider, controllerId, startedAt, identity, network, maintenance, fabric } = parts;
  const schemas = createSchemaThread({ waitingSchemas: MAX_WAITING_SCHEMAS, waitingData: MAX_WAITING_CONFIGS });
  parts.closers.push(() => schemas.close());
  const yieldQueue = new YieldQueue({ waiting: MAX_WAITING_VERIFICATIONS });
  const tokens = {
    signerKeys: new SignerKeyCache({ outgoing: parts.outgoing, log }),
    tokenLeewaySeconds: config.tokenLeeway,
  };
  return {
    stores,
    maintenance,
    eventStreams: parts.eventStreams,
    targetFault: (url) => parts.outgoing.faultOf(url),
    edgeConnections: fabric.edgeConnections,
    trafficFeed: fabric.trafficFeed,
    passwords,
    apiSessions,
    loginProvider,
    epochs,
    responseCache,
    elementCache: new ElementCache(config.keptTextBytes),
    worlds: new KeptWorlds(),
    ownState: ownStateOf({ config, keyRing: network.keyRing, openFiles: () => examineOpenFiles(config) }),
    pki,
    secrets: network.keyRing,
    totpIssuer: config.totpIssuer,
    newId,
    ...tokens,
    secondTokens: createSecondTokens(tokens),
    yieldQueue,
    qrCodes: new QrCodes(yieldQueue),
    version: readVersion(),
    documents: openDocuments(config.advertise, startedAt),
    enrollments: createEnrollments({ config, identity, pki, stores }),
    sessionTokens: createSessionTokens({ config, identity }),
    network: {
      controllerId,
      name: config.name,
      advertise: config.advertise,
      routersReach: routersReach(config),
      routerNames: config.tlsRouterNames,
      startedAt,
    },
    warn: (facts, message) => {
      log.warn(facts, message);
    },
    ...schemaChecks(schemas),
  };
}
