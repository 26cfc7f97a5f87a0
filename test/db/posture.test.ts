/** The cases of posture checks by way of the database: stored, read back and judged for grants and for sessions. */
import { expect } from 'chai';
import { checkGrants } from '../../db/stores/session-grants.js';
import { CHECK_ID, postureCheckCases } from '../cases/posture.js';
import { identityDraft, openStoresForTest, serviceDraft } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

describe('posture in the database', () => {
  let fixture: TestStores;
  let stores: TestStores['stores'];
  let files: TestStores['files'];
  before(async () => {
    fixture = await openStoresForTest();
    ({ stores, files } = fixture);
    await stores.identities.create('i', identityDraft('i', {}), []);
    await stores.services.create('s', serviceDraft('s', {}));
    await files.query(
      `INSERT INTO service_policies (id, name, type, semantic, identity_roles, service_roles, posture_check_roles)
      VALUES ('p', 'p', 'Dial', 'AnyOf', '{@i}', '{@s}', '{#all}')`,
    );
    await files.query(
      `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method)
      VALUES ('a', 'i', 'x', '\\x00', '', 'password')`,
    );
  });
  after(() => fixture.close());

  /** Times of the cases are seconds away from any end, so that a slow run changes nothing. */
  const isNearEnd = (timeoutRemaining: number) => timeoutRemaining === 1 || timeoutRemaining === 10;

  for (const [index, { name, timeoutRemaining = -1 }] of postureCheckCases(new Date()).entries()) {
    if (isNearEnd(timeoutRemaining)) continue;
    it(name, async () => {
      const { check, state, isPassing } = postureCheckCases(new Date())[index] ?? expect.fail('no such case');
      await files.query('DELETE FROM posture_checks; DELETE FROM sessions; DELETE FROM api_session_postures');
      await stores.postureChecks.create(CHECK_ID, { name: CHECK_ID, roleAttributes: [], tags: {}, ...check });
      await stores.postures.keep('a', state);
      await files.query("UPDATE api_sessions SET mfa_passed_at = $1 WHERE id = 'a'", [state.passedMfaAt]);
      const { grants, posture } = await stores.access.grantsIn('a', { id: 'i', roleAttributes: [] });
      expect(posture?.state).to.deep.equal(state);
      expect(grants.map((grant) => grant.isPassing)).to.deep.equal([isPassing]);
      await files.query(
        `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token)
        VALUES ('t', 'a', 'i', 's', 'Dial', '')`,
      );
      expect(await checkGrants(fixture.database, { ids: ['t'], others: 0, identityId: null })).to.deep.equal({
        seen: 1,
        removed: isPassing ? 0 : 1,
      });
      const { rows } = await files.query('SELECT granted_until FROM sessions');
      const until = grants[0]?.checks[0]?.until ?? null;
      expect(rows.map((row) => row['granted_until'])).to.deep.equal(isPassing ? [until ?? Infinity] : []);
    });
  }
});
