/** A TCP balancer as operators put before several controllers: it passes bytes, to the first backend that answers. */
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';

export interface Balancer {
  readonly port: number;
  /** Connections that stand, by the port of their backend. */
  readonly load: () => ReadonlyMap<number, number>;
  close(): Promise<void>;
}

/** @param backends  ports of 127.0.0.1, the preferred one first */
export async function startBalancer(port: number, backends: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  const load = new Map<number, number>();
  const count = (backend: number, by: number) => load.set(backend, (load.get(backend) ?? 0) + by);

  const join = (client: Socket, server: Socket, backend: number) => {
    count(backend, 1);
    const end = () => {
      client.destroy();
      server.destroy();
    };
    server.once('close', () => {
      count(backend, -1);
      end();
    });
    client.once('close', end);
    client.pipe(server).pipe(client);
  };
  const tryNext = (client: Socket, [backend, ...others]: readonly number[]) => {
    if (backend === undefined || client.destroyed) {
      client.destroy();
      return;
    }
    const server = connect(backend, '127.0.0.1');
    const fail = () => {
      tryNext(client, others);
    };
    server.once('error', fail);
    server.once('connect', () => {
      server.off('error', fail);
      server.on('error', () => undefined);
      join(client, server, backend);
    });
  };
  const balancer = createServer((client) => {
    open.add(client);
    client.once('close', () => open.delete(client));
    client.on('error', () => undefined);
    tryNext(client, backends);
  });
  balancer.listen(port, '127.0.0.1');
  await once(balancer, 'listening');
  return {
    port: (balancer.address() as AddressInfo).port,
    load: () => load,
    async close() {
      for (const client of open) client.destroy();
      balancer.close();
      await once(balancer, 'close');
    },
  };
}
