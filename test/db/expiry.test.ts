/** What has expired is removed, what has not stays, and a turn that fails is no end of it. Against PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { pino } from 'pino';
import { ApiSessionRegistry } from '../../server/sessions/api-sessions.js';
import { createExpirySweeper } from '../../server/sessions/expiry-sweeper.js';
import { createLogger } from '../../server/base/log.js';
import { until } from '../support/poll.js';
import { identityDraft, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const log = createLogger({ level: 'silent', format: 'json' });
const HOUR_MS = 3_600_000;

describe('the sweep of what has expired', () => {
  let fixture: TestStores;
  before(async () => {
    fixture = await openStoresForTest();
  });
  after(() => fixture.close());

  it('removes traces and revocations whose time is over, and no others', async () => {
    const { stores, files } = fixture;
    const sweeper = createExpirySweeper({ traces: stores.identityTraces, revocations: stores.revocations }, log);
    const [over, present] = [randomUUID(), randomUUID()];
    for (const id of [over, present]) {
      await stores.identities.create(id, identityDraft(id), []);
      await stores.identityTraces.begin(id, { traceId: 'x', channels: [], durationMs: HOUR_MS });
      await stores.revocations.put(id, { type: 'IDENTITY', lifetimeSeconds: 3600, tags: {} });
    }
    await files.query("UPDATE identity_traces SET ends_at = now() - interval '1 s' WHERE identity_id = $1", [over]);
    await files.query(
      `UPDATE revocations SET issued_before = now() - interval '2 s', expires_at = now() - interval '1 s'
      WHERE id = $1`,
      [over],
    );
    await sweeper.turn();
    const ids = `SELECT (SELECT array_agg(identity_id) FROM identity_traces) AS traces,
      (SELECT array_agg(id) FROM revocations) AS revocations`;
    expect((await files.query(ids)).rows).to.deep.equal([{ traces: [present], revocations: [present] }]);
    await sweeper.close();
  });

  it('says when idle API sessions cannot be removed', async () => {
    const { stores, files } = fixture;
    const lines: string[] = [];
    const apiSessions = new ApiSessionRegistry({
      stores,
      tokenKey: Buffer.alloc(32),
      timeoutSeconds: 1,
      maxEntries: 10,
      mostOfIdentity: 10,
      log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
    });
    await files.query('ALTER TABLE api_sessions RENAME TO api_sessions_away');
    await until('it is said', () => lines.some((line) => line.includes('could not be removed; it is tried again')));
    await files.query('ALTER TABLE api_sessions_away RENAME TO api_sessions');
    await apiSessions.close();
  });

  it('goes on until a batch was not full, and another sweep beside it takes other rows', async () => {
    const { stores, files } = fixture;
    const insert = (count: number, from: number, end: string) =>
      files.query(
        `INSERT INTO issued_certificates (serial_number, fingerprint, kind, subject_id, issuer_fingerprint, not_before,
          not_after) SELECT n, n, 'apiSession', 'x', 'y', now() - interval '1 day', now() + $3::interval
          FROM generate_series($1::int, $2::int) n`,
        [from, from + count - 1, end],
      );
    await insert(3_217, 1, '-1 s');
    await insert(5, 10_000, '1 h');
    const sweepers = [1, 2].map(() => createExpirySweeper({ issued: stores.issuedCertificates }, log));
    await Promise.all(sweepers.map((sweeper) => sweeper.turn()));
    const left = await files.query('SELECT count(*)::int AS n FROM issued_certificates');
    expect(left.rows).to.deep.equal([{ n: 5 }]);
    await Promise.all(sweepers.map((sweeper) => sweeper.close()));
  });

  it('ends between two batches when the controller stops', async () => {
    let batches = 0;
    let closing: Promise<void> | undefined;
    const endless = {
      sweep: async (max: number) => {
        batches += 1;
        if (batches === 3) closing = sweeper.close();
        return max;
      },
    };
    const sweeper = createExpirySweeper({ endless }, log);
    await sweeper.turn();
    await closing;
    expect(batches).to.equal(3);
  });

  it('takes 20,000 API sessions that ended away in one turn', async () => {
    const { stores, files } = fixture;
    const id = randomUUID();
    await stores.identities.create(id, identityDraft(id), []);
    await files.query(
      `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method, last_activity_at)
      SELECT 'idle' || n, $1, 'internal', decode(md5(n::text), 'hex'), '', 'cert', now() - interval '1 hour'
      FROM generate_series(1, 20000) n`,
      [id],
    );
    const batches: number[] = [];
    const counting = {
      sweep: async (max: number) => {
        const removed = await stores.apiSessions.sweep(1_800, max);
        batches.push(removed);
        return removed;
      },
    };
    const sweeper = createExpirySweeper({ counting }, log);
    await sweeper.turn();
    await sweeper.close();
    const left = await files.query('SELECT count(*)::int AS n FROM api_sessions');
    expect(left.rows).to.deep.equal([{ n: 0 }]);
    expect(Math.max(...batches)).to.be.at.most(1_000);
  });

  it('goes on with the next kind when one cannot be removed', async () => {
    let turns = 0;
    const failing = { sweep: () => Promise.reject(new Error('no')) };
    const counting = { sweep: async () => (turns += 1) };
    const sweeper = createExpirySweeper({ failing, counting }, log);
    await sweeper.turn();
    await sweeper.turn();
    expect(turns).to.equal(2);
    await sweeper.close();
  });
});
