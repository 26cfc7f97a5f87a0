/** Listeners: the APIs and pages, the port of routers, and metrics. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { clusterIn } from '../../db/embedded/paths.js';
import { ownerOfCertificate } from '../../handlers/login/certificate-login.js';
import { Apis } from '../api/api.js';
import { FabricSockets } from '../api/fabric-sockets.js';
import { createPeers } from '../api/peer.js';
import { commonHeaders, createApp, watchInFlight } from '../api/app.js';
import type { CommonHeaders, InFlight } from '../api/app.js';
import type { Bindings } from '../sessions/binder.js';
import { certificateEnds } from '../keys/certificate-ends.js';
import { Compression } from '../http/compression.js';
import { openRouterDoor } from '../routers/control.js';
import { stopServing } from '../api/drain.js';
import { documentPages, explorerPages } from '../pages/explorer.js';
import { iconFiles, networkPageFiles, networkPageFront } from '../pages/network-page.js';
import { healthPages } from '../api/health.js';
import { RequestCounts } from '../http/request-counts.js';
import { createReadiness } from '../api/readiness.js';
import type { Readiness, ReadinessOptions } from '../api/readiness.js';
import { LoginTurns } from '../sessions/login-turns.js';
import { OwnChanges } from '../sessions/own-changes.js';
import { RefusedLines } from '../http/refused-lines.js';
import { createRefusedLogins } from '../sessions/refused-logins.js';
import type { Spas } from '../pages/spa.js';
import { createTlsServer, listenAt } from '../sockets/tls-server.js';
import { openTraces } from '../traces/traces.js';
import type { ServableParts, Serving } from './phases.js';

export interface ServeOptions {
  readonly bindings: Bindings;
  readonly spas: Spas;
  /** Aborted by a stop that must not wait for work under way. */
  readonly forceStop: AbortSignal;
}

export async function serve(ready: ServableParts, { bindings, spas, forceStop }: ServeOptions): Promise<Serving> {
  const { config, log, closers, network, eventStreams, fabric, context, pki } = ready;
  const inFlight: InFlight = { exchanges: new Set(), isLeaving: false, isDraining: false };
  const ends = () => certificateEnds(ready.identity, pki);
  const readiness = readinessOf(ready, ends);
  const watcher = watchInFlight(inFlight, config.handlerTimeout * 1000);
  closers.push(() => {
    clearInterval(watcher);
  });
  const common = commonHeaders(context.version.version, randomBytes(12).toString('hex'), config.hsts);
  const counts = config.metricsListen === null ? undefined : new RequestCounts();
  const sockets = new FabricSockets({ context, log });
  const loginTurns = new LoginTurns();
  const listener = await answering(ready, { sockets, bindings, spas, inFlight, readiness, common, counts, loginTurns });
  const { certPem, privateKeyPem } = network.keys.server;
  const keys = { chainPem: certPem + pki.chainPem(), privateKeyPem };
  const door = await openRouterDoor({ fabric, config, ...keys, log });
  closers.push(() => door.close());
  const onRouter = door.open === undefined ? {} : { onRouter: door.open };
  const server = createTlsServer({ config, ...keys, common, log, listener, ...onRouter });
  const measured = { ...ready, ...keys, readiness, certificateEnds: ends, inFlight, loginTurns, server };
  const metrics = counts && (await (await import('../metrics/open.js')).openMetrics(measured, counts));
  closers.push(() =>
    stopServing({
      server,
      inFlight,
      lameDuckMs: config.lameDuck * 1000,
      timeoutMs: config.drainTimeout * 1000,
      forceStop,
      log,
      closeChannels: () => {
        eventStreams.stop();
        sockets.stop();
        return door.close();
      },
    }),
  );
  const address = await listenAt(server, config.listen, 'EDGE_LISTEN');
  const servers = [server, ...(door.server === undefined ? [] : [door.server]), ...(metrics?.servers ?? [])];
  return { servers, address, control: door.address, metrics: metrics?.address };
}

interface Answering extends Omit<ServeOptions, 'forceStop'> {
  readonly sockets: FabricSockets;
  readonly inFlight: InFlight;
  readonly readiness: Readiness;
  readonly common: CommonHeaders;
  readonly counts: RequestCounts | undefined;
  readonly loginTurns: LoginTurns;
}

/** The application, as a server calls it. */
async function answering(ready: ServableParts, options: Answering) {
  const { sockets, bindings, spas, inFlight, readiness, common, counts, loginTurns } = options;
  const { config, log, closers, startedAt, outages, apiSessions, context } = ready;
  const accessTokens = context.loginProvider === null ? undefined : ready.accessTokens;
  const peers = createPeers((certificates) => ownerOfCertificate(certificates, context));
  const hasProvider = context.loginProvider !== null;
  const compression = new Compression(config.compression);
  const traces = await openTraces({ config, version: context.version.version, log, closers });
  const refusedLogins = createRefusedLogins({ stores: context.stores, controller: config.name, log });
  closers.push(() => refusedLogins.close());
  const refusedLines = new RefusedLines({ log });
  closers.push(() => {
    refusedLines.tell();
  });
  const app = createApp({
    common,
    corsOrigins: config.corsOrigins,
    inFlight,
    compression,
    spas,
    maxHeaders: config.maxHeaders,
    requestIdHeader: config.requestIdHeader,
    log,
    hasProvider,
    plainRoutes: new Map([
      ...healthPages({ readiness, isLeaving: () => inFlight.isLeaving, startedAt }),
      ...documentPages(context.documents, hasProvider),
      ...(config.docs ? explorerPages(hasProvider) : []),
      ...(config.networkPage ? networkPageFiles() : []),
      ...(config.docs || config.networkPage ? iconFiles() : []),
    ]),
    front: config.networkPage ? networkPageFront() : undefined,
    apis: new Apis({
      config,
      bindings,
      compression,
      context,
      apiSessions,
      sockets,
      accessTokens,
      peers,
      loginTurns,
      outages,
      counts,
      traces,
      refusedLogins,
      refusedLines,
      ownChanges: new OwnChanges({ changes: config.ownChangesPerHour, certificates: config.certificatesPerHour }),
      log,
    }),
  });
  const handle = app.callback();
  return (request: IncomingMessage, response: ServerResponse) => {
    void handle(request, response);
  };
}

function readinessOf(ready: ServableParts, ends: ReadinessOptions['certificateEnds']): Readiness {
  const { config, database, outages, heartbeat, isHearing } = ready;
  return createReadiness({
    database,
    outages,
    heartbeat: heartbeat.outage,
    isHearing,
    clusterDir: config.databaseUrl === null ? clusterIn(config.dataDir) : null,
    certificateEnds: ends,
  });
}
