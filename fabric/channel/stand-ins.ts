/**
 * Channels by which a connected router reaches a controller that is gone, at this one in its place. A router asks about
 * the sessions of a client the controller that told it of them when the client came, by that controller's id, for as
 * long as the client stays: so somebody has to answer under that id. docs/decisions/0034 has the whole.
 *
 * What comes over such a channel is handled as if it had come over the router's own, and answered where it came from.
 */
import { createHash } from 'node:crypto';
import type { MessageRule, MessageTable } from './channel.js';
import { ContentType } from './content-types.js';
import type { Hello } from './hello.js';
import type { ChannelRegistry } from './registry.js';
import type { OpenChannel } from './router-channel.js';

const SECRET_BYTES = 16;

/** A router that lost the channel shows it again: so it is known again, by any process. It opens nothing by itself. */
const secretOf = (routerId: string, controllerId: string): Buffer =>
  createHash('sha256').update(`stand-in\0${routerId}\0${controllerId}`).digest().subarray(0, SECRET_BYTES);

export class StandIns {
  readonly #channels = new Map<string, Map<string, OpenChannel>>();

  /** @param ids  of the controllers in whose place this one is found */
  constructor(private readonly ids: () => readonly string[]) {}

  /** The id for which a router that is connected here could come again; undefined when it has a channel for each. */
  free(routerId: string): string | undefined {
    const taken = this.#channels.get(routerId);
    return this.ids().find((id) => taken?.has(id) !== true);
  }

  /** The id for which a router comes back; undefined when it comes for this controller itself. */
  known({ routerId, groupSecret }: Hello): string | undefined {
    if (groupSecret === undefined) return undefined;
    return this.ids().find((id) => secretOf(routerId, id).equals(groupSecret));
  }

  /** The hello as if the router had brought the secret of this channel. */
  named(hello: Hello, id: string): Hello {
    return { ...hello, groupSecret: secretOf(hello.routerId, id) };
  }

  add(id: string, channel: OpenChannel): void {
    const ofRouter = this.#channels.get(channel.routerId) ?? new Map<string, OpenChannel>();
    this.#channels.set(channel.routerId, ofRouter);
    ofRouter.get(id)?.close('the router came again');
    ofRouter.set(id, channel);
  }

  remove(channel: OpenChannel): void {
    const ofRouter = this.#channels.get(channel.routerId);
    for (const [id, each] of ofRouter ?? []) if (each === channel) ofRouter?.delete(id);
    if (ofRouter?.size === 0) this.#channels.delete(channel.routerId);
  }

  all(): OpenChannel[] {
    return [...this.#channels.values()].flatMap((ofRouter) => [...ofRouter.values()]);
  }

  /** Ends the channels of a router that is not connected any more: it may not be let in again. */
  closeOf(routerId: string, reason: string): void {
    for (const channel of [...(this.#channels.get(routerId)?.values() ?? [])]) channel.close(reason);
  }

  /** Ends the channels of controllers that are not stood in for any more. */
  closeOthers(): void {
    const ids = this.ids();
    for (const ofRouter of [...this.#channels.values()])
      for (const [id, channel] of [...ofRouter])
        if (!ids.includes(id)) channel.close('the controller that the router asks for is found elsewhere');
  }
}

/** Kinds that are about one channel alone. */
const OF_CHANNEL = new Set<number>([ContentType.SubscribeToDataModel]);

/** Rules for messages of such channels. */
export function standInTable(table: MessageTable, registry: Pick<ChannelRegistry, 'get'>): MessageTable {
  const ruled = (rule: MessageRule): MessageRule => ({
    ...rule,
    handle: (frame, channel) => {
      const own = registry.get(channel.routerId);
      return own === undefined ? undefined : rule.handle({ ...frame, over: channel }, own);
    },
    ...(rule.refuse === undefined ? {} : { refuse: rule.refuse }),
  });
  return new Map([...table].map(([kind, rule]) => [kind, OF_CHANNEL.has(kind) ? rule : ruled(rule)]));
}
