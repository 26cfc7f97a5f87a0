/** Statements of callers that hand over a text, until they have statements of their own. */
import { withActor } from './attribution.js';
import { EXPENDABLE } from './expendable.js';
import type { Statement, StatementKind } from './statement.js';

const known = new Map<string, Statement>();

export function byText<R>(
  asked: 'read' | 'pooled' | 'list' | 'change',
  name: string | null,
  sql: string,
): Statement<R> {
  const key = `${asked} ${name} ${sql}`;
  let found = known.get(key);
  if (found === undefined) {
    const kind: StatementKind = asked === 'pooled' && sql.includes(EXPENDABLE) ? 'asyncChange' : asked;
    const isChange = kind === 'change' || kind === 'asyncChange';
    found = {
      kind,
      name,
      label: name ?? 'statement',
      text: sql,
      ...(isChange
        ? {
            withActor: (n: number) => {
              const text = withActor(sql, n);
              return text === undefined
                ? undefined
                : { name: name === null ? null : `${name}+`, label: name ?? 'statement', text };
            },
          }
        : {}),
    };
    if (name !== null && known.size < 2_000) known.set(key, found);
  }
  return found as Statement<R>;
}
