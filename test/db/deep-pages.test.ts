/** Deep pages of everything, which are read from an end or from a page that was read before, whatever changed since. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Client } from 'pg';
import { openStores } from '../../db/stores/stores.js';
import type { Stores } from '../../db/stores/stores.js';
import { openStoresForTest, STORE_LIMITS } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const COUNT = 1_400;
const SORTS = ['', 'id desc', 'name', 'name desc', 'createdAt', 'createdAt desc'];

type Act =
  | { readonly kind: 'page'; readonly offset: number; readonly sort: string }
  | { readonly kind: 'create' | 'delete' | 'rename'; readonly at: number }
  | { readonly kind: 'commit' };

describe('deep pages', () => {
  let fixture: TestStores;
  let stores: Stores;
  /** A transaction that stays open over several pages. */
  let slow: Client;
  let made = 0;
  before(async () => {
    fixture = await openStoresForTest();
    slow = await fixture.files.connect();
    stores = openStores(fixture.database, { ...STORE_LIMITS, rememberFrom: 1 });
    await insert(fixture.files, COUNT);
  });
  after(() => fixture.close());

  const insert = async (files: Pick<TestStores['files'], 'query'>, count: number) => {
    await files.query(
      `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, created_at)
      SELECT left(md5('i' || i), 10), md5('n' || i), 'User', false, 'default',
        '2026-01-01'::timestamptz + i / 2 * interval '1 second' FROM generate_series($1::int, $2) i`,
      [made + 1, made + count],
    );
    made += count;
  };
  const nth = `(SELECT id FROM identities ORDER BY md5(id || $1) LIMIT 1)`;
  const change = async ({ kind, at }: Extract<Act, { at: number }>) => {
    if (kind === 'create') {
      await insert(at % 3 === 0 ? { query: (text, values) => slow.query(text, values) } : fixture.files, 1 + (at % 4));
      return;
    }
    // Rows of the open transaction are not seen, so nobody waits for it.
    const sql =
      kind === 'delete'
        ? `DELETE FROM identities WHERE id = ${nth}`
        : `UPDATE identities SET name = md5(name || $1) WHERE id = ${nth}`;
    await fixture.files.query(sql, [String(at)]);
  };
  const commit = async () => {
    await slow.query('COMMIT');
    await slow.query('BEGIN');
  };
  const expectPage = async ({ offset, sort }: Extract<Act, { kind: 'page' }>) => {
    const order = sort === '' ? 'id' : `${sort.replace('createdAt', 'created_at')}, id`;
    const { rows } = await fixture.files.query(`SELECT id FROM identities ORDER BY ${order}`);
    const all = rows.map(({ id }) => String(id));
    const page = await stores.identities.list({ limit: 10, offset, sort });
    expect(page.totalCount).to.equal(all.length);
    expect(page.items.map(({ id }) => id)).to.deep.equal(all.slice(offset, offset + 10));
  };

  it('are those of the list as it is, with changes before them, after them, and while they were read', async () => {
    const page = fc
      .record({ offset: fc.integer({ min: 500, max: COUNT + 50 }), sort: fc.constantFrom(...SORTS) })
      .map((asked): Act => ({ kind: 'page', ...asked }));
    const other = fc.oneof(
      fc
        .record({ kind: fc.constantFrom('create', 'delete', 'rename'), at: fc.nat(1_000) })
        .map(({ kind, at }): Act => ({ kind: kind as 'create', at })),
      fc.constant<Act>({ kind: 'commit' }),
    );
    const acts = fc.array(fc.oneof({ weight: 3, arbitrary: page }, { weight: 2, arbitrary: other }), {
      minLength: 5,
      maxLength: 25,
    });
    await slow.query('BEGIN');
    await fc.assert(
      fc.asyncProperty(acts, async (all) => {
        for (const act of all)
          if (act.kind === 'page') await expectPage(act);
          else if (act.kind === 'commit') await commit();
          else await change(act);
      }),
      { numRuns: 40 },
    );
    await slow.query('COMMIT');
  }).timeout(120_000);

  it('are read from an end where the record does not say what changed', async () => {
    await expectPage({ kind: 'page', offset: 600, sort: '' });
    await fixture.files.query("SET session_replication_role = 'replica'");
    await fixture.files.query('DELETE FROM identities WHERE id = (SELECT min(id) FROM identities)');
    await fixture.files.query(
      `UPDATE entity_counts SET total = total - 1 WHERE kind = 'identities'
        AND slot = (SELECT min(slot) FROM entity_counts WHERE kind = 'identities')`,
    );
    await fixture.files.query('RESET session_replication_role');
    await expectPage({ kind: 'page', offset: 610, sort: '' });
  });
});
