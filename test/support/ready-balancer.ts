/**
 * A plain TCP balancer: connections go in turn to the backends that answered the last look at `/readyz` with 200. It
 * never tries a second backend, so that a client sees each refusal.
 */
import { request } from 'node:https';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

const LOOK_EVERY_MS = 100;

export interface Balancer {
  readonly url: string;
  /** Ports that get connections. */
  readonly healthy: () => readonly number[];
  close(): void;
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { port, path: '/readyz', rejectUnauthorized: false, agent: false, timeout: 5_000 };
    const asked = request({ host: '127.0.0.1', ...options }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => {
      resolve(false);
    });
    asked.on('timeout', () => {
      asked.destroy();
    });
    asked.end();
  });
}

/** @param header  sent to the backend before what the client sends */
export async function startBalancer(ports: readonly number[], header?: (client: Socket) => Buffer): Promise<Balancer> {
  const ready = new Set<number>();
  const sockets = new Set<Socket>();
  let turn = 0;
  let isClosed = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    const candidates = ports.filter((port) => ready.has(port));
    const port = candidates[(turn += 1) % candidates.length];
    keep(client);
    if (port === undefined) {
      client.resetAndDestroy();
      return;
    }
    const backend = keep(connect(port, '127.0.0.1'));
    if (header !== undefined) backend.write(header(client));
    client.pipe(backend).pipe(client);
    backend.on('close', () => {
      client.destroy();
    });
    client.on('close', () => {
      backend.destroy();
    });
  });
  const look = async (port: number) => {
    while (!isClosed) {
      if (await isReady(port)) ready.add(port);
      else ready.delete(port);
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_EVERY_MS);
      });
    }
  };
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ports.forEach((port) => void look(port));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    healthy: () => [...ready],
    close() {
      isClosed = true;
      server.close();
      sockets.forEach((socket) => {
        socket.destroy();
      });
    },
  };
}
