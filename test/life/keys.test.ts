/**
 * Keys and certificates of a network that runs: renewal, a new master key, damage. Against controllers and PostgreSQL.
 */
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { keyPairOf } from '../../domain/pki/keys.js';
import { createKeyRing, parseMasterKey } from '../../domain/pki/master-key.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { startController } from '../../server/start/controller.js';
import { createLogger } from '../../server/base/log.js';
import { createClient, expectStatus } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import { itemsOf } from '../support/entities.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { MANAGEMENT } from '../support/paths.js';

const DAY_SECONDS = 86_400;

function servedCertificate(url: string): Promise<X509Certificate> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const certificate = new X509Certificate(socket.getPeerCertificate().raw);
      socket.destroy();
      resolve(certificate);
    });
    socket.on('error', reject);
  });
}

const sha1 = (certificate: X509Certificate) => createHash('sha1').update(certificate.raw).digest('hex');
const kidOf = (jwt: string) =>
  (JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

describe('a running controller', () => {
  it('renews a server certificate without a restart, keeps key and connections, and signs with it', async () => {
    const masterKey = randomBytes(32).toString('hex');
    const controller = await startTestController({ EDGE_MASTER_KEY: masterKey, EDGE_TLS_RENEWAL_CHECK: '100ms' });
    try {
      const before = await servedCertificate(controller.url);
      const ring = createKeyRing(parseMasterKey(masterKey));
      const { rows } = await controller.database.query('SELECT purpose, sealed_key, cert_pem FROM pki_entities');
      const entity = (purpose: string) =>
        rows.find((row) => row['purpose'] === purpose) as { sealed_key: Buffer; cert_pem: string };
      const keyOf = (purpose: string) => ring.open(entity(purpose).sealed_key, `pki:${purpose}:1`).toString();
      const keys = keyPairOf(keyOf('server'));
      const old = await issueServerCertificate(
        openIssuer({ certPem: entity('intermediate').cert_pem, privateKeyPem: keyOf('intermediate') }),
        {
          now: new Date(Date.now() - 300 * DAY_SECONDS * 1000),
          lifetimeSeconds: 310 * DAY_SECONDS,
          commonName: 'old',
          keys,
          uri: 'spiffe://test/controller/old',
          names: { dns: ['localhost'], ip: ['127.0.0.1', '::1'] },
        },
      );
      await controller.database.query(
        `INSERT INTO pki_entities (purpose, generation, sealed_key, cert_pem, fingerprint, not_before, not_after)
        VALUES ('server', 2, $1, $2, $3, $4, $5)`,
        [ring.seal(keys.privateKeyPem, 'pki:server:2'), old.certPem, old.fingerprint, old.notBefore, old.notAfter],
      );

      const after = await until('another certificate is served', async () => {
        const served = await servedCertificate(controller.url);
        return sha1(served) !== sha1(before) && served;
      });
      expect(sha1(after)).not.to.equal(old.fingerprint);
      expect(Date.parse(after.validTo)).to.be.greaterThan(Date.now() + 300 * DAY_SECONDS * 1000);
      expect(after.publicKey.export({ type: 'spki', format: 'pem' })).to.equal(
        before.publicKey.export({ type: 'spki', format: 'pem' }),
      );
      expectStatus(await controller.admin.get(`${MANAGEMENT}/current-identity`), 200);
      await until('JWTs name it', async () => {
        const [network] = itemsOf(expectStatus(await controller.anonymous.get('/network-jwts'), 200));
        return kidOf(String(network?.['token'])) === sha1(after);
      });
    } finally {
      await controller.stop();
    }
  });
});

describe('the master key', () => {
  it('is changed by one start that has both: from then on the new one alone opens everything', async () => {
    const database = await openTestDatabase();
    const [first, second] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const start = (env: Record<string, string>) =>
      startController(
        readConfig({
          env: {
            DATABASE_URL: database.url,
            EDGE_LISTEN: '127.0.0.1:0',
            EDGE_ADMIN_PASSWORD: ADMIN.password,
            EDGE_LOG_LEVEL: 'silent',
            ...env,
          },
        }),
        createLogger({ level: 'silent', format: 'json' }),
      );
    const once = async (env: Record<string, string>) => {
      const controller = await start(env);
      const client = createClient(controller.url);
      const login = expectStatus(await client.post('/authenticate?method=password', ADMIN), 200);
      const own = createClient(controller.url, (login.data as { token: string }).token);
      await own.post('/current-identity/mfa');
      const mfa = expectStatus(await own.get('/current-identity/mfa'), 200).data;
      own.close();
      client.close();
      await controller.stop();
      return mfa as { provisioningUrl: string; recoveryCodes: string[] };
    };
    try {
      const { provisioningUrl, recoveryCodes } = await once({ EDGE_MASTER_KEY: first });
      await once({ EDGE_MASTER_KEY: second, EDGE_OLD_MASTER_KEYS: first });
      expect(await once({ EDGE_MASTER_KEY: second })).to.deep.include({ provisioningUrl, recoveryCodes });
      const refusal = await once({ EDGE_MASTER_KEY: first }).then(
        () => 'started',
        (error: unknown) => (error as Error).message,
      );
      expect(refusal).to.include('The master key is not the one');
      const { rows } = await database.query(
        "SELECT actor_kind AS actor, before, after FROM audit_records WHERE kind = 'masterKey.changed'",
      );
      expect(rows).to.deep.equal([{ actor: 'controller', before: null, after: null }]);
    } finally {
      await database.close();
    }
  });
});

describe('the sealed keys of a network', () => {
  const [key, earlierKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const ring = createKeyRing(parseMasterKey(key));
  interface Row {
    readonly purpose: string;
    readonly generation: number;
    readonly sealed_key: Buffer;
  }
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(() => database.close());

  /** Starts, logs in and stops. */
  const once = async (env: Record<string, string> = {}): Promise<void> => {
    const controller = await startController(
      readConfig({
        env: {
          DATABASE_URL: database.url,
          EDGE_LISTEN: '127.0.0.1:0',
          EDGE_ADMIN_PASSWORD: ADMIN.password,
          EDGE_LOG_LEVEL: 'silent',
          EDGE_MASTER_KEY: key,
          ...env,
        },
      }),
      createLogger({ level: 'silent', format: 'json' }),
    );
    const client = createClient(controller.url);
    try {
      expectStatus(await client.post('/authenticate?method=password', ADMIN), 200);
    } finally {
      client.close();
      await controller.stop();
    }
  };
  const rows = async () =>
    (await database.query('SELECT purpose, generation, sealed_key FROM pki_entities ORDER BY purpose, generation'))
      .rows as unknown as Row[];
  const put = (purpose: string, generation: number, sealedKey: Buffer) =>
    database.query('UPDATE pki_entities SET sealed_key = $3 WHERE purpose = $1 AND generation = $2', [
      purpose,
      generation,
      sealedKey,
    ]);
  const refusal = async (): Promise<string> =>
    once().then(
      () => 'it started',
      (error: unknown) => (error as Error).message,
    );
  /** The state that a controller of before leaves. */
  const asBefore = async (under = ring) => {
    for (const { purpose, generation, sealed_key: sealedKey } of await rows())
      await put(
        purpose,
        generation,
        under.seal(ring.open(sealedKey, `pki:${purpose}:${generation}`), `pki:${purpose}`),
      );
    await database.query('UPDATE network SET master_key_check = $1', [under.checkValue().replace(/^v2:/, 'v1:')]);
  };
  const opensOnlyInItsRow = ({ purpose, generation, sealed_key: sealedKey }: Row) => {
    expect(ring.open(sealedKey, `pki:${purpose}:${generation}`).toString()).to.include('PRIVATE KEY');
    for (const other of [`pki:${purpose}`, `pki:${purpose}:${generation + 1}`, `pki:x:${generation}`])
      expect(() => ring.open(sealedKey, other), other).to.throw(/another context/);
  };

  it('open in their own rows only', async () => {
    await once();
    await once({ EDGE_ADVERTISE: 'moved.example:1280' });
    const all = await rows();
    expect(all.map(({ purpose, generation }) => `${purpose} ${generation}`)).to.deep.equal([
      'intermediate 1',
      'root 1',
      'server 1',
      'server 2',
    ]);
    all.forEach(opensOnlyInItsRow);
  });

  it('stop the start when one was moved to another row, and it says which', async () => {
    await once();
    await once({ EDGE_ADVERTISE: 'moved.example:1280' });
    const all = await rows();
    const keyOf = (purpose: string, generation: number) =>
      (all.find((row) => row.purpose === purpose && row.generation === generation) as Row).sealed_key;
    const moves = [
      ['server', 1, 'server', 2],
      ['intermediate', 1, 'server', 2],
      ['root', 1, 'intermediate', 1],
      ['intermediate', 1, 'root', 1],
    ] as const;
    for (const [fromPurpose, fromGeneration, purpose, generation] of moves) {
      await put(purpose, generation, keyOf(fromPurpose, fromGeneration));
      expect(await refusal()).to.match(
        new RegExp(
          `^The key '${purpose}', generation ${generation}, of this network does not open: ` +
            `.* restore that row from a backup\\.$`,
        ),
      );
      await put(purpose, generation, keyOf(purpose, generation));
    }
    await put('server', 2, ring.seal(ring.open(keyOf('server', 2), 'pki:server:2'), 'pki:server'));
    expect(await refusal(), 'a context of before, where all were sealed again').to.include(
      "The key 'server', generation 2,",
    );
    await put('server', 2, keyOf('server', 2));
    await once();
  });

  for (const [what, under, env] of [
    ['a database of before', ring, {}],
    [
      'one whose master key changes at the same start',
      createKeyRing(parseMasterKey(earlierKey)),
      { EDGE_OLD_MASTER_KEYS: earlierKey },
    ],
  ] as const) {
    it(`of ${what} are sealed again by a start, each for its row, and stay the same keys`, async () => {
      await once();
      const keysOf = async () =>
        (await rows()).map(({ purpose, generation, sealed_key: sealedKey }) =>
          ring.open(sealedKey, `pki:${purpose}:${generation}`).toString(),
        );
      const before = await keysOf();
      await asBefore(under);
      await once(env);
      expect(await keysOf()).to.deep.equal(before);
      (await rows()).forEach(opensOnlyInItsRow);
      expect((await database.query('SELECT master_key_check FROM network')).rows).to.deep.equal([
        { master_key_check: ring.checkValue() },
      ]);
      await once();
    });
  }
});
