/**
 * The end of serving: first balancers find out, then routers are cut, then connections close as they fall idle, then
 * the rest is cut.
 */
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InFlight } from './app.js';
import type { Logger } from '../base/log.js';
import type { TlsServer } from '../sockets/tls-server.js';

export interface DrainOptions {
  readonly server: TlsServer;
  readonly inFlight: InFlight;
  /** How long connections are still accepted. */
  readonly lameDuckMs: number;
  /** How long requests in flight may take after that. */
  readonly timeoutMs: number;
  /** Waits for neither any longer. */
  readonly forceStop: AbortSignal;
  readonly log: Logger;
  /** Ends the connections of routers, which are no requests and never fall idle. */
  readonly closeChannels: () => Promise<void>;
}

export async function stopServing({
  server,
  inFlight,
  lameDuckMs,
  timeoutMs,
  forceStop,
  log,
  closeChannels,
}: DrainOptions): Promise<void> {
  await leave(inFlight, lameDuckMs, forceStop, log);
  await closeChannels();
  await drain(server, inFlight, timeoutMs, forceStop);
}

/** Goes on serving while balancers see by `/readyz` that they should send no more. */
async function leave(inFlight: InFlight, forMs: number, forceStop: AbortSignal, log: Logger): Promise<void> {
  inFlight.isLeaving = true;
  if (forMs === 0) return;
  log.info({ seconds: forMs / 1000 }, 'connections are still accepted while balancers find out; then it stops');
  await sleep(forMs, undefined, { signal: forceStop }).catch(() => undefined);
}

/** How long idle connections stay open at shutdown: a request that is already on its way to one is still answered. */
const IDLE_GRACE_MS = 500;

/**
 * No new connections. Busy ones close after their answer, idle ones after the next or after a short grace, and the
 * rest after `timeoutMs`, or when it must forceStop.
 */
async function drain(server: TlsServer, inFlight: InFlight, timeoutMs: number, forceStop: AbortSignal): Promise<void> {
  inFlight.isDraining = true;
  for (const { response } of inFlight.exchanges) response.shouldKeepAlive = false;
  // The HTTP server's own `close` would cut idle connections at once.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      resolve();
    });
  });
  let sweeper: NodeJS.Timeout | undefined;
  const grace = setTimeout(
    () => {
      sweeper = setInterval(() => {
        server.closeIdleConnections();
        server.closeUnused();
      }, 50);
    },
    Math.min(IDLE_GRACE_MS, timeoutMs),
  );
  const cutAll = () => {
    server.closeAllConnections();
  };
  const cut = setTimeout(cutAll, timeoutMs);
  forceStop.addEventListener('abort', cutAll);
  if (forceStop.aborted) cutAll();
  await closed;
  server.close(); // stops its own timer of connection checks
  clearTimeout(grace);
  clearInterval(sweeper);
  clearTimeout(cut);
}
