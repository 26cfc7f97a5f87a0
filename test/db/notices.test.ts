/** Notices to other controllers: what a migration must not do. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const SOURCE = fileURLToPath(new URL('../../../db/schema/migrations/', import.meta.url));

/** The functions of a text that send a notice only if some other row is there. */
function conditionalNotices(sql: string): string[] {
  const functions = sql.split(/(?=CREATE\s+(?:OR\s+REPLACE\s+)?FUNCTION\s)/i).filter((part) => /^CREATE/i.test(part));
  const isConditional = (body: string) =>
    /\bIF\b[^;]*\b(?:EXISTS|SELECT)\b[^;]*\bTHEN\b(?:(?!\bEND\s+IF\b)[\s\S])*pg_notify/i.test(body) ||
    /pg_notify[^;]*\bWHERE\b[^;]*\bEXISTS\b/i.test(body);
  return functions.filter(isConditional).map((text) => /FUNCTION\s+([\w.]+)/i.exec(text)?.[1] ?? '');
}

describe('notices to other controllers', () => {
  it('that are conditional are found by the search of this suite', () => {
    expect(
      conditionalNotices(
        "CREATE FUNCTION f() AS $$ BEGIN IF EXISTS (SELECT FROM a) THEN PERFORM pg_notify('edge', 'x'); END IF; END $$",
      ),
    ).to.deep.equal(['f']);
    expect(
      conditionalNotices(
        "CREATE FUNCTION f() AS $$ BEGIN PERFORM pg_notify('edge', 'x') FROM a WHERE EXISTS (SELECT FROM b); END $$",
      ),
    ).to.deep.equal(['f']);
    expect(
      conditionalNotices(
        "CREATE FUNCTION f() AS $$ BEGIN IF FOUND THEN PERFORM pg_notify('edge', 'x'); END IF; END $$",
      ),
    ).to.deep.equal([]);
  });

  // What a transaction sees of other rows is over before its change is: a row that is added in between hears nothing.
  it('depend on no other row', () => {
    const names = readdirSync(SOURCE).filter((name) => name.endsWith('.sql'));
    expect(names).not.to.deep.equal([]);
    expect(
      names.flatMap((name) =>
        conditionalNotices(readFileSync(join(SOURCE, name), 'utf8')).map((each) => `${name}: ${each}`),
      ),
    ).to.deep.equal([]);
  });
});
