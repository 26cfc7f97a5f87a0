/**
 * The peers that routers are told of when they come, in messages that all of them share: thousands that come at once
 * would each have a copy of all others made.
 */
import type { Message } from '../channel/frame.js';
import { peersMessage } from './link-messages.js';

/** Peers in one message. */
export const PEERS_IN_MESSAGE = 500;

interface Page {
  /** Bodies by id of the router. */
  readonly bodies: Map<string, Uint8Array>;
  /** undefined until it is asked for after a change. */
  message: Message | undefined;
}

export class PeerPages {
  readonly #pages: Page[] = [];
  readonly #pageOf = new Map<string, Page>();

  /** @param body  tells of the router alone */
  set(routerId: string, body: Uint8Array): void {
    const page = this.#pageOf.get(routerId) ?? this.#pageWithRoom();
    page.bodies.set(routerId, body);
    page.message = undefined;
    this.#pageOf.set(routerId, page);
  }

  delete(routerId: string): void {
    const page = this.#pageOf.get(routerId);
    if (page === undefined) return;
    page.bodies.delete(routerId);
    page.message = undefined;
    this.#pageOf.delete(routerId);
  }

  /** The messages that tell of all. */
  messages(): Message[] {
    return this.#pages
      .filter(({ bodies }) => bodies.size > 0)
      .map((page) => (page.message ??= peersMessage([...page.bodies.values()])));
  }

  #pageWithRoom(): Page {
    const found = this.#pages.find(({ bodies }) => bodies.size < PEERS_IN_MESSAGE);
    if (found !== undefined) return found;
    const page: Page = { bodies: new Map(), message: undefined };
    this.#pages.push(page);
    return page;
  }
}
