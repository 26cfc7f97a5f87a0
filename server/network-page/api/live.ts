/** Events as they happen, by one stream for all views. It goes on where it was after a loss. */
import { signal } from '@preact/signals';
import { createParser } from 'eventsource-parser';
import { request } from './client.js';
import type { CallData } from './contract.js';

/** An event: a record of the audit without what is null. */
export type LiveEvent = Partial<CallData<'management', 'listAudit'>[number]> & {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
};

export const isLive = signal(false);

const listeners = new Set<(event: LiveEvent) => void>();
const AGAIN_MS = 2000;

/** @returns what ends it */
export function onEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function readStream(signal: AbortSignal, last: { id: string | undefined }): Promise<void> {
  const query = last.id === undefined ? {} : { lastEventId: last.id };
  const response = await request(
    'management',
    'streamEvents',
    { query },
    { signal, headers: { accept: 'text/event-stream' } },
  );
  isLive.value = true;
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (id !== undefined) last.id = id;
      if (event === undefined && data !== '') {
        const parsed = JSON.parse(data) as LiveEvent;
        listeners.forEach((listener) => {
          listener(parsed);
        });
      }
    },
  });
  const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}

/** Reads until it is ended. @returns what ends it */
export function startLive(): () => void {
  const abort = new AbortController();
  const last: { id: string | undefined } = { id: undefined };
  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      await readStream(abort.signal, last).catch(() => undefined);
      isLive.value = false;
      await new Promise((resolve) => window.setTimeout(resolve, AGAIN_MS));
    }
  };
  void run();
  return () => {
    abort.abort();
    isLive.value = false;
  };
}
