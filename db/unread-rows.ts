/** Rows of a list that are read only when somebody needs them: what was made of the same texts before is still good. */
import type { Unread } from '../domain/model.js';
import { parserOf } from './connection.js';
import type { Column, TextRow } from './connection.js';

/** Reads the rows of one statement. What that takes is made for the first row: often none is read. */
class RowReader<Row, T> {
  readonly idAt: number;
  #parsers: readonly ((text: string) => unknown)[] | undefined;
  /** A copy of it has its keys from the start: to add them one by one takes several times as long. */
  #empty: Readonly<Record<string, unknown>> = {};

  /** @param columns  with one named `id`, which is text */
  constructor(
    readonly columns: readonly Column[],
    readonly fromRow: (row: Row) => T,
  ) {
    this.idAt = columns.findIndex(({ name }) => name === 'id');
  }

  read(texts: TextRow): T {
    const parsers = (this.#parsers ??= this.#prepare());
    const row: Record<string, unknown> = { ...this.#empty };
    for (let at = 0; at < this.columns.length; at += 1) {
      const text = texts[at];
      if (text != null) row[(this.columns[at] as Column).name] = parsers[at]?.(text);
    }
    return this.fromRow(row as Row);
  }

  #prepare(): readonly ((text: string) => unknown)[] {
    this.#empty = { ...Object.fromEntries(this.columns.map(({ name }) => [name, null])) };
    return this.columns.map(({ dataTypeID }) => parserOf(dataTypeID));
  }
}

class UnreadRow<Row, T> implements Unread<T> {
  constructor(
    readonly texts: TextRow,
    readonly reader: RowReader<Row, T>,
  ) {}

  get id(): string {
    return this.texts[this.reader.idAt] ?? '';
  }

  read(): T {
    return this.reader.read(this.texts);
  }
}

/** @param columns  of the rows; one is the id */
export function unreadRows<Row, T>(
  columns: readonly Column[],
  fromRow: (row: Row) => T,
): (texts: TextRow) => Unread<T> {
  const reader = new RowReader(columns, fromRow);
  return (texts) => new UnreadRow(texts, reader);
}
