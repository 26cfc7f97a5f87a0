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
