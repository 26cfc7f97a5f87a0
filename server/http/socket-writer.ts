/**
 * Hands bodies to a connection piece by piece, as the client reads. TLS encrypts and keeps at once all that it is
 * given: a body handed over whole costs its size for each client that does not read it, a body in pieces costs one
 * piece.
 */
import { ClientGone } from './body.js';
import type { ServerResponse } from 'node:http';

/** Bytes, or characters of a text. A body up to this size is handed over whole. */
export const PIECE = 65_536;

/** The client went away before its answer was whole, or read too slowly and was cut. Nothing is wrong with us. */
export class ReaderGone extends ClientGone {
  constructor(
    message: string,
    readonly level: 'debug' | 'warn',
  ) {
    super(message);
  }
}

/**
 * Resolves when the connection has taken all but the last piece.
 * @param patienceMs  how long one piece may take; without it, only the connection's own limit counts (stalled.ts)
 * @throws ReaderGone
 */
export async function sendBody(response: ServerResponse, body: string | Buffer, patienceMs?: number): Promise<void> {
  for (let from = 0; from < body.length;) {
    const to = endOfPiece(body, from);
    if (response.destroyed) throw goneAway();
    // Node 24 counts a text by bytes in its answer and by characters in its connection. Where only one of the two is
    // full, it never says that there is room again.
    const piece = typeof body === 'string' ? Buffer.from(body.slice(from, to)) : body.subarray(from, to);
    if (!response.write(piece)) await drained(response, patienceMs);
    from = to;
  }
}

/**
 * Ends the answer with a large body, whose length the head already has. A client that goes away leaves nothing to do.
 */
export function sendWhole(response: ServerResponse, parts: readonly (string | Buffer)[]): void {
  const sendAll = async () => {
    for (const part of parts) await sendBody(response, part);
  };
  sendAll().then(
    () => {
      response.end();
    },
    () => {
      response.destroy();
    },
  );
}

/** A pair of surrogates stays together: each half alone would be written as a replacement character. */
function endOfPiece(body: string | Buffer, from: number): number {
  const end = Math.min(from + PIECE, body.length);
  return typeof body === 'string' && end < body.length && (body.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end;
}

const goneAway = () => new ReaderGone('the reader went away', 'debug');

function drained(response: ServerResponse, patienceMs: number | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (gone?: ReaderGone) => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      if (gone === undefined) resolve();
      else reject(gone);
    };
    const onDrain = () => {
      finish();
    };
    const onClose = () => {
      finish(goneAway());
    };
    const onTime = () => {
      finish(new ReaderGone('the reader was too slow and was cut', 'warn'));
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(onTime, patienceMs);
    response.on('drain', onDrain).on('close', onClose);
  });
}
