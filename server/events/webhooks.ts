/**
 * Targets that this process delivers to: those that it leases. Each target is leased by one process of the network at
 * a time, who renews the lease while it lives; when it does not any more, another one goes on where it was.
 */
import { randomBytes } from 'node:crypto';
import type { EventPage, EventStore } from '../../db/stores/event-batches.js';
import type { Lease, WebhookDeliveries } from '../../db/stores/webhook-deliveries.js';
import type { EventPosition } from '../../domain/events/position.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import { webhookContext } from '../../domain/webhooks/secret-context.js';
import type { EventListener, EventReader } from './event-reader.js';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';
import type { Outgoing } from '../sockets/outgoing.js';
import { RecentPages, sharedPage } from './recent-pages.js';
import { WebhookTarget } from './webhook-target.js';
import type { KnownEvents } from './webhook-target.js';

export interface WebhookOptions {
  readonly events: EventStore;
  readonly webhooks: WebhookDeliveries;
  readonly reader: Pick<EventReader, 'listen'>;
  readonly outgoing: Pick<Outgoing, 'post'>;
  readonly secrets: Pick<KeyRing, 'open'>;
  readonly newId: () => string;
  readonly timeoutMs: number;
  readonly retryForMs: number;
  readonly log: Logger;
}

const LEASE_SECONDS = 8;
const LEASE_EVERY_MS = 2_500;
/** Targets that are taken at a time: so those that were left behind are shared. */
const TAKEN_AT_ONCE = 20;

/** Events that were read while this process has targets: each page once for all of them. */
class ReadEvents implements EventListener, KnownEvents {
  readonly pages: RecentPages;
  timeline = '';
  stop: () => void = () => undefined;
  #last: number;

  constructor(
    start: EventPosition,
    private readonly onRead: () => void,
    readonly lost: () => void,
  ) {
    this.pages = new RecentPages(start);
    this.#last = start.batch - 1;
  }

  /** The last batch that is known to be closed. */
  get last(): number {
    return this.#last;
  }

  read(page: EventPage, timeline: string): void {
    this.pages.add(sharedPage(page, timeline));
    this.isClosed(page.end.seq === 0 ? page.end.batch - 1 : page.end.batch);
    this.onRead();
  }

  isClosed(batch: number): void {
    this.#last = Math.max(this.#last, batch);
  }
}

export class Webhooks {
  readonly #holder = randomBytes(12).toString('hex');
  readonly #targets = new Map<string, WebhookTarget>();
  readonly #turns: CoalescedTask<void>;
  readonly #timer: NodeJS.Timeout;
  #read: ReadEvents | undefined;

  constructor(private readonly options: WebhookOptions) {
    this.#turns = new CoalescedTask(() => this.#turn());
    this.#timer = setInterval(() => {
      this.#turns.schedule();
    }, LEASE_EVERY_MS).unref();
    this.#turns.schedule();
  }

  /** Targets have changed, or there is something to send again. */
  changed(): void {
    this.#turns.schedule();
  }

  async close(): Promise<void> {
    const { webhooks, log } = this.options;
    clearInterval(this.#timer);
    await this.#turns.close();
    this.#stopReading();
    await this.#closeTargets([...this.#targets.keys()]);
    try {
      await webhooks.release(this.#holder);
    } catch (error) {
      noteFailure(log, error, 'the leases of webhooks could not be given back');
    }
  }

  /** Renews the leases, and delivers to what is leased. */
  async #turn(): Promise<void> {
    const { webhooks, log } = this.options;
    try {
      const leases = await webhooks.lease(this.#holder, LEASE_SECONDS, TAKEN_AT_ONCE);
      const closed = await this.#closeOld(leases);
      if (leases.length === 0) {
        this.#stopReading();
        return;
      }
      const read = (this.#read ??= await this.#beginReading());
      for (const lease of leases) {
        const target = this.#targets.get(lease.id);
        if (closed.has(lease.id)) continue;
        if (target !== undefined) target.schedule(lease.hasDue);
        else if (!this.#turns.isClosed) this.#open(lease, read);
      }
      // A target that was closed just now has written down where it is: that is not in its lease yet.
      if (leases.some(({ id }) => closed.has(id))) this.#turns.schedule();
    } catch (error) {
      noteFailure(log, error, 'the leases of webhooks could not be renewed; it is tried again');
    }
  }

  /** @returns the ids of targets that were closed: changed, ended, or leased by another process */
  async #closeOld(leases: readonly Lease[]): Promise<ReadonlySet<string>> {
    const leased = new Map(leases.map((lease) => [lease.id, lease]));
    const old = [...this.#targets].filter(([id, target]) => {
      const lease = leased.get(id);
      return lease === undefined || lease.version !== target.lease.version || target.isClosed;
    });
    const ids = old.map(([id]) => id);
    await this.#closeTargets(ids);
    return new Set(ids);
  }

  async #closeTargets(ids: readonly string[]): Promise<void> {
    const closing = ids.flatMap((id) => this.#targets.get(id) ?? []);
    for (const id of ids) this.#targets.delete(id);
    await Promise.all(closing.map((target) => target.close()));
  }

  async #beginReading(): Promise<ReadEvents> {
    const { reader, events } = this.options;
    const onRead = () => {
      for (const target of this.#targets.values()) target.schedule();
    };
    const onLost = () => {
      void this.#closeTargets([...this.#targets.keys()]);
      this.#stopReading();
    };
    const { listener, stop } = await reader.listen((start) => new ReadEvents(start, onRead, onLost));
    const { timeline, last } = await events.range();
    listener.timeline = timeline;
    listener.isClosed(last);
    listener.stop = stop;
    return listener;
  }

  #stopReading(): void {
    this.#read?.stop();
    this.#read = undefined;
  }

  #open(lease: Lease, read: ReadEvents): void {
    const { secrets, log } = this.options;
    let secret: Buffer;
    try {
      secret = secrets.open(lease.sealedSecret, webhookContext(lease.id));
    } catch (error) {
      log.error({ webhookId: lease.id, err: error }, 'the secret of a webhook does not open: set another one');
      return;
    }
    // A failover may have lost earlier batches: delivery then continues with what exists.
    const isAhead = lease.position.batch > read.last + 1;
    const position = isAhead ? { batch: read.last + 1, seq: 0 } : lease.position;
    const options = { ...this.options, holder: this.#holder, secret, known: () => this.#read ?? read };
    this.#targets.set(lease.id, new WebhookTarget({ ...lease, position }, options));
  }
}
