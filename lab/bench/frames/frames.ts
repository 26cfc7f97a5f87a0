/**
 * What one frame of a router costs others, kind by kind: the longest answer to another client, the longest sign of
 * life, CPU and memory of the controller. Its heap is as small as the one that it must live with.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ContentType } from '../../../fabric/channel/content-types.js';
import { encodeFrame, message } from '../../../fabric/channel/frame.js';
import { Header, encodeUint64, readInt32 } from '../../../fabric/channel/headers.js';
import { watchMemory, memoryOf } from '../abuse/memory.js';
import { ApiClient } from '../api-client.js';
import type { OwnController } from '../own-controller.js';
import { showProgress } from '../progress.js';
import { cpuSeconds } from '../routers/processes.js';
import { RouterLink, dial } from '../../../test/support/router-link.js';
import { enrollRouter } from '../routers/world.js';
import { CLIENT, MANAGEMENT } from '../world.js';
import { worstFramesOf, worstKinds } from '../../../test/support/worst-frames.js';
import type { WorstFrame } from '../../../test/support/worst-frames.js';

export interface FrameRow {
  readonly name: string;
  readonly bytes: number;
  readonly isCut: boolean;
  /** The longest answer to another client, and of these the longest before the frame. */
  readonly othersMs: number;
  readonly quietMs: number;
  /** From a sign of life behind the frame to its answer; undefined when the router was cut. */
  readonly signMs: number | undefined;
  readonly cpuMs: number;
  readonly beforeMiB: number;
  readonly peakMiB: number;
}

const QUIET_MS = 200;
const MOST_MS = 20_000;

/** Asks one thing after another until it is stopped. @returns the longest answer in milliseconds */
function probe(client: ApiClient): () => Promise<number> {
  let [longest, isStopped] = [0, false];
  const run = async () => {
    while (!isStopped) {
      const startedAt = performance.now();
      await client.call('GET', `${CLIENT}/version`);
      longest = Math.max(longest, performance.now() - startedAt);
      await delay(5);
    }
  };
  const done = run();
  return async () => {
    isStopped = true;
    await done;
    return longest;
  };
}

async function untilIt(isSo: () => boolean): Promise<void> {
  for (const startedAt = performance.now(); !isSo() && performance.now() - startedAt < MOST_MS;) await delay(5);
}

async function measure(own: OwnController, link: RouterLink, client: ApiClient, frame: WorstFrame, signs: Signs) {
  const quiet = probe(client);
  await delay(QUIET_MS);
  const quietMs = await quiet();
  const before = memoryOf(own.pid).controllerMiB;
  const peak = watchMemory(own.pid);
  const cpu = cpuSeconds(own.pid);
  const others = probe(client);
  const sign = signs.next();
  link.socket.write(frame.bytes);
  const saidAt = performance.now();
  link.socket.write(Buffer.concat(encodeFrame(2, message(ContentType.Heartbeat, '', [[Header.Heartbeat, sign]]))));
  // A long list is done before the message behind it is looked at.
  link.socket.write(Buffer.concat(encodeFrame(3, message(ContentType.Ping))));
  const answeredAt = signs.answered(sign);
  await untilIt(() => link.isCut || (answeredAt() !== undefined && signs.isDone));
  await delay(QUIET_MS);
  const at = answeredAt();
  return {
    name: frame.name,
    bytes: frame.size,
    isCut: link.isCut,
    othersMs: await others(),
    quietMs,
    signMs: at === undefined ? undefined : at - saidAt,
    cpuMs: 1000 * (cpuSeconds(own.pid) - cpu),
    beforeMiB: before,
    peakMiB: peak().controllerMiB,
  };
}

/** Signs of life and when each was answered. */
class Signs {
  /** The message behind the frame was answered. */
  isDone = false;
  readonly #at = new Map<string, number>();
  #last = 0n;

  next(): Buffer {
    return encodeUint64((this.#last += 1n));
  }

  note(value: Uint8Array | undefined): void {
    if (value !== undefined) this.#at.set(Buffer.from(value).toString('hex'), performance.now());
  }

  answered(sign: Buffer): () => number | undefined {
    return () => this.#at.get(sign.toString('hex'));
  }
}

/** Each kind by a router of its own, which may come ten times a minute. */
export async function measureFrames(own: OwnController, onRow: (row: FrameRow) => void): Promise<FrameRow[]> {
  const anonymous = new ApiClient(own.url);
  const admin = await anonymous.login(own.username, own.password);
  const rows: FrameRow[] = [];
  for (const [index, contentType] of worstKinds.entries()) {
    showProgress(`kind ${index + 1} of ${worstKinds.length}`);
    const id = await admin.create(`${MANAGEMENT}/edge-routers`, { name: `frames-${contentType}` });
    const credentials = await enrollRouter(admin, id);
    for (const frame of worstFramesOf(contentType)) {
      const signs = new Signs();
      const socket = await dial(own.url, { credentials });
      let isIn = false;
      const link = new RouterLink(socket, ({ headers }) => {
        isIn = true;
        signs.isDone ||= readInt32(headers, Header.ReplyFor) === 3;
        signs.note(headers.get(Header.HeartbeatResponse));
      });
      link.sayHello(id);
      while (!isIn && !link.isCut) await delay(5);
      const row = await measure(own, link, anonymous, frame, signs);
      rows.push(row);
      onRow(row);
      link.close();
    }
  }
  return rows;
}

export const frameHead = (): string =>
  ['others ms', '(quiet)', 'sign ms', 'cpu ms', 'MiB', 'peak', 'KiB', 'frame']
    .map((text) => text.padStart(9))
    .join(' ');

export const frameRow = (row: FrameRow): string =>
  [
    row.othersMs.toFixed(0),
    row.quietMs.toFixed(0),
    row.signMs?.toFixed(0) ?? '-',
    row.cpuMs.toFixed(0),
    row.beforeMiB,
    row.peakMiB,
    (row.bytes / 1024).toFixed(0),
  ]
    .map((text) => String(text).padStart(9))
    .join(' ') + ` ${row.isCut ? 'cut ' : 'kept'} ${row.name}`;
