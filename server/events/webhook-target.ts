/**
 * Delivers events to one target, one after the other: the next one leaves when the one before has arrived, or is a dead
 * letter. Where it is, is written down once a second while all goes well, so that after a kill the last second's are
 * sent again, with the same ids.
 */
import type { EventStore } from '../../db/stores/event-batches.js';
import type { DueLetter, Lease, Progress, WebhookDeliveries } from '../../db/stores/webhook-deliveries.js';
import type { EventMessage } from '../../domain/events/event.js';
import { kindFilter } from '../../domain/events/kinds.js';
import { isBefore } from '../../domain/events/position.js';
import type { EventPosition } from '../../domain/events/position.js';
import { WakeableDelay } from '../../domain/scheduling/wakeable-delay.js';
import { pauseAfter, signedHeaders } from '../../domain/webhooks/webhook.js';
import type { Logger } from '../base/log.js';
import type { Outgoing } from '../sockets/outgoing.js';
import { OutgoingFault } from '../sockets/outgoing.js';
import { noteFailure } from '../base/outage-log.js';
import { sharedPage } from './recent-pages.js';
import type { RecentPages, SharedEvent } from './recent-pages.js';

/** Events that were read for all targets of this process. */
export interface KnownEvents {
  /** The last batch that is known to be closed. */
  readonly last: number;
  readonly timeline: string;
  readonly pages: Pick<RecentPages, 'after'>;
}

export interface TargetOptions {
  readonly holder: string;
  readonly events: EventStore;
  readonly webhooks: WebhookDeliveries;
  readonly outgoing: Pick<Outgoing, 'post'>;
  readonly secret: Buffer;
  readonly newId: () => string;
  readonly timeoutMs: number;
  readonly retryForMs: number;
  readonly known: () => KnownEvents;
  readonly log: Logger;
}

const PAGE = 100;
const SAVE_MS = 1_000;
const DUE_AT_ONCE = 10;
const AGENT = 'edge-controller';
/** Pause after a fault of the database. */
const REST_MS = 1_000;
/** The target never takes an event of this size: others must not wait a day for it. */
const TOO_LARGE = 413;

/** Why an event did not arrive. */
interface Fault {
  readonly text: string;
  /** It will not, however often it is sent. */
  readonly isFinal: boolean;
}

export class WebhookTarget {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #position: EventPosition;
  #deliveredAt: Date | null = null;
  #attempts: number;
  #failingSince: Date | null;
  #nextAttemptAt: Date | null;
  #lastError: string | null = null;
  /** The part of `#position` that is written down. */
  #saved: EventPosition;
  #savedAt = 0;
  #hasDue: boolean;
  readonly #delay = new WakeableDelay();

  constructor(
    readonly lease: Lease,
    readonly options: TargetOptions,
  ) {
    this.#position = lease.position;
    this.#saved = lease.position;
    this.#attempts = lease.attempts;
    this.#failingSince = lease.failingSince;
    this.#nextAttemptAt = lease.nextAttemptAt;
    this.#hasDue = lease.hasDue;
    this.#running = this.#run();
  }

  /** There may be more to deliver. */
  schedule(hasDue = false): void {
    this.#hasDue ||= hasDue;
    this.#delay.wake();
  }

  /** Ends what is under way, and writes down how far it got. */
  async close(): Promise<void> {
    this.#end();
    await this.#running;
  }

  /** It ended by itself: another one has the lease. */
  get isClosed(): boolean {
    return this.#isStopped;
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  #end(): void {
    this.#stop.abort();
    this.#delay.wake();
  }

  async #run(): Promise<void> {
    const { log } = this.options;
    while (!this.#isStopped) {
      try {
        await this.#turn();
      } catch (error) {
        noteFailure(log, error, 'events could not be delivered; it is tried again', { webhookId: this.lease.id });
        await this.#delay.wait(REST_MS);
      }
    }
    try {
      await this.#save(true);
    } catch (error) {
      noteFailure(log, error, 'how far deliveries got could not be written down', { webhookId: this.lease.id });
    }
  }

  async #turn(): Promise<void> {
    const { events, known } = this.options;
    if (this.#hasDue) await this.#sendDue();
    const { last, timeline, pages } = known();
    if (this.#position.batch > last) {
      await this.#save(true);
      await this.#delay.wait(SAVE_MS * 10);
      return;
    }
    // One that is far behind reads by itself.
    const page = pages.after(this.#position) ?? sharedPage(await events.after(this.#position, last, PAGE), timeline);
    const matches = kindFilter(this.lease.kinds);
    for (const event of page.events) {
      if (this.#isStopped) return;
      if (matches(event.kind)) await this.#deliver(event);
      else this.#position = event.position;
      if (isBefore(this.#position, event.position)) return; // it was not delivered: stopped, or woken
      await this.#save(false);
      if (this.#hasDue) await this.#sendDue();
    }
    this.#position = page.end;
  }

  /** Tries until the event has arrived, is a dead letter, or this target is closed. */
  async #deliver(event: SharedEvent): Promise<void> {
    while (!this.#isStopped) {
      const wait = (this.#nextAttemptAt?.getTime() ?? 0) - Date.now();
      if (wait > 0) {
        await this.#delay.wait(wait);
        if (this.#hasDue) await this.#sendDue();
        continue;
      }
      const fault = await this.#post(event.message);
      if (this.#isStopped && fault !== undefined) return;
      if (fault === undefined) {
        const wasFailing = this.#failingSince !== null;
        this.#arrived(event.position);
        if (wasFailing) await this.#save(true);
        return;
      }
      this.#failed(fault.text);
      if (await this.#bury(event, fault)) return;
      await this.#save(true);
    }
  }

  #arrived(position: EventPosition): void {
    this.#position = position;
    this.#deliveredAt = new Date();
    this.#attempts = 0;
    this.#failingSince = null;
    this.#nextAttemptAt = null;
    this.#lastError = null;
  }

  #failed(fault: string): void {
    const { log } = this.options;
    if (this.#failingSince === null)
      log.warn({ webhookId: this.lease.id, reason: fault }, 'a webhook does not take events; they wait for it');
    this.#attempts += 1;
    this.#failingSince ??= new Date();
    this.#lastError = fault;
    this.#nextAttemptAt = new Date(Date.now() + pauseAfter(this.#attempts));
  }

  /** @returns whether it was time to */
  async #bury({ position, kind, message: { id, body } }: SharedEvent, { isFinal }: Fault): Promise<boolean> {
    const { webhooks, holder, newId, retryForMs, log } = this.options;
    const [firstFailedAt, lastError] = [this.#failingSince, this.#lastError];
    if (firstFailedAt === null || lastError === null) return false;
    if (!isFinal && Date.now() - firstFailedAt.getTime() < retryForMs) return false;
    const letter = { id: newId(), eventId: id, kind, body, attempts: this.#attempts, firstFailedAt, lastError };
    this.#position = position;
    this.#attempts = 0;
    // The next one is tried at once, and fails for good only after its own time.
    this.#failingSince = null;
    this.#nextAttemptAt = null;
    if (!(await webhooks.bury(holder, this.lease.id, letter, this.#progress()))) this.#end();
    this.#saved = position;
    log.warn({ webhookId: this.lease.id, eventId: id, reason: lastError }, 'an event became a dead letter');
    return true;
  }

  async #post(message: EventMessage): Promise<Fault | undefined> {
    const { outgoing, secret, timeoutMs } = this.options;
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(message.body)),
      'user-agent': AGENT,
      ...signedHeaders(message, secret, Date.now()),
    };
    try {
      const status = await outgoing.post(this.lease.url, { headers, body: message.body, timeoutMs }, this.#stop.signal);
      if (status >= 200 && status < 300) return undefined;
      return { text: `the answer has status ${status}`, isFinal: status === TOO_LARGE };
    } catch (error) {
      if (!(error instanceof OutgoingFault)) throw error;
      const code = (error.cause as { code?: unknown } | undefined)?.code;
      const text = typeof code === 'string' && code !== 'ABORT_ERR' ? `${error.message}: ${code}` : error.message;
      return { text, isFinal: false };
    }
  }

  /** Dead letters that are to be sent again. */
  async #sendDue(): Promise<void> {
    const { webhooks } = this.options;
    this.#hasDue = false;
    for (;;) {
      const letters = await webhooks.due(this.lease.id, DUE_AT_ONCE);
      for (const letter of letters) {
        if (this.#isStopped) return;
        await this.#sendLetter(letter);
      }
      if (letters.length < DUE_AT_ONCE) return;
    }
  }

  async #sendLetter({ id, eventId, body }: DueLetter): Promise<void> {
    const { webhooks } = this.options;
    const fault = await this.#post({ id: eventId, body });
    if (fault === undefined) await webhooks.dropLetter(id);
    else if (!this.#isStopped) await webhooks.keepLetter(id, fault.text);
  }

  #progress(): Progress {
    return {
      position: this.#position,
      deliveredAt: this.#deliveredAt,
      attempts: this.#attempts,
      failingSince: this.#failingSince,
      nextAttemptAt: this.#nextAttemptAt,
      lastError: this.#lastError,
    };
  }

  /** @param isNow  else once a second */
  async #save(isNow: boolean): Promise<void> {
    const { webhooks, holder } = this.options;
    const now = performance.now();
    if (this.#saved === this.#position && this.#failingSince === null) return;
    if (!isNow && now - this.#savedAt < SAVE_MS) return;
    const position = this.#position;
    this.#savedAt = now;
    if (await webhooks.save(holder, this.lease.id, this.#progress())) this.#saved = position;
    else this.#end(); // another controller delivers now, or the target is gone
  }
}
