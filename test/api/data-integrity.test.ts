/** Data integrity: each kind of damage, done by SQL, is found, repaired where it can be, and found no more. */
import { expect } from 'chai';
import { MAINTENANCE_LOCK } from '../../db/postgres/advisory-locks.js';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import {
  makeEdgeRouterPolicy,
  makeIdentity,
  makeRouter,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from '../support/make.js';
import { expectFault } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { startLogged } from './server-support.js';

const DATABASE = `${MANAGEMENT}/database`;

interface Results {
  readonly startTime: string | null;
  readonly endTime: string | null;
  readonly error: string;
  readonly fixingErrors: boolean;
  readonly inProgress: boolean;
  readonly tooManyErrors: boolean;
  readonly results: readonly { readonly description: string; readonly fixed: boolean }[];
}

interface Case {
  readonly damage: string;
  readonly found: RegExp;
  /** False for what cannot be made again; then it must be undone. */
  readonly isRepaired?: false;
  readonly undo?: string;
}

describe('data integrity', function integrity() {
  this.timeout(300_000);
  let controller: TestController;
  let identity: string;
  let service: string;
  let policy: string;
  before(async () => {
    controller = await startTestController();
    identity = await makeIdentity(controller, { roleAttributes: ['staff', 'guest'], enrollment: { ott: true } });
    service = await makeService(controller, { encryptionRequired: true });
    policy = await makeServicePolicy(controller, { identityRoles: ['#all'], serviceRoles: [`@${service}`] });
    const router = await makeRouter(controller);
    await makeEdgeRouterPolicy(controller, { identityRoles: ['#all'], edgeRouterRoles: [`@${router}`] });
    await makeServiceEdgeRouterPolicy(controller, { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
    const { client } = await controller.newCaller();
    expectStatus(await client.post(`${CLIENT}/current-identity/mfa`), 201);
  });
  after(() => controller.stop());

  const resultsOf = async (): Promise<Results> =>
    expectStatus(await controller.admin.get(`${DATABASE}/data-integrity-results`), 200).data as Results;
  const run = async (what: 'check' | 'fix'): Promise<Results> => {
    // One that ended a moment ago may not have let go of its lock.
    await until(`a ${what}`, async () => {
      const { status } = await controller.admin.post(`${DATABASE}/${what}-data-integrity`);
      expect(status).to.be.oneOf([202, 429]);
      return status === 202;
    });
    return until(
      'its end',
      async () => {
        const results = await resultsOf();
        return results.endTime !== null && results;
      },
      60_000,
    );
  };
  const descriptionsOf = ({ results }: Results) => results.map(({ description }) => description);
  const damaged = async (sql: string) =>
    controller.database.query(
      sql.replaceAll('$identity', identity).replaceAll('$service', service).replaceAll('$policy', policy),
    );

  describe('is refused', () => {
    it('to callers who are no administrators, results included', async () => {
      const { client } = await controller.newCaller({ permissions: ['admin_readonly', 'ops'] });
      for (const what of ['check', 'fix']) expectStatus(await client.post(`${DATABASE}/${what}-data-integrity`), 401);
      expectStatus(await client.get(`${DATABASE}/data-integrity-results`), 401);
    });

    it('while other work is under way, and the results stay', async () => {
      await run('check');
      const before = await resultsOf();
      await until('the lock', async () => {
        const sql = 'SELECT pg_try_advisory_lock($1) AS is_ours';
        return (await controller.database.query(sql, [MAINTENANCE_LOCK])).rows[0]?.['is_ours'] === true;
      });
      for (const what of ['check', 'fix'])
        expectFault(await controller.admin.post(`${DATABASE}/${what}-data-integrity`), 429, 'RATE_LIMITED');
      await controller.database.query('SELECT pg_advisory_unlock($1)', [MAINTENANCE_LOCK]);
      expect(await resultsOf()).to.deep.equal(before);
    });
  });

  it('has no results before the first check', async () => {
    await controller.database.query('DELETE FROM integrity_runs; DELETE FROM integrity_findings');
    expect(await resultsOf()).to.deep.equal({
      endTime: null,
      error: '',
      fixingErrors: false,
      inProgress: false,
      results: [],
      startTime: null,
      tooManyErrors: false,
    });
  });

  it('of a sound network is without findings, by a check and by a repair', async () => {
    for (const what of ['check', 'fix'] as const) {
      const results = await run(what);
      expect(descriptionsOf(results)).to.deep.equal([]);
      expect(results).to.include({ error: '', inProgress: false, tooManyErrors: false, fixingErrors: what === 'fix' });
      expect((results.startTime ?? '') <= (results.endTime ?? '')).to.equal(true);
    }
  });

  const SESSION = `WITH s AS (
      INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method)
      SELECT 'lent', identity_id, id, 'hash %AHEAD%', '', 'password' FROM authenticators LIMIT 1 RETURNING identity_id)
    INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token, granted_epoch)
    SELECT 'stray', 'lent', identity_id, '$service', 'Bind', 'token',
      (SELECT epoch FROM model_epochs WHERE name = 'grants') + %AHEAD% FROM s`;
  const cases: readonly Case[] = [
    {
      damage: "UPDATE entity_counts SET total = total + 2 WHERE kind = 'services'",
      found: /^the total of services is wrong by 2$/,
    },
    {
      damage: "DELETE FROM entity_counts WHERE kind = 'identities'",
      found: /^the total of identities is wrong by -\d+$/,
    },
    {
      damage: "UPDATE role_attribute_counts SET uses = uses + 3 WHERE attribute = 'staff'",
      found: /^the role attribute staff of identities is counted 4 times, and used 1 times$/,
    },
    {
      damage: "DELETE FROM role_attribute_counts WHERE attribute = 'guest'",
      found: /^the role attribute guest of identities is counted 0 times, and used 1 times$/,
    },
    {
      damage: "INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES ('services', 'ghost', 1)",
      found: /^the role attribute ghost of services is counted 1 times, and used 0 times$/,
    },
    {
      damage: "INSERT INTO usernames (username, identity_id) VALUES ('nobody', '$identity')",
      found: /^a username of the identity \w+ is held, though nothing uses it$/,
    },
    {
      damage: `UPDATE service_policies SET identity_roles = ARRAY['#staff', '@gone'] WHERE id = '$policy'`,
      found: /^@gone in identity_roles of service_policies \w+ selects none of identities/,
    },
    {
      damage: `UPDATE edge_router_policies SET edge_router_roles = array_append(edge_router_roles, '@gone')`,
      found: /^@gone in edge_router_roles of edge_router_policies \w+ selects none of routers/,
    },
    { damage: SESSION.replaceAll('%AHEAD%', '0'), found: /^the session stray is granted by no policy$/ },
    {
      damage: SESSION.replaceAll('%AHEAD%', '7').replaceAll("'lent'", "'lent2'"),
      found: /^the epoch grants is 7 behind/,
    },
    {
      damage: `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method)
        VALUES ('orphan', '$identity', 'gone', 'other', '', 'password')`,
      found: /^the API session orphan was opened by an authenticator that is gone$/,
    },
    {
      damage: "UPDATE enrollments SET expires_at = now() - interval '31 days' WHERE identity_id = '$identity'",
      found: /^the enrollment \w+ expired more than 30 days ago$/,
    },
    {
      damage: `INSERT INTO narrowed_services (service_id, epoch)
        SELECT '$service', epoch + 4 FROM model_epochs WHERE name = 'grants'
        ON CONFLICT (service_id) DO UPDATE SET epoch = excluded.epoch`,
      found: /^the epoch grants is 4 behind that of a session or a service/,
    },
    {
      damage: "UPDATE model_epochs SET for_all = epoch + 3 WHERE name = 'grants'",
      found: /^the epoch grants is 3 behind that of a session or a service/,
    },
    { damage: "DELETE FROM model_epochs WHERE name = 'access'", found: /^the epoch access is missing/ },
    { damage: "DELETE FROM model_epochs WHERE name = 'grants'", found: /^the epoch grants is missing/ },
    {
      damage: `INSERT INTO service_views (identity_id, config_types, epoch, digest, changed_at)
        SELECT '$identity', '{}', epoch + 5, '', now() FROM model_epochs WHERE name = 'access'`,
      found: /^1 views of services are ahead of the epoch access/,
    },
    {
      damage: `INSERT INTO api_session_views (api_session_id, epoch, posture_revision, digest, changed_at)
        SELECT s.id, e.epoch + 5, 0, '', now() FROM model_epochs e, (SELECT id FROM api_sessions LIMIT 1) s
        WHERE e.name = 'access'`,
      found: /^1 views of services are ahead of the epoch access/,
    },
    {
      damage: 'DROP TRIGGER services_counted_in ON services',
      found: /^the trigger services_counted_in of services is missing/,
    },
    {
      damage: 'ALTER TABLE services DISABLE TRIGGER services_move_access',
      found: /^the trigger services_move_access of services is switched off$/,
    },
    {
      damage: `CREATE OR REPLACE FUNCTION tell_identity_gone() RETURNS trigger LANGUAGE plpgsql
        AS $$BEGIN RETURN NULL; END $$`,
      found: /^the function tell_identity_gone is missing or was changed$/,
    },
    { damage: 'DROP INDEX revocations_expires_at', found: /^the index revocations_expires_at is missing/ },
    {
      damage: 'ALTER TABLE services DROP CONSTRAINT services_terminator_strategy',
      found: /^not as this release made it: TABLE services$/,
      isRepaired: false,
      undo: `ALTER TABLE services ADD CONSTRAINT services_terminator_strategy
        CHECK (terminator_strategy IN ('smartrouting', 'weighted', 'random', 'sticky'))`,
    },
    {
      damage: `UPDATE pki_entities SET sealed_key = set_byte(sealed_key, 30, get_byte(sealed_key, 30) # 1)
        WHERE purpose = 'intermediate'`,
      found: /^the key intermediate of generation 1 does not open: restore it$/,
      isRepaired: false,
      undo: `UPDATE pki_entities SET sealed_key = set_byte(sealed_key, 30, get_byte(sealed_key, 30) # 1)
        WHERE purpose = 'intermediate'`,
    },
    {
      damage: 'UPDATE network_secrets SET sealed_secret = set_byte(sealed_secret, 30, get_byte(sealed_secret, 30) # 1)',
      found: /^the secret api-session-tokens of the network does not open: restore it$/,
      isRepaired: false,
      undo: 'UPDATE network_secrets SET sealed_secret = set_byte(sealed_secret, 30, get_byte(sealed_secret, 30) # 1)',
    },
    {
      damage: 'UPDATE mfas SET sealed_codes[1] = sealed_secret',
      found: /^the second factor of the identity \w+ does not open: remove it$/,
      isRepaired: false,
      undo: 'DELETE FROM mfas',
    },
  ];
  for (const { damage, found, isRepaired = true, undo } of cases) {
    it(`finds ${isRepaired ? 'and repairs' : 'and tells'}: ${String(found)}`, async () => {
      await damaged(damage);
      const checked = await run('check');
      expect(checked.error).to.equal('');
      const before = checked.results.filter(({ description }) => found.test(description));
      expect(before, descriptionsOf(checked).join('\n')).to.have.length(1);
      expect(before[0]?.fixed).to.equal(false);
      const fixed = await run('fix');
      const repaired = fixed.results.filter(({ description }) => found.test(description));
      expect(
        repaired.map((one) => one.fixed),
        descriptionsOf(fixed).join('\n'),
      ).to.deep.equal([isRepaired]);
      if (undo !== undefined) await damaged(undo);
      // What one repair uncovers, the next one repairs.
      await until('nothing to be found', async () => descriptionsOf(await run('fix')).length === 0, 60_000);
    });
  }

  it('stops at a thousand findings, says so, and repairs the rest the next time', async () => {
    await damaged(`INSERT INTO role_attribute_counts (kind, attribute, uses)
      SELECT 'services', 'ghost-' || i, 1 FROM generate_series(1, 1500) i`);
    const first = await run('fix');
    expect(first.results).to.have.length(1000);
    expect(first.tooManyErrors).to.equal(true);
    const answer = await controller.admin.get(`${DATABASE}/data-integrity-results`);
    expect(answer.meta.pagination?.totalCount).to.equal(1000);
    const second = await run('fix');
    expect(second.results.length).to.be.within(1, 500);
    expect(second.tooManyErrors).to.equal(false);
    expect(descriptionsOf(await run('check'))).to.deep.equal([]);
  });

  it('tells what it cannot repair, and why, and goes on', async () => {
    await damaged("UPDATE entity_counts SET total = total + 1 WHERE kind = 'configs' OR kind = 'services'");
    await damaged(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '0A000'; END $$`);
    await damaged('CREATE TRIGGER refuse BEFORE INSERT ON entity_counts FOR EACH ROW EXECUTE FUNCTION refuse()');
    await damaged("INSERT INTO usernames (username, identity_id) VALUES ('nobody', '$identity')");
    const { results, error } = await run('fix');
    expect(error).to.equal('');
    const total = results.find(({ description }) => description.startsWith('the total of services'));
    expect(total?.description).to.match(/^the total of services is wrong by \d; it could not be repaired \(0A000\)$/);
    expect(total?.fixed).to.equal(false);
    expect(results.find(({ description }) => description.startsWith('a username'))?.fixed).to.equal(true);
    await damaged('DROP FUNCTION refuse CASCADE');
    await run('fix');
    expect(descriptionsOf(await run('check'))).to.deep.equal([]);
  });

  it('is told by every controller, also when the one that ran a check is gone', async () => {
    const env = { EDGE_NAME: 'second', EDGE_DATA_DIR: controller.dataDir, EDGE_MASTER_KEY: '' };
    const second = await startLogged(controller.database, env);
    try {
      const client = await second.login();
      const results = await run('check');
      const there = expectStatus(await client.get(`${DATABASE}/data-integrity-results`), 200).data;
      expect(there).to.deep.equal(results);
      await damaged('UPDATE integrity_runs SET ended_at = NULL');
      const lost = await resultsOf();
      expect(lost).to.include({ inProgress: false, endTime: null });
      expect(lost.error).to.match(/^the controller that ran the check ended/);
    } finally {
      await second.stop();
    }
  });
});
