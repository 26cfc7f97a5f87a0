/**
 * When API sessions were last used, as far as the database does not know it yet. Requests of their clients and what
 * routers report are kept apart: the second alone does not keep a session for ever (db/stores/api-sessions.ts).
 */
import type { Activity, TouchedSession } from '../../db/stores/api-session-activity.js';

/** Times in milliseconds. */
interface SessionUse {
  at: number;
  /** The latest request; null when routers alone reported a use. */
  requestedAt: number | null;
}

interface RestingUse extends SessionUse {
  /** Time of the next write. */
  readonly dueMs: number;
}

const latest = (left: SessionUse, right: SessionUse | undefined): SessionUse => {
  if (right === undefined) return left;
  const requestedAt = Math.max(left.requestedAt ?? 0, right.requestedAt ?? 0);
  return { at: Math.max(left.at, right.at), requestedAt: requestedAt === 0 ? null : requestedAt };
};

export class SessionActivity {
  #fresh = new Map<string, SessionUse>();
  /** Uses of sessions whose activity was written a short while ago. */
  readonly #resting = new Map<string, RestingUse>();

  requested(id: string, now: number): void {
    const use = this.#fresh.get(id);
    if (use === undefined) this.#fresh.set(id, { at: now, requestedAt: now });
    else {
      use.at = now;
      use.requestedAt = now;
    }
  }

  reported(id: string, now: number): void {
    const use = this.#fresh.get(id);
    if (use === undefined) this.#fresh.set(id, { at: now, requestedAt: null });
    else use.at = now;
  }

  /** The latest request that is not written yet; 0 when there is none. */
  lastRequestOf(id: string): number {
    return this.#fresh.get(id)?.requestedAt ?? this.#resting.get(id)?.requestedAt ?? 0;
  }

  forget(id: string): void {
    this.#fresh.delete(id);
    this.#resting.delete(id);
  }

  /** Returns what is to be written now. @param isLast  what rests is written too */
  take(now: number, isLast: boolean): ReadonlyMap<string, SessionUse> {
    const batch = new Map<string, SessionUse>();
    for (const [id, use] of this.#fresh) batch.set(id, latest(use, this.#resting.get(id)));
    for (const [id, use] of this.#resting) if ((isLast || use.dueMs <= now) && !batch.has(id)) batch.set(id, use);
    this.#fresh = new Map();
    return batch;
  }

  /** The database has it, or says when it wants to have it. */
  written(batch: ReadonlyMap<string, SessionUse>, touched: ReadonlyMap<string, TouchedSession>, now: number): void {
    for (const [id, { at, requestedAt }] of batch) {
      const waitsMs = (touched.get(id)?.waitsSeconds ?? 0) * 1000;
      if (waitsMs > 0) this.#resting.set(id, { at, requestedAt, dueMs: now + waitsMs });
      else this.#resting.delete(id);
    }
  }

  /** It was not written. */
  failed(batch: ReadonlyMap<string, SessionUse>): void {
    for (const [id, use] of batch) this.#fresh.set(id, latest({ ...use }, this.#fresh.get(id)));
  }
}

/** Returns the form that the store takes. */
export const activityOf = (batch: ReadonlyMap<string, SessionUse>): Map<string, Activity> =>
  new Map(
    [...batch].map(([id, { at, requestedAt }]) => [
      id,
      { at: new Date(at), requestedAt: requestedAt === null ? null : new Date(requestedAt) },
    ]),
  );
