/**
 * Workers of one machine share a port, but one of them holds the channels of all routers, so that whoever works on one
 * router finds the others. The rest hand over what they accept: a socket in a directory that only this user may enter,
 * which begins with what the handshake showed and then carries what the router and the holder send each other.
 */
import cluster from 'node:cluster';
import { createServer, connect } from 'node:net';
import type { Socket } from 'node:net';
import { rmSync } from 'node:fs';
import type { Knock } from '../../fabric/channel/acceptor.js';
import type { Logger } from '../base/log.js';

/**
 * Variables by which the first process tells its workers the path of the routers' socket, and which of them serves the
 * routers.
 */
export const ROUTERS_SOCKET = 'EDGE_ROUTERS_SOCKET';
export const ROUTERS_HOLDER = 'EDGE_ROUTERS_HOLDER';

/** Undefined for a controller of one process, which holds its own routers. */
export function routerHandoff(): { readonly path: string; readonly isHolder: boolean } | undefined {
  const path = process.env[ROUTERS_SOCKET];
  if (!cluster.isWorker || path === undefined || path === '') return undefined;
  return { path, isHolder: process.env[ROUTERS_HOLDER] === 'true' };
}

/** Returns whether this process serves the routers. It also does the work that one process alone should do. */
export const holdsRouters = (): boolean => routerHandoff()?.isHolder !== false;

/** Facts that precede the router's own bytes. */
interface Preamble {
  readonly address: string;
  /** DER in base64, leaf first. */
  readonly certificates: readonly string[];
}

/** Chains are short; what is larger is none of ours. */
const MAX_PREAMBLE_BYTES = 256 << 10;
const LENGTH_BYTES = 4;

export interface Holder {
  close(): Promise<void>;
}

/** Takes what the other workers hand over. Resolves when they can. */
export async function holdRouters(path: string, accept: (knock: Knock) => void, log: Logger): Promise<Holder> {
  // Remains of an earlier process that no longer runs.
  rmSync(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    receive(socket, accept);
  });
  server.on('error', (error) => {
    log.error({ err: error }, 'routers of other workers cannot be taken over');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Not through the first process, which would take it for the port that all workers share.
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of open) socket.destroy();
      }),
  };
}

function receive(socket: Socket, accept: (knock: Knock) => void): void {
  let held = Buffer.alloc(0);
  const ignore = () => undefined;
  socket.on('error', ignore);
  const onData = (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    if (held.length < LENGTH_BYTES) return;
    const end = LENGTH_BYTES + held.readUInt32LE();
    if (end > MAX_PREAMBLE_BYTES) socket.destroy();
    if (held.length < end || socket.destroyed) return;
    socket.off('data', onData);
    socket.pause();
    // The router's first bytes may have come with it.
    if (held.length > end) socket.unshift(held.subarray(end));
    const { address, certificates } = JSON.parse(held.toString('utf8', LENGTH_BYTES, end)) as Preamble;
    accept({ socket, address, certificates: certificates.map((der) => Buffer.from(der, 'base64')) });
  };
  socket.on('data', onData);
}

export interface Handoff {
  /** Takes over the connection, and its end. */
  pass(knock: Knock): void;
  /** Ends all that were handed over. */
  close(): void;
}

/** @param path  where the holder listens */
export function handRoutersOver(path: string): Handoff {
  const open = new Set<() => void>();
  return {
    pass({ socket, address, certificates, admitted }) {
      const holder = connect(path);
      const end = () => {
        open.delete(end);
        socket.destroy();
        holder.destroy();
      };
      open.add(end);
      for (const each of [socket, holder]) {
        each.setTimeout(0);
        each.on('error', end);
        each.on('close', end);
      }
      // The holder is silent until it lets the router in.
      holder.once('data', () => admitted?.());
      holder.pause();
      const said: Preamble = { address, certificates: certificates.map((der) => der.toString('base64')) };
      const text = Buffer.from(JSON.stringify(said), 'utf8');
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32LE(text.length);
      holder.write(Buffer.concat([length, text]));
      socket.pipe(holder);
      holder.pipe(socket);
    },
    close() {
      for (const end of open) end();
    },
  };
}
