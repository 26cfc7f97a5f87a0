/**
 * Writes which routers this process holds, for all controllers to read. Changes are written together, one batch after
 * another: as soon as the one before is written. When a batch fails, everything is written again.
 */
import type { Logger } from 'pino';
import type { RouterChannelRow, RouterChannelStore } from '../../db/stores/router-channels.js';

export type Presence = Omit<RouterChannelRow, 'routerId'>;

export interface PresenceWriter {
  /** What is known of a router from now on. */
  set(routerId: string, presence: Presence): void;
  /** It is not connected here any more. */
  drop(routerId: string): void;
  /** What was given so far is written, or will be after a failure. */
  settled(): Promise<void>;
  /** Takes all of them out. */
  close(): Promise<void>;
}

export interface PresenceOptions {
  readonly store: RouterChannelStore;
  readonly hostId: string;
  readonly controllerId: string;
  readonly log: Logger;
  /** Between signs of life. */
  readonly beatMs?: number;
  /** With each sign of life. */
  readonly onBeat?: () => void;
}

const BEAT_MS = 1_000;

/** Joins when the first router comes: a controller without routers writes nothing. */
export function createPresenceWriter(options: PresenceOptions): PresenceWriter {
  const { store, hostId, controllerId, log, beatMs = BEAT_MS, onBeat } = options;
  const known = new Map<string, Presence>();
  const changed = new Set<string>();
  let isJoined = false;
  let isClosed = false;
  let isFailing = false;
  let running: Promise<void> | undefined;

  const writeAgain = () => {
    isJoined = false;
    for (const routerId of known.keys()) changed.add(routerId);
  };
  const write = async () => {
    if (!isJoined) {
      await store.join(hostId, controllerId);
      isJoined = true;
      for (const routerId of known.keys()) changed.add(routerId);
    }
    while (changed.size > 0 && !isClosed) {
      const ids = [...changed];
      changed.clear();
      const present = ids.flatMap((routerId) => {
        const presence = known.get(routerId);
        return presence === undefined ? [] : [{ routerId, ...presence }];
      });
      const gone = ids.filter((routerId) => !known.has(routerId));
      await store.write(hostId, present, gone);
    }
  };
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      if (isFailing) log.info('which routers are connected is written again');
      isFailing = false;
    } catch (error) {
      writeAgain();
      if (!isFailing) log.warn({ err: error }, 'which routers are connected could not be written; it is tried again');
      isFailing = true;
    }
  };
  const run = (work: () => Promise<void>) =>
    (running ??= attempt(work).finally(() => {
      running = undefined;
      if (changed.size > 0 && !isFailing) flush();
    }));
  const flush = () => {
    if (!isClosed) void run(write);
  };
  const beat = async () => {
    onBeat?.();
    if (running !== undefined || (known.size === 0 && !isJoined)) return;
    await run(async () => {
      if (isJoined && !(await store.touch(hostId))) writeAgain();
      await write();
    });
  };
  const timer = setInterval(() => void beat(), beatMs).unref();

  return {
    set(routerId, presence) {
      known.set(routerId, presence);
      changed.add(routerId);
      flush();
    },
    drop(routerId) {
      known.delete(routerId);
      changed.add(routerId);
      flush();
    },
    async settled() {
      while (running !== undefined) await running;
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      while (running !== undefined) await running;
      if (isJoined) await store.leave(hostId).catch(() => undefined);
    },
  };
}
