/** The pages of API sessions that are read for routers. Against PostgreSQL. */
import { expect } from 'chai';
import { rowsOfPlan } from '../support/plan-work.js';
import { recordStatements } from '../support/statements.js';
import { identityDraft, openApiSession, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const TIMEOUT_SECONDS = 1_800;

describe('pages of API sessions for routers', () => {
  let fixture: TestStores;
  before(async () => {
    fixture = await openStoresForTest();
    for (const id of ['a', 'b', 'c']) {
      await fixture.stores.identities.create(id, identityDraft(id), []);
      await openApiSession(fixture.stores, id);
    }
  });
  after(() => fixture.close());

  const query = (sql: string, values: unknown[] = []) => fixture.files.query(sql, values);
  const page = async (after: string, limit: number) =>
    (await fixture.stores.routerSync.sessionPage(TIMEOUT_SECONDS, after, limit)).map(({ id, isGood }) => [id, isGood]);

  it('go on behind the last of the page before, and say which of them count', async () => {
    await query("UPDATE identities SET disabled_at = now() WHERE id = 'b'");
    await query("UPDATE api_sessions SET last_activity_at = now() - interval '1 day' WHERE id = 'c'");
    expect(await page('', 2)).to.deep.equal([
      ['a', true],
      ['b', false],
    ]);
    expect(await page('b', 2)).to.deep.equal([['c', false]]);
    expect(await page('c', 2)).to.deep.equal([]);
  });

  it('cost the same, however many there are', async () => {
    const cost = async () => {
      const recorded = recordStatements(/AS "isGood"/);
      await page('', 3);
      recorded.stop();
      return rowsOfPlan(query, recorded.texts[0] ?? '', [TIMEOUT_SECONDS, '', 3]);
    };
    await query('ANALYZE api_sessions, identities');
    const few = await cost();
    await query(`INSERT INTO api_sessions
      SELECT (jsonb_populate_record(t, jsonb_build_object('id', 'd' || n, 'token_hash', sha256(n::text::bytea)))).*
      FROM api_sessions t CROSS JOIN generate_series(1, 3000) n WHERE t.id = 'a'`);
    await query('ANALYZE api_sessions');
    expect((await cost()) / few).to.be.below(2);
  });
});
