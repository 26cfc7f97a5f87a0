/** What clients saw during one event. Times are milliseconds of `performance.now()`. */
import type { Answer } from '../bench/api-client.js';

export class Tally {
  /** Created, by name; the value is the id that was answered. */
  readonly acknowledged = new Map<string, string>();
  /** Answers that no failover explains, and how often each came. */
  readonly unexpected = new Map<string, number>();
  /** Of creates that were not acknowledged. */
  readonly refusedNames: string[] = [];
  creates = 0;
  refused = 0;
  reads = 0;
  refusedReads = 0;
  /** Reads of an acknowledged identity that did not find it. */
  staleReads = 0;
  looks = 0;
  notReadyLooks = 0;
  longestGapMs = 0;
  /** Of a create that was not acknowledged. */
  lastRefusalAt: number | undefined;
  /** Of the first create that was acknowledged after the last that was not. */
  healedAt: number | undefined;
  lastId: string | undefined;
  /** Of the refused creates, those that were answered TIMEOUT. */
  timeouts = 0;
  /** How long a create took that was refused. */
  slowestRefusalMs = 0;
  logins = 0;
  refusedLogins = 0;
  /** Requests whose connection broke, where that may happen. */
  cuts = 0;
  #lastAcknowledgedAt: number;

  /** @param allowsCuts  what serves the requests is killed: a connection that breaks is no surprise */
  constructor(
    now: number,
    private readonly allowsCuts = false,
  ) {
    this.#lastAcknowledgedAt = now;
  }

  /** @param answer  undefined: the connection broke */
  created(name: string, answer: Answer | undefined, now: number, tookMs = 0): void {
    this.creates += 1;
    if (answer?.status === 201) {
      this.lastId = (answer.data as { id: string }).id;
      this.acknowledged.set(name, this.lastId);
      this.healedAt ??= now;
      this.longestGapMs = Math.max(this.longestGapMs, now - this.#lastAcknowledgedAt);
      this.#lastAcknowledgedAt = now;
      return;
    }
    this.refusedNames.push(name);
    this.lastRefusalAt = now;
    this.healedAt = undefined;
    this.slowestRefusalMs = Math.max(this.slowestRefusalMs, tookMs);
    if (answer?.status !== 503) {
      this.surprise('create', answer);
      return;
    }
    this.refused += 1;
    if ((answer.json as { error?: { code?: string } }).error?.code === 'TIMEOUT') this.timeouts += 1;
  }

  read(answer: Answer | undefined): void {
    this.reads += 1;
    if (answer?.status === 503) this.refusedReads += 1;
    else if (answer?.status === 404) this.staleReads += 1;
    else if (answer?.status !== 200) this.surprise('read', answer);
  }

  loggedIn(answer: Answer | undefined): void {
    this.logins += 1;
    if (answer?.status === 503) this.refusedLogins += 1;
    else if (answer?.status !== 200) this.surprise('login', answer);
  }

  looked(answer: Answer | undefined): void {
    this.looks += 1;
    if (answer?.status === 503) this.notReadyLooks += 1;
    else if (answer?.status !== 200) this.surprise('readyz', answer);
  }

  surprise(what: string, answer: Answer | undefined): void {
    if (answer === undefined && this.allowsCuts) {
      this.cuts += 1;
      return;
    }
    const body = JSON.stringify(answer?.json)?.slice(0, 200) ?? '';
    const shown = answer === undefined ? 'the connection broke' : `${answer.status} ${body}`;
    const seen = `${what}: ${shown}`;
    this.unexpected.set(seen, (this.unexpected.get(seen) ?? 0) + 1);
  }
}
