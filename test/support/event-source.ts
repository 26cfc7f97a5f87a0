/** A reader of server-sent events: what it was sent, and the id from which it goes on. */
import { request } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { MANAGEMENT } from './paths.js';

export interface EventData extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly auditId: string;
  readonly actor: { readonly kind: string; readonly id?: string; readonly name?: string };
  readonly kind: string;
  readonly entityId: string;
  readonly entityName?: string;
}

export interface ControlEvent {
  readonly event: string;
  readonly reason: string;
  readonly message: string;
}

export interface EventSource {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: EventData[];
  readonly controls: ControlEvent[];
  /** Of the last block, also one without data. */
  readonly lastId: () => string;
  readonly text: () => string;
  readonly isOver: () => boolean;
  readonly over: Promise<void>;
  /** Stops to read, so that the server cannot send. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface SourceOptions {
  /** Without the question mark. */
  readonly query?: string;
  readonly lastEventId?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Resolves with the head of the answer. */
export function openEvents(url: string, token: string | undefined, options: SourceOptions = {}): Promise<EventSource> {
  const { query, lastEventId, headers = {} } = options;
  return new Promise((resolve, reject) => {
    const path = `${MANAGEMENT}/events${query === undefined ? '' : `?${query}`}`;
    const asking = request(new URL(path, url), {
      agent: false,
      rejectUnauthorized: false,
      headers: {
        accept: 'text/event-stream',
        ...(token === undefined ? {} : { 'zt-session': token }),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        ...headers,
      },
    });
    asking.on('error', reject);
    asking.on('response', (answer) => {
      resolve(sourceOf(answer, lastEventId ?? ''));
    });
    asking.end();
  });
}

function sourceOf(answer: IncomingMessage, firstId: string): EventSource {
  const events: EventData[] = [];
  const controls: ControlEvent[] = [];
  let text = '';
  let rest = '';
  let lastId = firstId;
  let isOver = false;
  const take = (block: string) => {
    const fields = new Map(
      block
        .split('\n')
        .filter((line) => !line.startsWith(':'))
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    lastId = fields.get('id') ?? lastId;
    const [data, event] = [fields.get('data'), fields.get('event')];
    if (data === undefined) return;
    if (event === undefined) events.push(JSON.parse(data) as EventData);
    else controls.push({ event, ...(JSON.parse(data) as { reason: string; message: string }) });
  };
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    blocks.forEach(take);
  });
  const over = new Promise<void>((resolve) => {
    const finish = () => {
      isOver = true;
      resolve();
    };
    answer.on('end', finish).on('close', finish).on('error', finish);
  });
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    events,
    controls,
    lastId: () => lastId,
    text: () => text,
    isOver: () => isOver,
    over,
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    close: () => answer.destroy(),
  };
}
