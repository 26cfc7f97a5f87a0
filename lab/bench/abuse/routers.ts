/** Attacks on the control channel of routers: connections that cost a handshake, and hellos that come to nothing. */
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { createRootCa } from '../../../domain/pki/authority.js';
import { newKeyPair } from '../../../domain/pki/keys.js';
import { encodeFrame, message } from '../../../fabric/channel/frame.js';
import { HELLO_SEQUENCE } from '../../../fabric/channel/hello.js';
import type { Target } from '../load.js';
import type { Attack, Statuses } from './attack.js';

const STRANGERS = 10_000;
const HELLOS = 2_000;
/** Open at a time. */
const STEP = 500;
/** Of them, in their handshake at a time. */
const LANES = 16;
const SECONDS = 20;
/** A busy machine takes longer for all of them. */
const AT_MOST_SECONDS = 120;
const DRIP_MS = 500;

type Shown = Pick<ConnectionOptions, 'cert' | 'key'>;

function openRouter({ host, port }: Target, shown: Shown): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['ziti-ctrl'], ...shown });
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Resolves when the other side has ended it. */
const cut = (socket: TLSSocket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.resume().once('close', resolve);
  });

/** So many in steps; each waits until the controller has cut it. @returns how many were, by status 0 */
async function inSteps(
  count: number,
  seconds: number,
  open: () => Promise<TLSSocket>,
  act: (socket: TLSSocket, index: number) => void,
): Promise<Statuses> {
  const until = Date.now() + seconds * 1000;
  let ended = 0;
  for (let begun = 0; begun < count && Date.now() < until; begun += STEP) {
    const cuts: Promise<void>[] = [];
    let left = Math.min(STEP, count - begun);
    const lane = async () => {
      for (; left > 0;) {
        const index = begun + left;
        left -= 1;
        const socket = await open().catch(() => undefined);
        if (socket === undefined) continue;
        act(socket, index);
        cuts.push(cut(socket));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await Promise.all(cuts);
    ended += cuts.length;
  }
  return { 0: ended };
}

export const routersWithoutCertificate: Attack = {
  name: 'routers, no certificate',
  sends: () => `${STRANGERS.toLocaleString('en')} connections for ziti-ctrl without a certificate, ${STEP} at a time`,
  leastSeconds: SECONDS,
  run: ({ world }) =>
    inSteps(
      STRANGERS,
      AT_MOST_SECONDS,
      () => openRouter(world.target, {}),
      () => undefined,
    ),
};

/** A certificate that its holder made. */
async function selfMade(): Promise<Shown> {
  const keys = await newKeyPair('ec-p256');
  const { certPem } = await createRootCa({ now: new Date(), commonName: 'stranger', keys });
  return { cert: certPem, key: keys.privateKeyPem };
}

function sized(headers: number, body: number): Buffer {
  const [head] = encodeFrame(HELLO_SEQUENCE, message(0, 'stranger'));
  head.writeUInt32LE(headers, 12);
  head.writeUInt32LE(body, 16);
  return head;
}

/** One after another: no frame, 4 GiB, too large, half of one, byte by byte. */
function sayOddHello(socket: TLSSocket, index: number): void {
  const first = [Buffer.from('GET / HTTP/1.1\r\n\r\n'), sized(0xffffffff, 0xffffffff), sized(16_385, 4_193)];
  const bytes = first[index % 5];
  if (bytes !== undefined) {
    socket.write(bytes);
    return;
  }
  const whole = sized(100, 8);
  if (index % 5 === 3) {
    socket.write(whole);
    return;
  }
  let sent = 0;
  const drip = setInterval(() => {
    socket.write(whole.subarray(sent % whole.length, (sent % whole.length) + 1));
    sent += 1;
  }, DRIP_MS);
  socket.once('close', () => {
    clearInterval(drip);
  });
}

export const routersWithOddHellos: Attack = {
  name: 'routers, odd hellos',
  sends: () =>
    `${HELLOS.toLocaleString('en')} connections for ziti-ctrl with a certificate of their own, ${STEP} at a time: ` +
    `no frame, one of 4 GiB, one too large, half of one, one byte every ${DRIP_MS / 1000} s`,
  leastSeconds: SECONDS,
  async run({ world }): Promise<Statuses> {
    const shown = await selfMade();
    return inSteps(HELLOS, AT_MOST_SECONDS, () => openRouter(world.target, shown), sayOddHello);
  },
};

export const silentRouters: Attack = {
  name: 'routers, silent',
  sends: () => `connections for ziti-ctrl that say nothing, one after another, ${LANES} in their handshake at a time`,
  leastSeconds: SECONDS,
  async run({ world, seconds }): Promise<Statuses> {
    const shown = await selfMade();
    const until = Date.now() + seconds * 1000;
    const open = new Set<TLSSocket>();
    let ended = 0;
    const lane = async () => {
      while (Date.now() < until) {
        const socket = await openRouter(world.target, shown).catch(() => undefined);
        if (socket === undefined) continue;
        open.add(socket);
        socket.resume().once('close', () => {
          open.delete(socket);
          ended += 1;
        });
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const cutByThen = ended;
    for (const socket of open) socket.destroy();
    return { 0: cutByThen };
  },
};
