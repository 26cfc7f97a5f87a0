/**
 * Rows of a list that are read only when somebody needs them: what was made of the same text before is still good.
 * Each comes as one text, in PostgreSQL's form of a record: to take 27 columns off the connection one by one costs
 * more than all else that a known row needs.
 */
import type { LazyRow } from '../../domain/model.js';
import { parserOf } from '../postgres/connection.js';
import type { Column } from '../postgres/connection.js';

const [COMMA, QUOTE, BACKSLASH, CLOSING] = [44, 34, 92, 41];

/**
 * The columns of a record such as `(a,"b c",,"")`: null where there is nothing, and an empty text where there are
 * quotes around nothing. In quotes, a quote or a backslash is there twice.
 */
export function columnsOfRecord(record: string): (string | null)[] {
  const columns: (string | null)[] = [];
  let at = 1; // behind the parenthesis
  for (;;) {
    const start = at;
    const isQuoted = record.charCodeAt(at) === QUOTE;
    if (isQuoted) {
      at += 1;
      let isEscaped = false;
      for (; record.charCodeAt(at) !== QUOTE || record.charCodeAt(at + 1) === QUOTE; at += 1) {
        const code = record.charCodeAt(at);
        if (code !== QUOTE && code !== BACKSLASH) continue;
        isEscaped = true;
        at += 1; // the second of the two
      }
      const text = record.slice(start + 1, at);
      columns.push(isEscaped ? text.replace(/(["\\])\1/g, '$1') : text);
      at += 1;
    } else {
      while (record.charCodeAt(at) !== COMMA && record.charCodeAt(at) !== CLOSING) at += 1;
      columns.push(at === start ? null : record.slice(start, at));
    }
    if (record.charCodeAt(at) === CLOSING) return columns;
    at += 1;
  }
}

/** Reads the rows of one list. */
class RowReader<Row, T> {
  readonly #parsers: readonly ((text: string) => unknown)[];
  /** A copy of it has its keys from the start: to add them one by one takes several times as long. */
  readonly #empty: Readonly<Record<string, unknown>>;

  constructor(
    readonly columns: readonly Column[],
    readonly fromRow: (row: Row) => T,
  ) {
    this.#empty = { ...Object.fromEntries(columns.map(({ name }) => [name, null])) };
    this.#parsers = columns.map(({ dataTypeID }) => parserOf(dataTypeID));
  }

  read(record: string): T {
    const texts = columnsOfRecord(record);
    const row: Record<string, unknown> = { ...this.#empty };
    for (let at = 0; at < this.columns.length; at += 1) {
      const text = texts[at];
      if (text != null) row[(this.columns[at] as Column).name] = this.#parsers[at]?.(text);
    }
    return this.fromRow(row as Row);
  }
}

class UnreadRow<Row, T> implements LazyRow<T> {
  constructor(
    readonly id: string,
    readonly text: string,
    readonly reader: RowReader<Row, T>,
  ) {}

  read(): T {
    return this.reader.read(this.text);
  }
}

/** @param columns  of every row, in their order */
export function unreadRows<Row, T>(
  columns: readonly Column[],
  fromRow: (row: Row) => T,
): (id: string, text: string) => LazyRow<T> {
  const reader = new RowReader(columns, fromRow);
  return (id, text) => new UnreadRow(id, text, reader);
}
