/** A CA that is removed ends the sessions of its certificates, by index. Against PostgreSQL. */
import { expect } from 'chai';
import { rowsOfPlan } from '../support/plan-work.js';
import { recordStatements } from '../support/statements.js';
import { caDraft, identityDraft, openApiSession, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

describe('a CA that is removed', () => {
  let fixture: TestStores;
  before(async () => {
    fixture = await openStoresForTest();
    for (const id of ['own', 'other']) {
      await fixture.stores.cas.create(id, caDraft(id, id));
      await fixture.stores.identities.create(id, identityDraft(id), []);
    }
  });
  after(() => fixture.close());

  const query = (sql: string, values: unknown[] = []) => fixture.files.query(sql, values);

  it('ends its sessions and those of its authenticators alone, and looks at no others', async () => {
    const { stores } = fixture;
    await openApiSession(stores, 'own', 'by-ca', 'own');
    await openApiSession(stores, 'own', 'by-authenticator');
    await openApiSession(stores, 'other', 'of-another', 'other');
    await query(`INSERT INTO authenticators (id, identity_id, method, cert_pem, fingerprint, public_key_print, ca_id)
      VALUES ('of-ca', 'own', 'cert', 'pem', 'f', 'k', 'own')`);
    await query("UPDATE api_sessions SET authenticator_id = 'of-ca' WHERE id = 'by-authenticator'");
    await query(`INSERT INTO api_sessions
      SELECT (jsonb_populate_record(t, jsonb_build_object('id', 'd' || n, 'token_hash', sha256(n::text::bytea)))).*
      FROM api_sessions t CROSS JOIN generate_series(1, 3000) n WHERE t.id = 'of-another'`);
    await query('ANALYZE api_sessions, authenticators');
    const recorded = recordStatements(/hold_api_sessions/);
    await stores.cas.remove('own');
    recorded.stop();
    const { rows } = await query("SELECT id FROM api_sessions WHERE id NOT LIKE 'd%'");
    expect(rows).to.deep.equal([{ id: 'of-another' }]);
    expect(await rowsOfPlan(query, recorded.texts[0] ?? '', ['none'])).to.be.below(20);
  });
});
