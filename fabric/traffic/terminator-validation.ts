/**
 * Asks routers whether they still have the terminators that are stored for them: all when a router connects, and each
 * new one soon after it was made. One that its router denies is removed; no answer means that it is asked again.
 */
import { create } from '@bufbuild/protobuf';
import type { Stores } from '../../db/stores/stores.js';
import { ValidateTerminatorsV2RequestSchema } from '../../generated/fabric/control_pb.js';
import type { RouterTerminatorState } from '../../generated/fabric/control_pb.js';
import type { RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { typedMessage } from '../channel/frame.js';
import type { SessionWatch } from './session-watch.js';

interface Doubt {
  readonly binding: string;
  readonly address: string;
  /** Young ones are asked about when they have been there for a while. */
  readonly notBeforeMs: number;
  readonly postCreate: boolean;
  /** Marker of the question that is out; 0 when none is. */
  marker: bigint;
  askedMs: number;
}

const YOUNG_MS = 5_000;
const ASK_AGAIN_MS = 30_000;
const PAGE = 1_000;
const MOST_AT_A_TIME = 1_000;
/** A router that never answers must not make us keep doubts without bound. */
const MOST_DOUBTS = 100_000;

export class TerminatorValidation {
  readonly #byChannel = new Map<RouterChannel, Map<string, Doubt>>();
  #markers = 0n;

  /** @param now  in milliseconds, by a clock that is never set back */
  constructor(
    private readonly terminators: Stores['hostedTerminators'],
    private readonly now: () => number,
    /** Hears of the hosts of terminators that are stored for a router that has just connected. */
    private readonly sessions: Pick<SessionWatch, 'named'>,
  ) {}

  /** Takes up the router: nothing of it is in doubt. */
  routerConnected(channel: RouterChannel): void {
    this.#byChannel.set(channel, new Map());
  }

  /** Puts everything in doubt that is stored for the router, and asks it. @throws what the database does */
  async doubtStored(channel: RouterChannel): Promise<void> {
    for (let after = '', page = PAGE; page === PAGE && !channel.isClosed;) {
      const found = await this.terminators.hostedOn(channel.routerId, after, PAGE);
      for (const { id, binding, address } of found)
        this.#doubt(channel, id, { binding, address, notBeforeMs: this.now(), postCreate: false });
      const sessionIds = new Set(found.flatMap(({ sessionId }) => sessionId ?? []));
      if (!channel.isClosed && sessionIds.size > 0) void this.sessions.named(channel.routerId, [...sessionIds]);
      after = found.at(-1)?.id ?? after;
      page = found.length;
    }
    this.ask(channel);
  }

  routerLost(channel: RouterChannel): void {
    this.#byChannel.delete(channel);
  }

  /** Takes note that the router has just made it, or made it again: earlier answers do not count. */
  created(channel: RouterChannel, terminator: { id: string; binding: string; address: string }): void {
    const { id, binding, address } = terminator;
    this.#doubt(channel, id, { binding, address, notBeforeMs: this.now() + YOUNG_MS, postCreate: true });
  }

  removed(channel: RouterChannel, ids: readonly string[]): void {
    const doubts = this.#byChannel.get(channel);
    for (const id of ids) doubts?.delete(id);
  }

  askAll(): void {
    for (const channel of this.#byChannel.keys()) this.ask(channel);
  }

  /** Sends the questions that are due. */
  ask(channel: RouterChannel): void {
    const nowMs = this.now();
    const due = [...(this.#byChannel.get(channel) ?? [])]
      .filter(([, { notBeforeMs, marker, askedMs }]) =>
        marker === 0n ? notBeforeMs <= nowMs : askedMs + ASK_AGAIN_MS <= nowMs,
      )
      .slice(0, MOST_AT_A_TIME);
    for (const postCreate of [true, false]) {
      const part = due.filter(([, doubt]) => doubt.postCreate === postCreate);
      if (part.length === 0) continue;
      const terminators = part.map(([id, doubt]) => {
        doubt.marker = this.#markers += 1n;
        doubt.askedMs = nowMs;
        return { id, binding: doubt.binding, address: doubt.address, marker: doubt.marker };
      });
      const body = create(ValidateTerminatorsV2RequestSchema, { terminators, fixInvalid: true, postCreate });
      channel.send(typedMessage(ContentType.ValidateTerminatorsV2, ValidateTerminatorsV2RequestSchema, body));
    }
  }

  /** @returns the ids of those that the router denies, which are then removed. */
  async answered(channel: RouterChannel, states: Readonly<Record<string, RouterTerminatorState>>): Promise<string[]> {
    const doubts = this.#byChannel.get(channel);
    const denied: string[] = [];
    for (const [id, { valid, marker }] of Object.entries(states)) {
      const doubt = doubts?.get(id);
      if (doubt === undefined || doubt.marker === 0n || doubt.marker !== marker) continue;
      doubts?.delete(id);
      if (!valid) denied.push(id);
    }
    return denied.length === 0 ? [] : this.terminators.remove(denied, channel.routerId);
  }

  #doubt(channel: RouterChannel, id: string, doubt: Omit<Doubt, 'marker' | 'askedMs'>): void {
    const doubts = this.#byChannel.get(channel);
    if (doubts === undefined || (doubts.size >= MOST_DOUBTS && !doubts.has(id))) return;
    doubts.set(id, { ...doubt, marker: 0n, askedMs: 0 });
  }
}
