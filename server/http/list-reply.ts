/**
 * Writes lists. One that fits into a piece is written at once; a longer one becomes text in turns, and one without
 * limit leaves in batches, each element checked before it does.
 */
import { jsonOf } from './json.js';
import type { ServerResponse } from 'node:http';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { OperationSpec } from '../../generated/operation.js';
import { ListElement } from '../../handlers/reply.js';
import type { ListReply, OnWritten } from '../../handlers/reply.js';
import { beginPieces, deliver, deliverPieces } from './encode.js';
import type { ResponseHeaders } from './encode.js';
import { tagOf } from './entity-tags.js';
import { metaOf, metaText } from './envelope.js';
import { PIECE } from './socket-writer.js';
import { ResponseFault, check, specOf } from './spec-check.js';

export interface WriteOptions {
  /** How long the reader of a list without limit may take for one piece of it. */
  readonly readerPatienceMs: number;
  /** Called once the whole answer is text, or as much of it as is held. */
  readonly onText?: () => void;
}

/**
 * Characters of a list that are held as text. One that has more is checked whole all the same, but becomes text as its
 * reader takes it.
 */
const MAX_HELD = 16 * 1024 * 1024;

/**
 * Lists longer than a piece are written in turns, a piece a turn: however many long lists are under way, other requests
 * are served in between. With 20 readers of pages of 500, other lists took 79 ms in the middle without turns, 31 ms
 * with them.
 */
const turns = new YieldQueue({ waiting: Number.POSITIVE_INFINITY });
/**
 * Ends when the last of the lists that wait is text. One is made after the other, so that only one is held half made.
 */
let line: Promise<unknown> = Promise.resolve();

export async function writeList(
  response: ServerResponse,
  operation: OperationSpec,
  reply: ListReply<number, unknown>,
  headers: ResponseHeaders,
  options: WriteOptions,
): Promise<void> {
  const batches = reply.rest?.[Symbol.asyncIterator]();
  if (batches === undefined) return writeItems(response, operation, reply, headers, options);
  // They hold a connection of the database until they are written, cannot be, or their reader goes away.
  response.once('close', () => {
    batches.return?.().catch(() => undefined);
  });
  try {
    await writeItems(response, operation, reply, headers, options, batches);
  } finally {
    await batches.return?.(); // does nothing when it is not the first
  }
}

async function writeItems(
  response: ServerResponse,
  operation: OperationSpec,
  { status, items, page, onWritten }: ListReply<number, unknown>,
  headers: ResponseHeaders,
  { readerPatienceMs, onText }: WriteOptions,
  batches?: AsyncIterator<Iterable<unknown>>,
): Promise<void> {
  const meta = metaOf(page);
  const { validator, itemValidator } = specOf(operation, status);
  if (itemValidator === null) throw new ResponseFault(operation, status, { path: '/data', rule: 'no list' });
  check(operation, status, validator, { data: [], meta });
  const list = new ListText(items, itemValidator, (item) => {
    check(operation, status, itemValidator, item);
  });
  const tail = `],"meta":${metaText(meta)}}\n`;
  const first = `{"data":[${list.next()}`;
  if (list.isWhole && batches === undefined) {
    const body = first + tail;
    await deliver(response, status, tagged(operation, headers, body, onWritten), body);
    return;
  }
  const held = [Buffer.from(first)];
  await (line = line.then(
    () => hold(held, list),
    () => hold(held, list), // the fault of the one before is seen by whoever waits for it
  ));
  onText?.();
  if (list.isWhole && batches === undefined) {
    held.push(Buffer.from(tail));
    const all =
      onWritten === undefined ? headers : tagged(operation, headers, Buffer.concat(held).toString(), onWritten);
    await deliverPieces(response, status, all, held);
    return;
  }
  if (response.headersSent) return; // a timeout was answered while the work went on
  const out = beginPieces(response, status, headers, batches === undefined ? undefined : readerPatienceMs);
  if (out === undefined) return;
  try {
    for (let piece = held.shift(); piece !== undefined; piece = held.shift()) await out.send(piece);
    while (!list.isWhole) await out.send(list.next());
    for (let step = await batches?.next(); step?.done === false; step = await batches?.next()) {
      list.add(step.value);
      while (!list.isWhole) await out.send(list.next());
    }
    await out.send(tail);
    await out.end();
  } finally {
    out.close();
  }
}

/** Makes the rest of a list text in turns. What is too long to hold is checked, and left as it is. */
async function hold(held: Buffer[], list: ListText): Promise<void> {
  let bytes = 0;
  while (!list.isWhole) {
    if (bytes > MAX_HELD) {
      list.checkAll();
      return;
    }
    await turns.run(() => {
      // Cached text takes next to no time: the length of a turn counts the elements that have to be made.
      const made = list.made + NEARLY_A_PIECE;
      do {
        const piece = Buffer.from(list.next());
        bytes += piece.length;
        held.push(piece);
      } while (!list.isWhole && list.made < made && bytes <= MAX_HELD);
    });
  }
}

/** Characters of a list that become text in one go: with the element that goes beyond, most often still one piece. */
const NEARLY_A_PIECE = PIECE - 8_192;

/** The elements of a list as text, about a piece at a time: each mapped, checked and written in one go, or known. */
class ListText {
  #items: Iterator<unknown>;
  #separator = '';
  #isChecked = false;
  isWhole = false;
  /** Characters of what was not known. */
  made = 0;

  constructor(
    items: Iterable<unknown>,
    readonly validator: string,
    readonly check: (item: unknown) => void,
  ) {
    this.#items = items[Symbol.iterator]();
  }

  readonly #write = (item: unknown): string => {
    if (!this.#isChecked) this.check(item);
    const text = jsonOf(item);
    this.made += text.length;
    return text;
  };

  /** Next part of the array, without its brackets; '' when nothing is left. */
  next(): string {
    let text = '';
    while (text.length < NEARLY_A_PIECE) {
      const step = this.#items.next();
      if (step.done === true) {
        this.isWhole = true;
        break;
      }
      const item = step.value;
      text +=
        this.#separator + (item instanceof ListElement ? item.text(this.validator, this.#write) : this.#write(item));
      this.#separator = ',';
    }
    return text;
  }

  checkAll(): void {
    const items: unknown[] = [];
    for (let step = this.#items.next(); step.done !== true; step = this.#items.next()) {
      const item: unknown = step.value instanceof ListElement ? step.value.value() : step.value;
      this.check(item);
      items.push(item);
    }
    this.#items = items[Symbol.iterator]();
    this.#isChecked = true;
  }

  /** Goes on with these. */
  add(items: Iterable<unknown>): void {
    this.#items = items[Symbol.iterator]();
    this.#isChecked = false;
    this.isWhole = false;
  }
}

/** The headers of a list; with its tag when its text is kept. */
function tagged(
  { isTagged }: OperationSpec,
  headers: ResponseHeaders,
  body: string,
  onWritten?: OnWritten,
): ResponseHeaders {
  if (onWritten === undefined || !isTagged) return headers;
  const tag = tagOf(body);
  onWritten(body, tag);
  return { ...headers, etag: tag };
}
