/** Opens WebSockets of the fabric API, bounded in number, and ends them with the session or the controller. */
import { DomainError } from '../../domain/errors.js';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { Exchange } from '../http/exchange.js';
import { canonicalPath } from '../http/paths.js';
import type { Match } from '../http/paths.js';
import { isUpgrade, takeUpgrade } from '../sockets/upgrades.js';
import { CloseCode, asksForWebSocket, openWebSocket } from '../sockets/web-socket.js';
import type { WebSocketConnection } from '../sockets/web-socket.js';
import { FabricSocket, MOST_SOCKET_BYTES } from './fabric-socket.js';
import type { SocketParts } from './fabric-socket.js';

/** Connections of one process, and of one identity. */
const MOST = 32;
const MOST_OF_ONE = 8;
/** A session that ends is noticed within a second. */
const CHECK_MS = 400;

const PATH = `${basePaths.fabric}/ws-api`;
/** It stands in no document, and is for administrators, as the list of routers is. */
const MATCH: Match = {
  operation: { ...operations.fabric.listRouters, operationId: 'openSocket', path: '/ws-api', parameters: [] },
  params: {},
};

/** Returns the operation of the WebSocket, where a request is for it. */
export const socketMatch = ({ request, path }: Pick<Exchange, 'request' | 'path'>): Match | undefined =>
  request.method === 'GET' && path.endsWith('/ws-api') && canonicalPath(path) === PATH ? MATCH : undefined;

export const isSocket = ({ operation }: Match): boolean => operation === MATCH.operation;

export class FabricSockets {
  readonly #parts: Omit<SocketParts, 'identityId'>;
  readonly #open = new Set<{ readonly identityId: string; readonly connection: WebSocketConnection }>();
  #isStopped = false;

  constructor(parts: Omit<SocketParts, 'identityId'>) {
    this.#parts = parts;
  }

  /**
   * Resolves when the connection has ended.
   * @param recheck  throws unless the caller may still have it
   * @throws DomainError `rateLimited`, `unavailable`, `badReference` for a request that opens no WebSocket
   */
  async run(exchange: Exchange, identityId: string, recheck: () => Promise<void>): Promise<void> {
    const { request, response, requestId } = exchange;
    if (!isUpgrade(request) || !asksForWebSocket(request))
      throw new DomainError('badReference', {
        causeMessage: 'only a request for a WebSocket of version 13 is answered',
      });
    this.#admit(identityId);
    const upgrade = takeUpgrade(request, response);
    if (upgrade === undefined) return;
    exchange.since = Number.POSITIVE_INFINITY;
    let closed: (reason: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => (closed = resolve));
    const options = { mostBytes: MOST_SOCKET_BYTES, headers: [`x-request-id: ${requestId}`] };
    const connection = openWebSocket(request, upgrade, options, {
      message: (bytes) => {
        requests.take(bytes);
      },
      closed: (reason) => {
        closed(reason);
      },
    });
    const requests = new FabricSocket(connection, { ...this.#parts, identityId });
    const entry = { identityId, connection };
    this.#open.add(entry);
    const checks = watch(connection, recheck);
    const reason = await ended;
    checks.stop();
    this.#open.delete(entry);
    requests.end();
    if (reason !== '') this.#parts.log.info({ requestId, reason }, 'a WebSocket of the fabric API was ended');
  }

  /** Ends all, and opens no more: the controller stops. */
  stop(): void {
    this.#isStopped = true;
    for (const { connection } of this.#open) connection.close(CloseCode.GoingAway, 'this controller stops');
  }

  #admit(identityId: string): void {
    if (this.#isStopped) throw new DomainError('unavailable', { causeMessage: 'this controller stops' });
    const own = [...this.#open].filter((entry) => entry.identityId === identityId).length;
    if (this.#open.size < MOST && own < MOST_OF_ONE) return;
    const causeMessage = `there are ${this.#open.size} WebSockets here, ${own} of them yours: close one first`;
    throw new DomainError('rateLimited', { causeMessage });
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['unauthenticated', 'forbidden']);

/** Ends the connection when its caller may not have it any more. */
function watch(connection: WebSocketConnection, recheck: () => Promise<void>): { readonly stop: () => void } {
  let isStopped = false;
  let next: NodeJS.Timeout | undefined;
  const look = async () => {
    await recheck().catch((error: unknown) => {
      // A refusal that cannot be decided now, because the database does not answer, is decided at the next check.
      if (error instanceof DomainError && REFUSALS.has(error.kind))
        connection.close(CloseCode.Policy, 'the API session has ended, or has lost its right to this');
    });
    if (!isStopped) later();
  };
  const later = () => {
    next = setTimeout(() => void look(), CHECK_MS).unref();
  };
  later();
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(next);
    },
  };
}
