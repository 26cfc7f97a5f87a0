/** docs/operations: links are followed, and what the pages say of settings, bounds and states is held to the code. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseConnectionUrl } from '../../db/postgres/connection-url.js';
import {
  MAX_LISTED_VALUES,
  MAX_SEARCHED_LETTERS,
  MAX_SLOW_TESTS,
  MAX_SUBQUERIES,
  MAX_TESTS,
} from '../../db/filter/bounds.js';
import { OUTAGES } from '../../db/postgres/outages.js';
import { SETTINGS } from '../../server/settings/config.js';
import { folder, names, rowsOf, textOf } from '../support/operations-pages.js';

const all = names.map(textOf).join('\n');

/** `10 s`, `64 KiB`, `10,000`. */
function amountOf(text: string): number {
  const [, digits = '', unit = ''] = /^([\d,.]+) ?(\w*)/.exec(text) ?? [];
  const factor = new Map(Object.entries({ min: 60, h: 3600, KiB: 1024, MiB: 1_048_576 })).get(unit) ?? 1;
  return Number(digits.replaceAll(',', '')) * factor;
}

describe('docs/operations', () => {
  it('has every page in its index', () => {
    const index = textOf('README.md');
    expect(names.filter((name) => name !== 'README.md' && !index.includes(`](${name})`))).to.deep.equal([]);
  });

  it('leads to headings that exist', () => {
    const anchorOf = (heading: string) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-');
    const anchorsOf = (file: string) =>
      [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
    const broken = names.flatMap((name) =>
      [...textOf(name).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
        .filter(([, file = '', anchor]) => {
          const target = join(folder, file === '' ? name : file);
          return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
        })
        .map(([link]) => `${name}: ${link}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('names all settings and no others', () => {
    const settings = new Set(Object.values(SETTINGS).map(({ env }) => env));
    const named = new Set([...all.matchAll(/\b(?:EDGE_[A-Z_]*[A-Z]|DATABASE_URL)\b/g)].map(([name]) => name));
    // The first is a variable of the commands, the second is read before any setting.
    const others = ['EDGE_URL', 'EDGE_CONFIG'];
    expect([...named].filter((name) => !settings.has(name) && !others.includes(name))).to.deep.equal([]);
    expect([...settings].filter((name) => !named.has(name))).to.deep.equal([]);
  });

  it('says the defaults as they are', () => {
    const settings: readonly { env: string; fallback: unknown }[] = Object.values(SETTINGS);
    const fallbacks = new Map(settings.map(({ env, fallback }) => [`\`${env}\``, fallback]));
    const rows = rowsOf('limits.md').filter(
      ([, setting = '', said = '']) => typeof fallbacks.get(setting) === 'number' && /^\d/.test(said),
    );
    expect(rows).to.have.length.greaterThan(20);
    for (const [what, setting = '', said = ''] of rows) expect(amountOf(said), what).to.equal(fallbacks.get(setting));
  });

  it('says the bounds of filters as they are', () => {
    const bounds = new Map(rowsOf('limits.md').map(([what = '', , most = '']) => [what, most]));
    const expected: readonly [string, number][] = [
      ['tests in a filter', MAX_TESTS],
      ['tests of tags, `icontains`, long lists of set elements', MAX_SLOW_TESTS],
      ['`anyOf`, `allOf`, `count`, `isEmpty` that read element by element', MAX_SUBQUERIES],
      ['letters to search for', MAX_SEARCHED_LETTERS],
      ['values in lists of a filter', MAX_LISTED_VALUES],
    ];
    for (const [what, most] of expected) expect(amountOf(bounds.get(what) ?? ''), what).to.equal(most);
  });

  it('has every state of the database, when it becomes an error, and whether a start waits for its end', () => {
    const rows = new Map(rowsOf('health-and-logs.md').map((cells) => [cells[0], cells]));
    for (const [outage, { patienceSeconds, isPassing }] of Object.entries(OUTAGES)) {
      const after = patienceSeconds === 0 ? 'at once' : patienceSeconds === Infinity ? 'never' : `${patienceSeconds} s`;
      expect(rows.get(`\`${outage}\``)?.slice(2, 4), outage).to.deep.equal([after, isPassing ? 'yes' : 'no']);
    }
  });

  it('has only connection URLs that are understood', () => {
    const urls = [...all.matchAll(/postgresql:\/\/[^\s`|]+/g)].map(([url]) => url);
    expect(urls).to.have.length.greaterThan(8);
    for (const url of urls) parseConnectionUrl(url);
  });
});
