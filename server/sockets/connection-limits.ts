/**
 * Limits of connections before TLS: a trusted balancer says whose connection it is, it is counted, and refused when its
 * address has too many. One address must not take all the connections that limits.connections allows. The log names the
 * refused address, once for each time that a bound is reached.
 */
import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { addressOf, declareAddress, networkOf } from '../base/client-address.js';
import type { Settings } from '../settings/config.js';
import type { Logger } from '../base/log.js';
import { listedIn, takeHeader } from './proxy-protocol.js';

export type GateConfig = Pick<Settings, 'maxConnections' | 'maxConnectionsPerAddress' | 'proxyFrom' | 'headersTimeout'>;

/** Places count as free again when a tenth of them is: a line for each client that comes and goes would be too many. */
const FREE_SHARE = 0.9;

class Places {
  open = 0;
  #refused = 0;

  /** @param about  what the log calls them */
  constructor(
    private readonly limit: number,
    private readonly log: Logger,
    private readonly about: Readonly<Record<string, unknown>>,
  ) {}

  enter(): boolean {
    if (this.open >= this.limit) {
      this.refuse();
      return false;
    }
    this.take();
    return true;
  }

  /** Counts a connection that was accepted elsewhere. */
  take(): void {
    this.open += 1;
  }

  refuse(): void {
    if (this.#refused === 0) {
      this.log.warn({ ...this.about, limit: this.limit }, 'too many connections; more are refused');
    }
    this.#refused += 1;
  }

  leave(): void {
    this.open -= 1;
    if (this.#refused === 0 || this.open > this.limit * FREE_SHARE) return;
    this.log.info({ ...this.about, limit: this.limit, refused: this.#refused }, 'connections are accepted again');
    this.#refused = 0;
  }
}

/** Equal for the socket of TLS and the one below it, and for no other open connection. */
export const connectionKey = ({ remoteAddress = '', remotePort = 0, localAddress = '' }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

export interface ConnectionGate {
  /** The connection does not count any more. */
  release(socket: Socket): void;
}

/** Names of the two bounds in the log. */
export interface GateNames {
  readonly all: string;
  readonly perAddress: string;
}

const OF_HTTPS: GateNames = { all: 'limits.connections', perAddress: 'limits.connectionsPerAddress' };

/** Puts itself between a server that has no listeners of connections but TLS's own, and TLS. */
export function guard(server: Server, config: GateConfig, log: Logger, names = OF_HTTPS): ConnectionGate {
  const [startTls] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (startTls === undefined || server.listenerCount('connection') !== 1) {
    throw new Error('a server with listeners of its own');
  }
  const all = new Places(config.maxConnections, log, { setting: names.all });
  const perAddress = countAddresses(config.maxConnectionsPerAddress, names.perAddress, log);
  const believed = config.proxyFrom.length === 0 ? undefined : listedIn(config.proxyFrom);
  const believe = believer(server, config, log);
  const releases = new Map<string, () => void>();
  server.maxConnections = config.maxConnections;
  server.on('drop', () => {
    all.refuse();
  });
  server.removeListener('connection', startTls);
  server.on('connection', (socket: Socket) => {
    // The server itself refuses: it counts one that it cuts as gone at once, before its end is seen here.
    all.take();
    const held = [
      () => {
        all.leave();
      },
    ];
    const release = () => {
      for (const leave of held.splice(0)) leave();
    };
    const key = connectionKey(socket);
    releases.set(key, release);
    socket.once('close', () => {
      if (releases.get(key) === release) releases.delete(key);
      release();
    });
    const admit = (address: string) => {
      const leave = perAddress(address);
      if (leave === undefined) {
        socket.destroy();
        return;
      }
      held.push(leave);
      startTls.call(server, socket);
    };
    const peer = addressOf(socket);
    if (believed?.(peer) === true) believe(socket, peer, admit);
    else admit(peer);
  });
  return {
    release(socket) {
      const release = releases.get(connectionKey(socket));
      if (release === undefined) return;
      release();
      // The server counts the connection on: it may have one more for as long as this one lives.
      server.maxConnections += 1;
      socket.once('close', () => {
        server.maxConnections -= 1;
      });
    },
  };
}

type Believe = (socket: Socket, peer: string, admit: (address: string) => void) => void;

/** Takes what a balancer says for the address of its client, here and on the socket of TLS above. */
function believer(server: Server, config: GateConfig, log: Logger): Believe {
  const expected = new Map<string, string>();
  server.on('secureConnection', (socket) => {
    const address = expected.get(connectionKey(socket));
    if (address !== undefined) declareAddress(socket, address);
  });
  return (socket, peer, admit) => {
    const key = connectionKey(socket);
    takeHeader(
      socket,
      config.headersTimeout * 1000,
      (client) => {
        if (client !== null) {
          expected.set(key, client);
          socket.once('close', () => {
            expected.delete(key);
          });
        }
        admit(client ?? peer);
      },
      (reason) => {
        log.warn({ balancer: peer, reason }, 'a balancer sent no valid PROXY protocol header and was cut');
      },
    );
  };
}

/** @returns what gives the place back, when there was one for one more connection of that address */
function countAddresses(limit: number, setting: string, log: Logger): (address: string) => (() => void) | undefined {
  const networks = new Map<string, Places>();
  return (address) => {
    const network = networkOf(address);
    const places = networks.get(network) ?? new Places(limit, log, { setting, network });
    if (!places.enter()) return undefined;
    networks.set(network, places);
    return () => {
      places.leave();
      if (places.open === 0) networks.delete(network);
    };
  };
}
