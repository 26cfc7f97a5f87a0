/** Clients that ask and then read little or nothing of the answer. */
import type { TLSSocket } from 'node:tls';

export const getRequest = (path: string, token?: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${token === undefined ? '' : `zt-session: ${token}\r\n`}\r\n`;

/**
 * Whether the server has closed or cut the connection. A client that does not read would not see its end: it must send.
 */
export function noticesTheEnd(socket: TLSSocket): () => boolean {
  let isOver = false;
  socket.once('close', () => {
    isOver = true;
  });
  return () => {
    // An empty line before a request is allowed (RFC 9112 section 2.2). One to a cut connection is answered with a
    // reset.
    if (!isOver && socket.writable) socket.write('\r\n');
    return isOver;
  };
}

/**
 * Reads about `size` bytes at a time and rests in between.
 * @returns how many bytes when it has `total`, or the connection ends
 */
export async function readSteadily(
  socket: TLSSocket,
  { size, restMs, total }: { size: number; restMs: number; total: number },
): Promise<number> {
  let bytes = 0;
  let taken = 0;
  return new Promise((resolve) => {
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      taken += chunk.length;
      if (bytes >= total) {
        finish();
        return;
      }
      if (taken < size) return;
      taken = 0;
      socket.pause();
      setTimeout(() => {
        socket.resume();
      }, restMs);
    };
    const finish = () => {
      socket.off('data', take).off('close', finish);
      resolve(bytes);
    };
    socket.on('data', take).on('close', finish);
  });
}
