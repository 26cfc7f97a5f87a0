/**
 * Writes answers. Each is checked whole against its spec before its first byte leaves; one that breaks the spec is
 * logged and answered 500. Only a list too long to hold leaves in batches, each element checked before it does.
 */
import type { ServerResponse } from 'node:http';
import type { Api, OperationSpec, ResponseSpec } from '../generated/operation.js';
import { createTurns } from '../domain/auth/turns.js';
import { basePaths } from '../generated/routes.js';
import clientValidators from '../generated/client/validators.cjs';
import managementValidators from '../generated/management/validators.cjs';
import type { DataReply, RawReply, WrittenReply } from '../handlers/handler.js';
import { metaOf, metaText } from './envelope.js';
import type { ErrorAnswer } from './envelope.js';
import { describeFault } from './faults.js';
import { PIECE, send, sendWhole } from './outflow.js';

export type AnyReply = DataReply<number, unknown> | WrittenReply<number> | RawReply<number>;
export type Headers = Readonly<Record<string, string | number>>;

type Validator = (typeof managementValidators)[string];

export const validatorsOf: Readonly<Record<Api, Readonly<Record<string, Validator>>>> = { client: clientValidators, management: managementValidators };

/** An answer of ours that its spec does not allow. */
export class ResponseFault extends Error {
  constructor(readonly operation: OperationSpec, readonly status: number, readonly fault: { path: string; rule: string }) {
    super(`${operation.api} ${operation.operationId} ${status}: ${fault.path} ${fault.rule}`);
  }
}

function specOf(operation: OperationSpec, status: number): ResponseSpec {
  const spec = operation.responses[status] ?? operation.responses['default'];
  if (spec === undefined) throw new ResponseFault(operation, status, { path: '', rule: 'undeclared status' });
  return spec;
}

function check(operation: OperationSpec, status: number, name: string | null, value: unknown): void {
  if (name === null) return;
  const validate = validatorsOf[operation.api][name];
  if (validate === undefined) throw new Error(`no validator ${name}`);
  if (!validate(value)) throw new ResponseFault(operation, status, describeFault(validate.errors?.[0]));
}

/**
 * @param readerPatienceMs  how long the reader of a list without limit may take for one piece of it
 * @throws ResponseFault before anything was written, or after for a list without limit; ReaderGone
 */
export async function writeReply(
  response: ServerResponse, operation: OperationSpec, reply: AnyReply, headers: Headers, readerPatienceMs: number,
): Promise<void> {
  if ('raw' in reply) {
    const { contentType, body } = reply.raw;
    if (specOf(operation, reply.status).kind === 'empty' || !operation.produces.includes(contentType)) {
      throw new ResponseFault(operation, reply.status, { path: '', rule: `undeclared content type ${contentType}` });
    }
    write(response, reply.status, { 'content-type': contentType, ...headers, ...reply.headers }, body);
    return;
  }
  if ('written' in reply) {
    write(response, reply.status, { 'content-type': 'application/json', ...headers }, reply.written);
    return;
  }
  const { data, page, rest } = reply;
  const meta = metaOf(page);
  const spec = specOf(operation, reply.status);
  const metaJson = metaText(meta);
  const checkHead = () => { check(operation, reply.status, spec.validator, { data, meta }); };
  const all = { 'content-type': 'application/json', ...headers, ...reply.headers, ...locationOf(operation, reply) };
  if (rest !== undefined) {
    const checkItem = (item: unknown) => { check(operation, reply.status, spec.itemValidator, item); };
    await endAfter(response, rest[Symbol.asyncIterator](), async (batches) => {
      checkHead();
      const texts = textsOfAll(data as readonly unknown[], batches, checkItem);
      await writeList(response, reply.status, all, { texts, metaJson, patienceMs: readerPatienceMs });
    });
    return;
  }
  checkHead();
  const made = textOf(data);
  const text = made instanceof Promise ? await made : made;
  if (typeof text !== 'string') {
    await writeList(response, reply.status, all, { texts: text, metaJson });
    return;
  }
  const body = `{"data":${text},"meta":${metaJson}}\n`;
  reply.onWritten?.(body);
  write(response, reply.status, all, body);
}

type Batches = AsyncIterator<readonly unknown[]>;

/**
 * Batches hold a connection of the database until they end: when they are written, cannot be, or their reader goes
 * away.
 */
async function endAfter(
  response: ServerResponse, batches: Batches, work: (batches: Batches) => Promise<void>,
): Promise<void> {
  response.once('close', () => { batches.return?.().catch(() => undefined); });
  try {
    await work(batches);
  } finally {
    await batches.return?.(); // does nothing when it is not the first
  }
}

/**
 * Elements that become text in one go. Each comes of a request of bounded size, so that all of them together are
 * bounded.
 */
const GROUP = 16;
/**
 * Characters of an answer that are held as text. A list that has more is written group by group, as its reader takes
 * them.
 */
const MAX_HELD = 16 * 1024 * 1024;

/**
 * What is longer than a piece becomes text in turns, a piece a turn: however many long lists are under way, others are
 * answered in between. With 20 readers of pages of 500, other lists took 79 ms in the middle without turns, 31 ms with them.
 */
const turns = createTurns({ waiting: Number.POSITIVE_INFINITY });
/** Ends when the last of the lists that wait is text. One is made after the other, so that only one is held half made. */
let line: Promise<unknown> = Promise.resolve();

function textOf(data: unknown): string | Promise<string | Iterable<string>> {
  if (!Array.isArray(data) || data.length <= GROUP) return JSON.stringify(data);
  const texts = textsOf(data);
  const held = new HeldTexts();
  if (!held.take(texts)) return held.whole();
  const made = line.then(() => restOf(held, texts));
  line = made.catch(() => undefined); // whoever waits for it sees the fault
  return made;
}

/** The whole, or the groups of a list that is too long to hold as text. */
async function restOf(held: HeldTexts, texts: Iterator<string, undefined> & Iterable<string>): Promise<string | Iterable<string>> {
  while (await turns.run(() => held.take(texts))) {
    if (held.chars > MAX_HELD) return shiftThen(held.groups, texts);
  }
  return held.whole();
}

class HeldTexts {
  readonly groups: string[] = [];
  chars = 0;

  /** Takes groups until they make a piece. @returns whether there may be more */
  take(texts: Iterator<string, undefined>): boolean {
    for (const until = this.chars + PIECE; this.chars < until;) {
      const step = texts.next();
      if (step.done === true) return false;
      this.groups.push(step.value);
      this.chars += step.value.length;
    }
    return true;
  }

  whole(): string { return `[${this.groups.join(',')}]`; }
}

/** Groups of elements, without the brackets of an array. */
function* textsOf(items: readonly unknown[]): Generator<string, undefined> {
  for (let from = 0; from < items.length; from += GROUP) {
    yield JSON.stringify(items.slice(from, from + GROUP)).slice(1, -1);
  }
}

/** Lets go of each text when it has given it. */
function* shiftThen(held: string[], texts: Iterable<string>): Generator<string> {
  for (let text = held.shift(); text !== undefined; text = held.shift()) yield text;
  yield* texts;
}

async function* textsOfAll(
  head: readonly unknown[], batches: Batches, checkItem: (item: unknown) => void,
): AsyncGenerator<string> {
  yield* textsOf(head);
  for (let step = await batches.next(); step.done !== true; step = await batches.next()) {
    step.value.forEach(checkItem);
    yield* textsOf(step.value);
  }
}

interface ListParts {
  readonly texts: Iterable<string> | AsyncIterable<string>;
  readonly metaJson: string;
  readonly patienceMs?: number;
}

/** A fault after the first byte cannot be reported any more: it is thrown, and the caller cuts the connection. */
async function writeList(
  response: ServerResponse, status: number, headers: Headers, { texts, metaJson, patienceMs }: ListParts,
): Promise<void> {
  if (response.headersSent) return; // a timeout was answered while the work went on
  response.writeHead(status, headers);
  let before = '{"data":[';
  for await (const text of texts) {
    await send(response, before + text, patienceMs);
    before = ',';
  }
  await send(response, `${before === ',' ? '' : before}],"meta":${metaJson}}\n`, patienceMs);
  response.end();
}

function locationOf(operation: OperationSpec, reply: DataReply<number, unknown>): Headers | undefined {
  if (reply.status !== 201) return undefined;
  const href = (reply.data as { _links?: { self?: { href?: string } } })._links?.self?.href;
  return href === undefined ? undefined : { location: basePaths[operation.api] + href.slice(1) };
}

export function write(response: ServerResponse, status: number, headers: Headers, body: string | Buffer): void {
  if (response.headersSent) return; // a timeout was answered while the work went on
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  if (body.length <= PIECE) response.end(body);
  else sendWhole(response, body);
}

/** @throws ResponseFault when the spec does not even allow this error */
export function writeError(response: ServerResponse, operation: OperationSpec | undefined, { status, body, headers: own }: ErrorAnswer, headers: Headers): void {
  if (operation !== undefined) check(operation, status, specOf(operation, status).validator, body);
  write(response, status, { 'content-type': 'application/json', ...headers, ...own }, `${JSON.stringify(body)}\n`);
}
