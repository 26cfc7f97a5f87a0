/** A TCP port for what must know its own address before it listens, such as a controller whose JWTs name it. */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** One that was free on 127.0.0.1 a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  return port;
}
