/** What controllers in this process ask of the database. */
import pg from 'pg';

export interface RecordedStatement {
  readonly connection: pg.Client;
  readonly text: string;
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
    const text = typeof first === 'string' ? first : (first as { text?: string } | undefined)?.text;
    if (text !== undefined && pattern.test(text)) {
      texts.push(text);
      sent.push({ connection: this, text });
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

/** How many statements of this process PostgreSQL refused to settle a deadlock or a serialization: they are retried. */
export function countConflicts(): { readonly codes: string[]; stop(): void } {
  const codes: string[] = [];
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  Reflect.set(pg.Client.prototype, 'query', function watch(this: pg.Client, ...args: unknown[]): unknown {
    const result: unknown = Reflect.apply(query as (...all: unknown[]) => unknown, this, args);
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        const { code } = error as { code?: string };
        if (code === '40001' || code === '40P01') codes.push(code);
      });
    return result;
  });
  return {
    codes,
    stop() {
      Reflect.set(pg.Client.prototype, 'query', query);
    },
  };
}
