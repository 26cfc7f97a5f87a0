/**
 * How stores change things: through `write`, which has its own share of the connections, or as something EXPENDABLE.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const folder = fileURLToPath(new URL('../../../db', import.meta.url));
/** A call of `run` whose text begins with a change, up to the end of the statement's text. */
const RUN = /\.run(?:<[^(]*>)?\(\s*(?:null|'[^']*'|`[^`]*`),\s*(`[^`]*`|'[^']*')/g;
const CHANGE = /\b(?:INSERT INTO|DELETE FROM|(?<!FOR |NO KEY )UPDATE [a-z_$])/;

/** Checks of integrity run in a transaction of their own, on a connection that no request has. */
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.startsWith('stores/integrity'),
);

describe('a change in the database', () => {
  it('goes through `write`, unless it waits for no standby', () => {
    const found: string[] = [];
    let seen = 0;
    for (const file of files) {
      for (const [, sql = ''] of readFileSync(`${folder}/${file}`, 'utf8').matchAll(RUN)) {
        seen += 1;
        if (CHANGE.test(sql) && !sql.includes('${EXPENDABLE}')) found.push(`${file}: ${sql.slice(0, 80)}`);
      }
    }
    expect(seen).to.be.greaterThan(30);
    expect(found).to.deep.equal([]);
  });
});
