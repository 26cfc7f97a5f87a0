/** Reads what operators set on links: at the start, and whenever a controller announces that it is something else. */
import type { LinkStore } from '../../db/stores/links.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { NoteFailure } from '../channel/router-log.js';
import type { KnownLinks } from './links.js';

export interface LinkSettingsOptions {
  readonly store: Pick<LinkStore, 'settings' | 'sweepSettings'>;
  readonly links: Pick<KnownLinks, 'configure'>;
  readonly noteFailure: NoteFailure;
}

const SWEEP_EVERY_MS = 60 * 60_000;

export class LinkSettingsReader {
  readonly #options: LinkSettingsOptions;
  readonly #task = new CoalescedTask(() => this.#read());
  readonly #timer: NodeJS.Timeout;
  #isDue = false;

  constructor(options: LinkSettingsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_EVERY_MS).unref();
    this.schedule();
  }

  schedule(): void {
    this.#isDue = true;
    this.#task.schedule();
  }

  /** Tries again what could not be read. */
  retry(): void {
    if (this.#isDue) this.#task.schedule();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isDue = false;
    await this.#task.close();
  }

  async #read(): Promise<void> {
    const { store, links } = this.#options;
    this.#isDue = false;
    try {
      const settings = await store.settings();
      if (!this.#task.isClosed) links.configure(settings);
    } catch {
      // The database is away: the next call of `retry` tries again.
      this.#isDue = true;
    }
  }

  async #sweep(): Promise<void> {
    const { store, noteFailure } = this.#options;
    await store.sweepSettings().catch((error: unknown) => {
      noteFailure(error, {}, 'what was set on links that are gone could not be removed');
    });
  }
}
