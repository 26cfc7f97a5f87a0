/** Waits for the first frame of a connection, within a bounded time and space. */
import type { Socket } from 'node:net';
import { ConnectionRefused } from './connection-refused.js';
import type { Frame, FrameReader } from './frame.js';

/**
 * Resolves with the socket paused.
 * @param reader  holds what came after the frame
 * @throws ConnectionRefused when none comes in time, or the one with which the socket was destroyed
 * @throws MalformedError
 */
export function firstFrame(socket: Socket, reader: FrameReader, patienceMs: number): Promise<Frame> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      socket.off('data', onData);
      socket.off('close', onClose);
      socket.off('error', onError);
      socket.pause();
      act();
    };
    const fail = (error: Error) => {
      settle(() => {
        reject(error);
      });
    };
    const onData = (chunk: Buffer) => {
      try {
        reader.push(chunk);
        const frame = reader.next();
        if (frame !== undefined)
          settle(() => {
            resolve(frame);
          });
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const onClose = () => {
      fail(new ConnectionRefused('the connection ended before a hello'));
    };
    const onError = (error: Error) => {
      if (error instanceof ConnectionRefused) fail(error);
      else onClose();
    };
    const timer = setTimeout(() => {
      fail(new ConnectionRefused(`no hello within ${patienceMs / 1000} s`));
    }, patienceMs).unref();
    socket.on('data', onData);
    socket.on('close', onClose);
    socket.on('error', onError);
    socket.resume();
  });
}
