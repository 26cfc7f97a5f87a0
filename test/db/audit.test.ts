/** Who acts in the audit record, its partitions, and the bound on refused logins. Against PostgreSQL. */
import { expect } from 'chai';
import { AUDIT_LOCK } from '../../db/postgres/advisory-locks.js';
import { openDatabase } from '../../db/postgres/db.js';
import type { Database } from '../../db/postgres/contracts.js';
import { openStores } from '../../db/stores/stores.js';
import type { Stores } from '../../db/stores/stores.js';
import { DomainError } from '../../domain/errors.js';
import { operations } from '../../generated/operations.js';
import { createLogger } from '../../server/base/log.js';
import { createRefusedLogins, MOST_OF_ALL, MOST_OF_NETWORK } from '../../server/sessions/refused-logins.js';
import { identityDraft, openStoresForTest, serviceDraft, STORE_LIMITS } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const log = createLogger({ level: 'silent', format: 'json' });

describe('who acts, in the audit record', () => {
  let fixture: TestStores;
  /** One connection for changes: what one leaves behind the next would find. */
  let database: Database;
  let stores: Stores;
  before(async () => {
    fixture = await openStoresForTest();
    const actor = { kind: 'controller', controller: "south's" } as const;
    const { connection } = fixture.files;
    database = openDatabase({ connection, poolSize: 4, patienceMs: 5_000, actor, isCounted: true });
    stores = openStores(database, STORE_LIMITS);
  });
  after(async () => {
    await database.close();
    await fixture.close();
  });

  const actors = async (entityId: string) => {
    const { rows } = await fixture.files.query(
      `SELECT kind, actor_kind, actor_id, actor_name, api_session_id, address, request_id, controller
      FROM audit_records WHERE entity_id = $1 ORDER BY seq`,
      [entityId],
    );
    return rows;
  };
  const own = { actor_id: null, actor_name: null, api_session_id: null, address: null, request_id: null };
  const byItself = { ...own, actor_kind: 'controller', controller: "south's" };
  const names = [`o'hara`, 'a|b|c', "'; DROP TABLE identities; --", 'ünïcode 🔑', 'back\\slash', '$1'];

  it('is told with single statements, with a WITH, in transactions, and never stays on the connection', async () => {
    for (const [index, name] of names.entries()) {
      const actor = {
        kind: 'identity',
        id: `actor${index}`,
        name,
        apiSessionId: 'session',
        address: '2001:db8::1',
        requestId: 'r.e-q_1',
        controller: name,
      } as const;
      const told = {
        actor_kind: 'identity',
        actor_id: actor.id,
        actor_name: name,
        api_session_id: 'session',
        address: '2001:db8::1',
        request_id: 'r.e-q_1',
        controller: name,
      };
      const scoped = stores.forRequest({ actor });
      const [first, second] = [`first${index}`, `second${index}`];
      await scoped.identities.create(first, identityDraft(first), []); // WITH, with its place for the actor
      await scoped.identities.update(first, { roleAttributes: ['x'] }); // UPDATE
      await scoped.identities.disable(first, 1); // WITH, without one
      await scoped.transaction(async (tx) => {
        await tx.services.create(second, serviceDraft(second));
      });
      await scoped.identities.removeOrdinary(first, { isAdmin: true, permissions: [] }); // DELETE
      const created = (kind: string) => ({ kind, ...told });
      expect(await actors(first)).to.deep.equal(
        ['identity.created', 'identity.updated', 'identity.updated', 'identity.deleted'].map(created),
      );
      expect(await actors(second)).to.deep.equal([created('service.created')]);
      const third = `third${index}`;
      await stores.identities.create(third, identityDraft(third), []);
      expect(await actors(third)).to.deep.equal([{ kind: 'identity.created', ...byItself }]);
    }
  });

  it('costs no statement more where one makes the change', async () => {
    const scoped = stores.forRequest({ actor: { kind: 'identity', id: 'actor' } });
    const statements = () => database.statements?.times.pool.cumulative().at(-1) ?? NaN;
    const changes = {
      'insert of knex': () =>
        scoped.configTypes.create('type', { name: 'type', schema: null, target: 'service', tags: {} }),
      'update of knex': () => scoped.configTypes.update('type', { name: 'other' }),
      'delete': () => scoped.configTypes.remove('type'),
      'with': () => scoped.identities.create('one', identityDraft('one'), []),
    };
    const taken: Record<string, number> = {};
    for (const [what, change] of Object.entries(changes)) {
      const before = statements();
      await change();
      taken[what] = statements() - before;
    }
    expect(taken).to.deep.equal({ 'insert of knex': 1, 'update of knex': 1, 'delete': 1, 'with': 1 });
    const whose = (await actors('type')).map(({ kind, actor_id: id }) => `${String(kind)} by ${String(id)}`);
    expect(whose).to.deep.equal(['created', 'updated', 'deleted'].map((verb) => `configType.${verb} by actor`));
  });

  it('holds nothing but ids and addresses of the usual form', async () => {
    const bad = "x'; SELECT 1; --";
    const actor = { kind: 'identity', id: bad, apiSessionId: bad, address: bad, requestId: bad } as const;
    await stores.forRequest({ actor }).transaction(async (tx) => tx.services.create('bad', serviceDraft('bad')));
    expect(await actors('bad')).to.deep.equal([
      { kind: 'service.created', ...own, actor_kind: 'identity', controller: null },
    ]);
  });

  it('goes with the transaction: nothing of one that is rolled back', async () => {
    const scoped = stores.forRequest({ actor: { kind: 'operator' } });
    await scoped
      .transaction(async (tx) => {
        await tx.services.create('gone', serviceDraft('gone'));
        throw new Error('no');
      })
      .catch(() => undefined);
    expect(await actors('gone')).to.deep.equal([]);
  });

  it('is read as events in pages of few bytes, one record at a time where that has more', async () => {
    const first = (await stores.events.close()) + 1;
    for (const [index, size] of [10, 400_000, 400_000, 1_500_000, 10, 10].entries())
      await fixture.files.query(
        `INSERT INTO audit_records (kind, entity_type, entity_id, actor_kind, after)
        VALUES ('config.created', 'config', $1, 'operator', jsonb_build_object('text', repeat('x', $2)))`,
        [`large${index}`, size],
      );
    const last = await stores.events.close();
    const pages: (string | null)[][] = [];
    for (let at = { batch: first, seq: 0 }; at.batch <= last;) {
      const { records, end } = await stores.events.after(at, last, 100);
      pages.push(records.map(({ entityId }) => entityId));
      at = end;
    }
    expect(pages).to.deep.equal([['large0', 'large1', 'large2'], ['large3'], ['large4', 'large5']]);
    const { records } = await stores.events.after({ batch: first, seq: 0 }, last, 2);
    expect(records.map(({ entityId }) => entityId)).to.deep.equal(['large0', 'large1']);
  });

  it('is numbered in the order of the changes of one entity', async () => {
    await stores.services.create('counted', serviceDraft('counted'));
    const changes = Array.from({ length: 20 }, (_, index) =>
      stores.services.update('counted', { maxIdleTimeMillis: index + 1 }),
    );
    await Promise.all(changes);
    const { rows } = await fixture.files.query(
      `SELECT before ->> 'maxIdleTimeMillis' AS before, after ->> 'maxIdleTimeMillis' AS after FROM audit_records
      WHERE entity_id = 'counted' AND kind = 'service.updated' ORDER BY seq`,
    );
    expect(rows).to.have.length(20);
    rows.slice(1).forEach((row, index) => {
      expect(row['before'], `change ${index + 2} follows the one before`).to.equal(rows[index]?.['after']);
    });
  });
});

describe('the months of the audit record', () => {
  let fixture: TestStores;
  before(async () => {
    fixture = await openStoresForTest();
  });
  after(() => fixture.close());

  const add = (at: string) =>
    fixture.files.query(
      `INSERT INTO audit_records (at, kind, entity_type, actor_kind) VALUES (${at}, 'x.updated', 'x', 'controller')
      RETURNING tableoid::regclass::text AS part`,
    );
  const partitions = async () =>
    (
      await fixture.files.query(
        `SELECT inhrelid::regclass::text AS part FROM pg_inherits
        WHERE inhparent = 'audit_records'::regclass ORDER BY 1`,
      )
    ).rows.map(({ part }) => String(part));

  it('are there before they begin; what has none is taken all the same, and gets one at the next turn', async () => {
    const { auditRecords } = fixture.stores;
    await auditRecords.makePartitions(2); // the template may be of the month before
    expect(await auditRecords.makePartitions(2)).to.equal(0);
    const [{ part } = {}] = (await add("now() + interval '2 months'")).rows;
    expect(part).to.match(/^audit_records_\d{4}_\d{2}$/);
    const [{ part: rest } = {}] = (await add("'2031-03-31 23:59:59.999+00'")).rows;
    expect(rest).to.equal('audit_records_rest');
    await add("'2031-04-01 00:00+00'");
    expect(await auditRecords.makePartitions(2)).to.equal(2);
    expect(await partitions()).to.include.members(['audit_records_2031_03', 'audit_records_2031_04']);
    const { rows } = await fixture.files.query(
      'SELECT tableoid::regclass::text AS part FROM audit_records WHERE extract(year FROM at) = 2031 ORDER BY at',
    );
    expect(rows).to.deep.equal([{ part: 'audit_records_2031_03' }, { part: 'audit_records_2031_04' }]);
    expect((await add("'2031-04-02 00:00+00'")).rows).to.deep.equal([{ part: 'audit_records_2031_04' }]);
  });

  it('are dropped when all that they hold is older than the time for which records are kept', async () => {
    const { auditRecords } = fixture.stores;
    await add("now() - interval '500 days'");
    await add("now() - interval '300 days'");
    expect(await auditRecords.makePartitions(2)).to.equal(2);
    await add("now() - interval '900 days'"); // into the rest
    const before = await partitions();
    expect(await auditRecords.dropPartitions(400)).to.equal(1);
    expect(before.filter((part) => part !== 'audit_records_rest')).to.have.length(
      (await partitions()).filter((part) => part !== 'audit_records_rest').length + 1,
    );
    const { rows } = await fixture.files.query(
      "SELECT count(*)::int AS n FROM audit_records WHERE at < now() - interval '400 days'",
    );
    expect(rows).to.deep.equal([{ n: 0 }]);
    expect(await auditRecords.dropPartitions(400)).to.equal(0);
  });

  it('are left alone while another controller is at work on them', async () => {
    await fixture.files.query('BEGIN');
    try {
      await fixture.files.query('SELECT pg_advisory_xact_lock($1)', [AUDIT_LOCK]);
      await add("'2032-01-01 00:00+00'");
      expect(await fixture.stores.auditRecords.makePartitions(2)).to.equal(0);
    } finally {
      await fixture.files.query('ROLLBACK');
    }
  });
});

describe('refused logins', () => {
  let fixture: TestStores;
  before(async () => {
    fixture = await openStoresForTest();
  });
  after(() => fixture.close());

  it('are bounded for each network and for all: what is beyond becomes a sum', async () => {
    const refused = createRefusedLogins({ stores: fixture.stores, controller: 'north', log });
    const operation = operations.client.authenticate;
    const error = new DomainError('invalidAuth', { reasonCode: 'wrongPassword' });
    const fail = (address: string) => {
      refused.seen({ error, seen: { address, operation, facts: { loginMethod: 'password' } }, requestId: 'r' });
    };
    const NETWORKS = 300;
    for (let n = 0; n < MOST_OF_NETWORK + 5; n += 1) fail('192.0.2.1');
    for (let n = 0; n < 7; n += 1) fail(`2001:db8::${n}`);
    for (let n = 0; n < NETWORKS; n += 1) fail(`198.51.${Math.floor(n / 250)}.${n % 250}`);
    await refused.turn();
    const { rows } = await fixture.files.query(
      `SELECT address, reason, controller, after FROM audit_records WHERE kind = 'login.failed' ORDER BY seq`,
    );
    const single = rows.filter(({ reason }) => reason === 'wrongPassword');
    const sums = rows.filter(({ reason }) => reason === 'tooManyRefusals');
    expect(single).to.have.length(MOST_OF_ALL);
    expect(single.filter(({ address }) => address === '192.0.2.1')).to.have.length(MOST_OF_NETWORK);
    expect(sums.length).to.be.below(110);
    const countOf = ({ after }: Record<string, unknown>) => (after as { count: number }).count;
    expect(sums.reduce((total, row) => total + countOf(row), 0)).to.equal(
      MOST_OF_NETWORK + 5 + 7 + NETWORKS - MOST_OF_ALL,
    );
    expect(sums.find(({ address }) => address === '192.0.2.1')?.['after']).to.deep.include({ count: 5 });
    expect(rows.every(({ controller }) => controller === 'north')).to.equal(true);
    fail('192.0.2.1'); // a new minute
    await refused.close();
    const after = await fixture.files.query(
      `SELECT count(*)::int AS n FROM audit_records WHERE reason = 'wrongPassword'`,
    );
    expect(after.rows).to.deep.equal([{ n: MOST_OF_ALL + 1 }]);
  });
});
