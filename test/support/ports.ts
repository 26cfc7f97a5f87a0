/**
 * TCP ports for what must know its address before it listens. They lie below those that the kernel hands out by
 * itself, and none comes twice: no other part of the drill takes one between the look and the use.
 */
import { createServer } from 'node:net';

/** `EDGE_TEST_PORTS`, such as `20000-25999`, is the part of them for this process and those that it starts. */
const [FIRST = 20_000, LAST = 31_999] = (process.env['EDGE_TEST_PORTS'] ?? '').match(/\d+/g)?.map(Number) ?? [];
const COUNT = LAST - FIRST + 1;

/** Processes that run beside each other in the same part begin far apart. */
let serial = (process.pid * 61) % COUNT;

/** A port of 127.0.0.1 that is free. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + (serial++ % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port of 127.0.0.1 is free from ${FIRST} to ${FIRST + COUNT - 1}`);
}

/** All different. */
export async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => {
      resolve(false);
    });
    probe.listen(port, '127.0.0.1', () => {
      probe.close(() => {
        resolve(true);
      });
    });
  });
}

/** Settings of a controller that is reached at this port of this machine. */
export const addressAt = (port: number) => ({
  EDGE_LISTEN: `127.0.0.1:${port}`,
  EDGE_ADVERTISE: `localhost:${port}`,
});
