/** What a service leads to, when it matters which host it was: servers that say their name and echo. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface NamedServer {
  readonly port: number;
  close(): void;
}

/** Says its name when somebody connects. @param port  any free one when it is 0 */
export async function namedTcp(name: string, port = 0): Promise<NamedServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.write(`${name}\n`);
    socket.pipe(socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Puts its name before what it sends back. */
export async function namedUdp(name: string): Promise<NamedServer> {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, { port, address }) => {
    socket.send(`${name} ${bytes.toString()}`, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => socket.close() };
}
