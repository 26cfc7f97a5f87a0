/** Closers of everything opened so far, run in reverse order. */
import type { Logger } from './log.js';

export type Closers = (() => Promise<void> | void)[];

/** One that fails does not keep the others open. */
export async function closeAll(closers: Closers, log: Logger): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log.warn({ err: error }, 'a part did not close cleanly');
    }
  }
}
