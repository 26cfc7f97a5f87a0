/**
 * Traffic and dials by service, router and link, summed by the hour: kept in memory and added to the database once a
 * minute. What a controller that is killed has not written is lost.
 */
import { TrafficListeners } from '../../domain/fabric/traffic-feed.js';
import { couldBeId } from '../../domain/ids.js';
import type { UsageKind, UsageStore, UsageSum } from '../../db/stores/usage.js';
import type { RouterChannel } from '../channel/channel.js';
import type { NoteFailure } from '../channel/router-log.js';
import { MOST_BYTES } from './usage-in-metrics.js';
import type { ReportedUsage } from './usage-in-metrics.js';

export interface UsageOptions {
  readonly store: Pick<UsageStore, 'add'>;
  readonly noteFailure: NoteFailure;
  readonly nowMs?: () => number;
}

const HOUR_MS = 3_600_000;
const WRITE_EVERY_MS = 60_000;
/** Sums that wait to be written; what would be one more is not counted. */
const MOST_SUMS = 20_000;

type Count = 'bytesIn' | 'bytesOut' | 'dials' | 'failedDials';
type Counts = Readonly<Partial<Record<Count, number>>>;
type Sum = { -readonly [K in keyof UsageSum]: UsageSum[K] };

/** Counts of a router since it was first heard of. */
export interface RouterTotals {
  bytesIn: number;
  bytesOut: number;
  dials: number;
  failedDials: number;
}

/** Routers whose totals are kept, for metrics with a label for each. */
const MOST_TOTALS = 200;

/** A link as far as its traffic is concerned: the router that dialed it, then the other. */
export type FindLink = (id: string) => { readonly routers: readonly [string, string] } | undefined;

export class Usage {
  /** Readers of events. */
  readonly feed = new TrafficListeners();
  readonly #options: Required<UsageOptions>;
  readonly #timer: NodeJS.Timeout;
  /** Totals of links when the router of a channel last told them. */
  readonly #linkTotals = new WeakMap<RouterChannel, Map<string, number>>();
  readonly #routers = new Map<string, RouterTotals>();
  #sums = new Map<string, Sum>();
  #writing: Promise<void> = Promise.resolve();

  constructor(options: UsageOptions) {
    this.#options = { nowMs: Date.now, ...options };
    this.#timer = setInterval(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  /** Totals by id of the router, of the first that were heard of. */
  get routers(): ReadonlyMap<string, RouterTotals> {
    return this.#routers;
  }

  /** Takes over what a router reports; of links only what it has sent since its last report on this channel. */
  reported(channel: RouterChannel, { services, router, linkTotals }: ReportedUsage, link: FindLink): void {
    this.#add('router', channel.routerId, { bytesIn: router.in, bytesOut: router.out });
    for (const [id, bytes] of services)
      if (couldBeId(id)) this.#add('service', id, { bytesIn: bytes.in, bytesOut: bytes.out });
    const before = this.#linkTotals.get(channel);
    this.#linkTotals.set(channel, linkTotals);
    for (const [id, total] of linkTotals) {
      const bytes = Math.min(total - (before?.get(id) ?? total), MOST_BYTES);
      const end = link(id)?.routers.indexOf(channel.routerId) ?? -1;
      if (bytes > 0 && end >= 0) this.#add('link', id, end === 0 ? { bytesIn: bytes } : { bytesOut: bytes });
    }
  }

  dialed(kind: 'service' | 'router', id: string, isMade: boolean): void {
    if (kind === 'service') this.feed.dialed(id, isMade);
    this.#add(kind, id, isMade ? { dials: 1 } : { dials: 1, failedDials: 1 });
  }

  /** Writes what has come since the last time. */
  write(): Promise<void> {
    return (this.#writing = this.#writing.then(() => this.#writeNow()));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  async #writeNow(): Promise<void> {
    const sums = this.#sums;
    if (sums.size === 0) return;
    this.#sums = new Map();
    try {
      await this.#options.store.add([...sums.values()]);
    } catch (error) {
      for (const sum of sums.values()) this.#addTo(sum, sum);
      this.#options.noteFailure(error, {}, 'sums of traffic could not be written; it is tried again');
    }
  }

  #add(kind: UsageKind, entityId: string, counts: Counts): void {
    if (Object.values(counts).every((count) => count === 0)) return;
    if (kind === 'router') this.#addTotals(entityId, counts);
    const { nowMs } = this.#options;
    this.#addTo({ hour: new Date(Math.floor(nowMs() / HOUR_MS) * HOUR_MS), kind, entityId }, counts);
  }

  #addTotals(routerId: string, counts: Counts): void {
    const known = this.#routers.get(routerId);
    if (known === undefined && this.#routers.size >= MOST_TOTALS) return;
    const totals = known ?? { bytesIn: 0, bytesOut: 0, dials: 0, failedDials: 0 };
    this.#routers.set(routerId, totals);
    addCounts(totals, counts);
  }

  #addTo({ hour, kind, entityId }: Pick<UsageSum, 'hour' | 'kind' | 'entityId'>, counts: Counts): void {
    const key = `${hour.getTime()} ${kind} ${entityId}`;
    const known = this.#sums.get(key);
    if (known === undefined && this.#sums.size >= MOST_SUMS) return;
    const sum = known ?? { hour, kind, entityId, bytesIn: 0, bytesOut: 0, dials: 0, failedDials: 0 };
    this.#sums.set(key, sum);
    addCounts(sum, counts);
  }
}

function addCounts(sum: RouterTotals, { bytesIn = 0, bytesOut = 0, dials = 0, failedDials = 0 }: Counts): void {
  sum.bytesIn = Math.min(sum.bytesIn + bytesIn, Number.MAX_SAFE_INTEGER);
  sum.bytesOut = Math.min(sum.bytesOut + bytesOut, Number.MAX_SAFE_INTEGER);
  sum.dials += dials;
  sum.failedDials += failedDials;
}
