/**
 * Tells routers which clients with signed tokens have ended before their tokens: they close the connections of such
 * clients. A router that comes later is told those that count still, behind the whole state of its model.
 */
import { create } from '@bufbuild/protobuf';
import { inParts } from '../../domain/in-parts.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import { DataState_ChangeSetSchema, DataState_Action as Action } from '../../generated/fabric/data-model_pb.js';
import { Pace } from '../../domain/scheduling/pace.js';
import type { ClientEnd, ClientEndStore } from '../../db/stores/client-ends.js';
import type { ConnectedChannels, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';
import type { NoteFailure } from '../channel/router-log.js';

export interface ClientEndsOptions {
  readonly store: Pick<ClientEndStore, 'since'>;
  readonly channels: Pick<ConnectedChannels, 'all'>;
  /** How long an access token is good; 0 where no client has one. */
  readonly lifetimeSeconds: number;
  readonly noteFailure: NoteFailure;
}

/** An end is written before its transaction commits: a read looks back so far, and finds those that took long. */
const OVERLAP_SECONDS = 60;
/** Least time from one telling to the next, which takes 36 us for each router. */
const APART_MS = 50;
/** Ends in one message. */
const SLICE = 1_000;

const keyOf = ({ type, id, endedAt }: ClientEnd): string => `${type} ${id} ${endedAt.getTime()}`;

export class ClientEnds {
  readonly #options: ClientEndsOptions;
  readonly #known = new Map<string, ClientEnd>();
  /** Tell of all that are known; undefined until they are asked for after a change. */
  #messagesOfAll: readonly Message[] | undefined;
  readonly #pace = new Pace(APART_MS);
  readonly #reads = new CoalescedTask(() => this.#read());
  /** All are to be read, not only the last. */
  #areAllDue = true;

  constructor(options: ClientEndsOptions) {
    this.#options = options;
  }

  /** Some have ended here or at another controller. */
  changed(): void {
    if (this.#options.lifetimeSeconds > 0) this.#reads.schedule();
  }

  /** Some may have ended unheard. */
  readAll(): void {
    this.#areAllDue = true;
    this.changed();
  }

  /** Tells a router all that counts, as soon as it is known. */
  async tell(channel: RouterChannel): Promise<void> {
    if (this.#options.lifetimeSeconds === 0) return;
    if (this.#areAllDue) await this.#reads.runNow();
    this.#prune();
    this.#messagesOfAll ??= this.#messages([...this.#known.values()]);
    for (const message of this.#messagesOfAll) channel.send(message);
  }

  /** Waits for the read that is running. */
  close(): Promise<void> {
    return this.#reads.close();
  }

  async #read(): Promise<void> {
    const { store, channels, lifetimeSeconds, noteFailure } = this.#options;
    await this.#pace.turn();
    const wereAllDue = this.#areAllDue;
    this.#areAllDue = false;
    try {
      const found = await store.since(wereAllDue ? lifetimeSeconds + OVERLAP_SECONDS : OVERLAP_SECONDS);
      const fresh = found.filter((end) => !this.#known.has(keyOf(end)));
      for (const end of fresh) this.#known.set(keyOf(end), end);
      if (fresh.length > 0) this.#messagesOfAll = undefined;
      const messages = this.#messages(fresh);
      for (const channel of channels.all()) for (const message of messages) channel.send(message);
      this.#prune();
    } catch (error) {
      this.#areAllDue = true;
      noteFailure(error, {}, 'which clients have ended could not be read for routers; it is tried again');
    }
  }

  #prune(): void {
    const pastMs = Date.now() - (this.#options.lifetimeSeconds + 2 * OVERLAP_SECONDS) * 1000;
    for (const [key, { endedAt }] of this.#known) {
      if (endedAt.getTime() >= pastMs) continue;
      this.#known.delete(key);
      this.#messagesOfAll = undefined;
    }
  }

  #messages(ends: readonly ClientEnd[]): Message[] {
    return inParts(ends, SLICE).map((part) => {
      const changes = part.map((end) => this.#eventOf(end));
      const set = create(DataState_ChangeSetSchema, { isSynthetic: true, changes });
      return typedMessage(ContentType.DataStateChangeSet, DataState_ChangeSetSchema, set);
    });
  }

  #eventOf({ type, id, endedAt }: ClientEnd) {
    const endsMs = endedAt.getTime() + (this.#options.lifetimeSeconds + OVERLAP_SECONDS) * 1000;
    const value = { id, type, issuedBefore: timestampOf(endedAt.getTime()), expiresAt: timestampOf(endsMs) };
    return { action: Action.CREATE, isSynthetic: true, model: { case: 'revocation' as const, value } };
  }
}

const timestampOf = (ms: number) => ({ seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 });
