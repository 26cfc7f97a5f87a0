/** What controllers in this process ask of the database. */
import pg from 'pg';

export interface RecordedStatement {
  readonly connection: pg.Client;
  readonly text: string;
  /** Of a statement by itself. */
  readonly values: readonly unknown[];
}

/** The texts of all statements that this process sends, of those that match. */
export function recordStatements(pattern: RegExp): {
  readonly texts: string[];
  readonly sent: readonly RecordedStatement[];
  stop(): void;
} {
  const texts: string[] = [];
  const sent: RecordedStatement[] = [];
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  Reflect.set(pg.Client.prototype, 'query', function record(this: pg.Client, ...args: unknown[]): unknown {
    const [first] = args;
    for (const text of textsOf(first)) {
      if (!pattern.test(text)) continue;
      texts.push(text);
      sent.push({ connection: this, text, values: (first as { values?: unknown[] }).values ?? [] });
    }
    return Reflect.apply(query as (...all: unknown[]) => unknown, this, args);
  });
  return {
    texts,
    sent,
    stop() {
      Reflect.set(pg.Client.prototype, 'query', query);
    },
  };
}

/** A message may hold several (db/postgres/one-message.ts). */
function textsOf(query: unknown): readonly string[] {
  if (typeof query === 'string') return [query];
  const { text, texts } = query as { readonly text?: string; readonly texts?: readonly string[] };
  return texts ?? (text === undefined ? [] : [text]);
}

/** How many statements of this process PostgreSQL refused to settle a deadlock or a serialization: they are retried. */
export function countConflicts(): { readonly codes: string[]; stop(): void } {
  const codes: string[] = [];
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  Reflect.set(pg.Client.prototype, 'query', function watch(this: pg.Client, ...args: unknown[]): unknown {
    const [first] = args as [string | { handleError?: (error: { code?: string }, ...others: unknown[]) => void }];
    if (typeof first === 'object' && first.handleError !== undefined) {
      const handle = first.handleError.bind(first);
      first.handleError = (error, ...others) => {
        if (error.code === '40001' || error.code === '40P01') codes.push(error.code);
        handle(error, ...others);
      };
    }
    return Reflect.apply(query as (...all: unknown[]) => unknown, this, args);
  });
  return {
    codes,
    stop() {
      Reflect.set(pg.Client.prototype, 'query', query);
    },
  };
}
