/**
 * A right that was taken away is refused by every controller: also by one that read the old row just before the change
 * was committed, and by one that never heard of the change. Two controllers share a database, as workers do.
 */
import { expect } from 'chai';
import pg from 'pg';
import { hashToken, newId, newToken } from '../../domain/auth/tokens.js';
import { authPolicy } from '../support/auth-policy.js';
import { createClient, expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { amount } from '../support/unless.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startLogged, startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

const ATTRIBUTE = 'stale';
const ROUNDS = amount(80, 300);

interface Subject {
  readonly id: string;
  readonly name: string;
}

/** What a client sees while it has the right, and no longer sees without it. */
type HasRight = (client: Client) => Promise<boolean>;

const isAnswered =
  (path: string): HasRight =>
  async (client) =>
    (await client.get(path)).status === 200;
const seesServices: HasRight = async (client) =>
  (expectStatus(await client.get(`${C}/services`), 200).data as unknown[]).length > 0;
const isNotAskedToExtend: HasRight = async (client) =>
  !(expectStatus(await client.get(`${C}/current-api-session`), 200).data as { isCertExtendRequested: boolean })
    .isCertExtendRequested;

const CHANGES: readonly (readonly [what: string, sql: string, hasRight: HasRight])[] = [
  [
    'an administrator loses the right',
    'UPDATE identities SET is_admin = false WHERE id = $1',
    isAnswered(`${M}/identities?limit=1`),
  ],
  [
    'an identity is disabled',
    'UPDATE identities SET disabled_at = now() WHERE id = $1',
    isAnswered(`${C}/current-identity`),
  ],
  [
    'an auth policy stops allowing passwords',
    `UPDATE auth_policies p SET updb_allowed = false FROM identities i WHERE i.auth_policy_id = p.id AND i.id = $1`,
    isAnswered(`${C}/current-identity`),
  ],
  [
    'an auth policy begins to require tokens of a signer',
    `UPDATE auth_policies p SET require_ext_jwt_signer_id = 'required-signer'
    FROM identities i WHERE i.auth_policy_id = p.id AND i.id = $1`,
    isAnswered(`${C}/current-identity`),
  ],
  ['an identity loses its role attributes', "UPDATE identities SET role_attributes = '{}' WHERE id = $1", seesServices],
  [
    'an authenticator is asked to extend',
    'UPDATE authenticators SET extend_requested_at = now() WHERE identity_id = $1',
    isNotAskedToExtend,
  ],
];

describe('a right that was taken away', function staleRights() {
  this.timeout(300_000);
  let pair: Pair;
  let database: TestDatabase;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;
  let pool: pg.Pool;

  before(async () => {
    pair = await startPair();
    ({ database, one, two, admin } = pair);
    pool = new pg.Pool({ ...database.connection, max: 4 });
    await database.query(
      `INSERT INTO external_jwt_signers (id, name, issuer, audience, jwks_endpoint, is_enabled, use_external_id,
        claims_property, client_id, target_token, enroll_to_cert_enabled, enroll_to_token_enabled,
        enroll_auth_policy_id, enroll_name_claims_selector, enroll_attribute_claims_selector)
      VALUES ('required-signer', 'required', 'https://required.example.com/', 'network', 'https://keys.example.com/',
        true, false, '/sub', '', 'ACCESS', false, false, 'default', '/sub', '')`,
    );
    expectStatus(await admin.post(`${M}/services`, { name: 'seen', encryptionRequired: false }), 201);
    expectStatus(
      await admin.post(`${M}/service-policies`, {
        name: 'sees',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: [`#${ATTRIBUTE}`],
        serviceRoles: ['#all'],
      }),
      201,
    );
  });
  after(async () => {
    await pool.end();
    await pair.stop();
  });

  /** An identity with every right that is taken away here, without a session. */
  const newSubject = async (): Promise<Subject> => {
    const name = unique('stale');
    const { data } = expectStatus(await admin.post(`${M}/auth-policies`, { ...authPolicy(), name }), 201);
    const authPolicyId = (data as { id: string }).id;
    const { id } = await makeUser(admin, name, { isAdmin: true, roleAttributes: [ATTRIBUTE], authPolicyId });
    return { id, name };
  };

  for (const [what, sql, hasRight] of CHANGES) {
    it(`is refused everywhere when ${what} while a first session is opened`, async () => {
      const { id, name } = await newSubject();
      const change = new pg.Client(database.connection);
      await change.connect();
      try {
        await change.query('BEGIN');
        await change.query(sql, [id]);
        const onOne = await one.login(name, PASSWORD);
        const onTwo = two.client(onOne.token);
        for (const client of [onOne, onTwo]) expect(await hasRight(client), 'before the commit').to.equal(true);
        await change.query('COMMIT');
        const committed = performance.now();
        for (const client of [onOne, onTwo]) await until('the change holds', async () => !(await hasRight(client)));
        console.log(`      on both after ${(performance.now() - committed).toFixed(1)} ms`);
      } finally {
        await change.end();
      }
    });
  }

  it(`is refused in ${ROUNDS} rounds of new sessions against the loss of all rights, while others write`, async () => {
    const subject = await newSubject();
    const halt = { now: false };
    const service = expectStatus(await admin.post(`${M}/services`, { name: 'written', encryptionRequired: false }), 201)
      .data as { id: string };
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let turn = 0; !halt.now; turn += 1) {
        expectStatus(await admin.patch(`${M}/services/${service.id}`, { tags: { writer, turn } }), 200);
      }
    });
    const stale: number[] = [];
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        await database.query('UPDATE identities SET is_admin = true, role_attributes = $2 WHERE id = $1', [
          subject.id,
          [ATTRIBUTE],
        ]);
        const [first, second, third] = (await Promise.all([
          ...[0, 2, 4].map((ms) => pause(ms).then(() => openOnTwo(subject))),
          admin.put(`${M}/identities/${subject.id}`, {
            name: subject.name,
            type: 'User',
            isAdmin: false,
            roleAttributes: [],
          }),
        ])) as [Client, Client, Client, unknown];
        for (const client of [first, second, third]) {
          await until('refused', async () => !(await isAnswered(`${M}/identities?limit=1`)(client)), 10_000).catch(
            () => {
              stale.push(round);
            },
          );
          client.close();
        }
        await database.query('DELETE FROM api_sessions WHERE identity_id = $1', [subject.id]);
      }
    } finally {
      halt.now = true;
      await Promise.all(writers);
    }
    expect(stale, 'rounds in which the right lived on').to.deep.equal([]);
  });

  /**
   * What a login commits, without the time that hashing takes: so that its first use falls into the moment of the
   * change.
   */
  const openOnTwo = async ({ id }: Subject): Promise<Client> => {
    const token = newToken();
    await pool.query(
      `INSERT INTO api_sessions (id, identity_id, authenticator_id, method, token_hash, ip_address, config_types)
      SELECT $1, identity_id, id, 'password', $2, '127.0.0.1', '{}' FROM authenticators WHERE identity_id = $3`,
      [newId(), hashToken(token), id],
    );
    const client = createClient(two.url, token);
    await isAnswered(`${M}/identities?limit=1`)(client);
    return client;
  };
});

describe('a right whose loss was announced to no controller', function unheard() {
  this.timeout(300_000);
  /** Used sessions are compared with the database at a quarter of this, unused ones read again after half of it. */
  const TIMEOUT_S = 8;
  let database: TestDatabase;
  let controller: LoggedController;

  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, { EDGE_API_SESSION_TIMEOUT: `${TIMEOUT_S}s`, EDGE_LOG_REQUESTS: 'none' });
    for (const table of ['identities', 'api_sessions'])
      await database.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const subject = async (): Promise<{ client: Client; id: string }> => {
    const admin = await controller.login();
    const name = unique('unheard');
    const { id } = await makeUser(admin, name, { isAdmin: true });
    const client = await controller.login(name, PASSWORD);
    expect(await isAnswered(`${M}/identities`)(client)).to.equal(true);
    return { client, id };
  };

  it('is refused soon when the session is used all the time', async () => {
    const { client, id } = await subject();
    await database.query('UPDATE identities SET is_admin = false WHERE id = $1', [id]);
    await until('the right is refused', async () => !(await isAnswered(`${M}/identities`)(client)));
    expectStatus(await client.get(`${C}/current-identity`), 200);
  });

  it('is refused soon when the session itself is gone', async () => {
    const { client, id } = await subject();
    await database.query('DELETE FROM api_sessions WHERE identity_id = $1', [id]);
    await until('the session is refused', async () => !(await isAnswered(`${C}/current-identity`)(client)));
  });

  for (const [when, backMs] of [
    ['', 0],
    [', also when the clock was set back', 3_600_000],
  ] as const) {
    it(`is refused at the first use of a session that was not used for a while${when}`, async () => {
      const { client, id } = await subject();
      const now = Date.now;
      Date.now = () => now() - backMs;
      try {
        await rest(0.3); // its use is written, and compared with the database
        await database.query('UPDATE identities SET is_admin = false WHERE id = $1', [id]);
        await rest(0.55);
        expect(await isAnswered(`${M}/identities`)(client)).to.equal(false);
      } finally {
        Date.now = now;
      }
    });
  }

  const rest = (share: number) => {
    const end = performance.now() + TIMEOUT_S * 1_000 * share;
    return until('the session rests', () => performance.now() > end);
  };
});

const pause = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
