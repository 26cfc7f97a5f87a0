/** Bounds of what logins of one identity leave: API sessions, and records of the audit. Against PostgreSQL. */
import { expect } from 'chai';
import { ApiSessionRegistry } from '../../server/sessions/api-sessions.js';
import { createAuditKeeper } from '../../server/events/audit-keeper.js';
import { createLogger } from '../../server/base/log.js';
import { openDatabase } from '../../db/postgres/db.js';
import { openStores } from '../../db/stores/stores.js';
import type { Stores } from '../../db/stores/stores.js';
import { identityDraft, openStoresForTest, STORE_LIMITS } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';
import { recordStatements } from '../support/statements.js';

const log = createLogger({ level: 'silent', format: 'json' });
const DRAFT = { ipAddress: '127.0.0.1', configTypes: [], api: 'client', certificateHash: null } as const;
const CLIENT = { envInfo: null, sdkInfo: null };
/** The watch over the database asks something every second, as `look` in db/postgres/connection.ts has it. */
const WITHOUT_WATCH = /^(?![\s\S]*SyncRep)/;

interface RecordRow {
  kind: string;
  actor_kind: string;
  entity_id: string | null;
  reason: string | null;
  total: number;
  owner: string | null;
}

describe('logins of one identity', () => {
  let fixture: TestStores;
  let serial = 0;
  before(async () => {
    fixture = await openStoresForTest({ poolSize: 10 });
  });
  after(() => fixture.close());

  const holder = async () => {
    const id = `holder${(serial += 1)}`;
    await fixture.stores.identities.create(id, identityDraft(id, { externalId: id }), []);
    return id;
  };
  const registryOf = (stores: Stores, mostOfIdentity: number): ApiSessionRegistry =>
    new ApiSessionRegistry({
      stores,
      tokenKey: Buffer.alloc(32),
      timeoutSeconds: 1_800,
      maxEntries: 1_000,
      mostOfIdentity,
      log,
    });
  const logIn = async (registry: ApiSessionRegistry, stores: Stores, identityId: string) => {
    const draft = { ...DRAFT, authenticatorId: 'internal', method: 'cert' } as const;
    const proof = { by: 'claim', caId: null, externalId: identityId, isExpired: false } as const;
    const opened = await registry.open(draft, proof, CLIENT, stores);
    if (opened === undefined) throw new Error('no session was opened');
    const { caller } = await registry.authenticate(opened.token);
    return { id: caller.apiSessionId, token: opened.token, caller };
  };
  const sessionsOf = async (identityId: string): Promise<string[]> => {
    const { rows } = await fixture.files.query(
      'SELECT id FROM api_sessions WHERE identity_id = $1 ORDER BY last_activity_at, id',
      [identityId],
    );
    return (rows as unknown as { id: string }[]).map(({ id }) => id);
  };
  const recordsOf = async (identityId: string): Promise<RecordRow[]> => {
    const { rows } = await fixture.files.query(
      `SELECT kind, actor_kind, entity_id, reason, coalesce(before ->> 'identityId', entity_id) AS owner,
        coalesce(before ->> 'count', after ->> 'count', '1')::int AS total
      FROM audit_records WHERE kind IN ('login.succeeded', 'apiSession.deleted')
        AND $1 IN (entity_id, before ->> 'identityId') ORDER BY seq`,
      [identityId],
    );
    return rows as unknown as RecordRow[];
  };
  const sum = (records: readonly RecordRow[], kind: string) =>
    records.filter((record) => record.kind === kind).reduce((total, record) => total + record.total, 0);
  const ageSums = () => fixture.files.query("UPDATE audit_sums SET since = since - interval '2 min'");
  const writeSums = async () => {
    await ageSums();
    const keeper = createAuditKeeper({ stores: fixture.stores, keepDays: 0, controller: 'one', log });
    await keeper.sums();
    await keeper.close();
  };

  it('end the API session that was used least recently, by the controller', async () => {
    const { stores, files } = fixture;
    const identityId = await holder();
    const registry = registryOf(stores, 3);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await logIn(registry, stores, identityId)).id);
    const [first = '', second = '', third = ''] = ids;
    for (const [id, minutes] of [
      [first, 1],
      [second, 20],
      [third, 10],
    ] as const)
      await files.query('UPDATE api_sessions SET last_activity_at = now() - make_interval(mins => $2) WHERE id = $1', [
        id,
        minutes,
      ]);
    const fourth = await logIn(registry, stores, identityId);
    expect(await sessionsOf(identityId)).to.deep.equal([third, first, fourth.id]);
    const ended = (await recordsOf(identityId)).filter(({ kind }) => kind === 'apiSession.deleted');
    expect(ended).to.deep.equal([
      {
        kind: 'apiSession.deleted',
        actor_kind: 'controller',
        entity_id: second,
        reason: null,
        total: 1,
        owner: identityId,
      },
    ]);
    await registry.close();
  });

  it('end all that are too many once the bound is lowered, and none of others', async () => {
    const { stores } = fixture;
    const [identityId, other] = [await holder(), await holder()];
    const wide = registryOf(stores, 1_000);
    for (let n = 0; n < 30; n += 1) await logIn(wide, stores, identityId);
    for (let n = 0; n < 5; n += 1) await logIn(wide, stores, other);
    const narrow = registryOf(stores, 4);
    const last = await logIn(narrow, stores, identityId);
    expect(await sessionsOf(identityId))
      .to.have.lengthOf(4)
      .and.include(last.id);
    expect(await sessionsOf(other)).to.have.lengthOf(5);
    await Promise.all([wide.close(), narrow.close()]);
  });

  it('of two controllers at once keep to the bound but for those that are under way', async () => {
    const { stores, files } = fixture;
    const database = openDatabase({ connection: files.connection, poolSize: 10, patienceMs: 5_000 });
    const sides = [stores, openStores(database, STORE_LIMITS)].map((each) => ({
      stores: each,
      registry: registryOf(each, 20),
    }));
    const identityId = await holder();
    let most = 0;
    let open = sides.length;
    const flood = async ({ registry, stores: own }: (typeof sides)[number]) => {
      for (let round = 0; round < 12; round += 1)
        await Promise.all(Array.from({ length: 8 }, () => logIn(registry, own, identityId).catch(ended)));
      open -= 1;
    };
    /** The session of a login may be the one that the next login ends, before its first request. */
    const ended = (error: unknown) => {
      if (!(error instanceof Error && error.message.includes('unauthenticated'))) throw error;
    };
    const watch = async () => {
      while (open > 0) most = Math.max(most, (await sessionsOf(identityId)).length);
    };
    await Promise.all([...sides.map(flood), watch()]);
    expect(most).to.be.at.most(20 + 16);
    await logIn(sides[0]?.registry ?? registryOf(stores, 20), stores, identityId);
    expect(await sessionsOf(identityId)).to.have.lengthOf(20);
    await Promise.all(sides.map(({ registry }) => registry.close()));
    await database.close();
  });

  it('leave ten records a minute and a sum, which is right, whichever controller they came to', async () => {
    const { stores } = fixture;
    const identityId = await holder();
    const sides = [registryOf(stores, 10), registryOf(stores, 10)];
    for (const registry of sides) for (let n = 0; n < 40; n += 1) await logIn(registry, stores, identityId);
    const before = await recordsOf(identityId);
    expect(before.filter(({ kind }) => kind === 'login.succeeded')).to.have.lengthOf(20);
    await writeSums();
    const records = await recordsOf(identityId);
    expect(sum(records, 'login.succeeded')).to.equal(80);
    expect(sum(records, 'apiSession.deleted')).to.equal(70);
    const sums = records.slice(before.length);
    expect(sums).to.have.lengthOf(2);
    expect(sums.find(({ kind }) => kind === 'login.succeeded')).to.include({
      actor_kind: 'identity',
      entity_id: identityId,
      reason: 'tooManyLogins',
      total: 60,
    });
    expect(sums.find(({ kind }) => kind === 'apiSession.deleted')).to.include({
      actor_kind: 'controller',
      entity_id: null,
      reason: 'tooManyEnds',
      owner: identityId,
    });
    expect(records.length).to.be.at.most(20 + 20 + 2);
    await Promise.all(sides.map((registry) => registry.close()));
  });

  it('and logouts in a loop leave as few', async () => {
    const { stores } = fixture;
    const identityId = await holder();
    const registry = registryOf(stores, 1_000);
    for (let n = 0; n < 25; n += 1) await registry.logOut((await logIn(registry, stores, identityId)).caller, stores);
    const before = await recordsOf(identityId);
    expect(before.map(({ kind }) => kind)).to.have.lengthOf(20);
    await writeSums();
    const records = await recordsOf(identityId);
    expect([sum(records, 'login.succeeded'), sum(records, 'apiSession.deleted')]).to.deep.equal([25, 25]);
    expect(records).to.have.lengthOf(22);
    expect(await sessionsOf(identityId)).to.deep.equal([]);
    await registry.close();
  });

  it('are summed once by several controllers, and not before their minute is over', async () => {
    const { stores } = fixture;
    const identityId = await holder();
    const registry = registryOf(stores, 1_000);
    for (let n = 0; n < 30; n += 1) await logIn(registry, stores, identityId);
    const keepers = ['one', 'two', 'three'].map((controller) =>
      createAuditKeeper({ stores, keepDays: 0, controller, log }),
    );
    await Promise.all(keepers.map((keeper) => keeper.sums()));
    expect(sum(await recordsOf(identityId), 'login.succeeded')).to.equal(10);
    await ageSums();
    await Promise.all(keepers.map((keeper) => keeper.sums()));
    expect(sum(await recordsOf(identityId), 'login.succeeded')).to.equal(30);
    await Promise.all([registry.close(), ...keepers.map((keeper) => keeper.close())]);
  });

  it('that idle out together leave few records too', async () => {
    const { stores, files } = fixture;
    const identityId = await holder();
    await files.query(
      `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method, last_activity_at)
      SELECT 'idle' || n, $1, 'internal', decode(md5(n::text), 'hex'), '', 'cert', now() - interval '1 hour'
      FROM generate_series(1, 300) n`,
      [identityId],
    );
    const before = (await recordsOf(identityId)).length;
    while ((await stores.apiSessions.sweep(1_800, 100)) > 0);
    const ended = (await recordsOf(identityId)).slice(before);
    expect(ended).to.have.lengthOf(30);
    await writeSums();
    expect(sum((await recordsOf(identityId)).slice(before), 'apiSession.deleted')).to.equal(300);
  });

  it('take one statement each', async () => {
    const { stores } = fixture;
    const identityId = await holder();
    const registry = registryOf(stores, 2);
    for (let n = 0; n < 3; n += 1) {
      const recorded = recordStatements(WITHOUT_WATCH);
      await logIn(registry, stores, identityId);
      recorded.stop();
      expect(recorded.texts).to.have.lengthOf(1);
    }
    await registry.close();
  });
});
