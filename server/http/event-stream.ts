/** Sends an answer without an end: never compressed, and only while its caller may have it. */
import type { ServerResponse } from 'node:http';
import { DomainError } from '../../domain/errors.js';
import type { TextStream } from '../../handlers/text-stream.js';
import { ReaderGone, sendBody } from './socket-writer.js';
import type { ResponseHeaders } from './compression.js';

/** How often it is looked whether the caller still may have it: a session that ends is noticed within a second. */
const CHECK_MS = 400;
/** How long the last words may take. */
const LAST_WORDS_MS = 400;

/** @throws DomainError unless the caller may still have it */
export type Recheck = () => Promise<void>;

/** Resolves when it has ended. @throws ReaderGone */
export async function sendStream(
  response: ServerResponse,
  status: number,
  headers: ResponseHeaders,
  stream: TextStream,
  recheck: Recheck,
): Promise<void> {
  let lastWords: NodeJS.Timeout | undefined;
  let check: NodeJS.Timeout | undefined;
  let isOverrun = false;
  let isOver = false;
  const gone = new Promise<void>((resolve) => {
    response.once('close', resolve);
  });
  try {
    if (response.headersSent || response.destroyed) return; // a timeout was answered, or the client is gone
    // A proxy that keeps answers until they are whole would keep this one for ever.
    response.writeHead(status, { ...headers, 'x-accel-buffering': 'no' });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const end = () => {
      stream.end('session');
      lastWords ??= setTimeout(() => response.destroy(), LAST_WORDS_MS);
    };
    const checkAccess = async () => {
      try {
        await recheck();
      } catch (error) {
        // A refusal that cannot be decided now, because the database does not answer, is decided at the next check.
        if (error instanceof DomainError && REFUSALS.has(error.kind)) end();
      }
      if (!isOver) check = setTimeout(() => void checkAccess(), CHECK_MS);
    };
    check = setTimeout(() => void checkAccess(), CHECK_MS);
    stream.onOverrun = () => {
      isOverrun = true;
      response.destroy();
    };
    // A stream that waits for something to send does not see that its reader is gone.
    void gone.then(() => {
      stream.close();
    });
    await stream.run({ send: (text) => sendBody(response, text) });
    response.end();
    await gone;
  } catch (error) {
    if (isOverrun) throw new ReaderGone('the reader was too far behind and was cut', 'warn');
    throw error;
  } finally {
    isOver = true;
    clearTimeout(check);
    clearTimeout(lastWords);
    stream.close();
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['unauthenticated', 'forbidden']);
