/**
 * Certificates that were made while a clock was ahead, and an expired root: replaced where that is possible, else
 * explained.
 */
import { randomBytes, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { expect } from 'chai';
import pino from 'pino';
import { openDatabase } from '../../db/postgres/db.js';
import { openStores } from '../../db/stores/stores.js';
import type { StoreSet } from '../../db/stores/stores.js';
import { createIntermediateCa, createRootCa, issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { newKeyPair } from '../../domain/pki/keys.js';
import { createKeyRing, parseMasterKey } from '../../domain/pki/master-key.js';
import { serverNames } from '../../domain/pki/server-name.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { startController } from '../../server/start/controller.js';
import type { RunningController } from '../../server/start/controller.js';
import { INTERMEDIATE_NAME } from '../../server/keys/authority-keys.js';
import { sealed } from '../../server/keys/pki-records.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { STORE_LIMITS } from '../support/stores.js';

const DAY_MS = 86_400_000;
const masterKey = randomBytes(32).toString('hex');
const ring = createKeyRing(parseMasterKey(masterKey));
const inFuture = (ms: number) => new Date(Date.now() + ms);

/** Days from now at which each certificate is made. */
interface Made {
  readonly root: number;
  readonly intermediate: number;
  readonly server: number;
}

async function makeServer(
  issuer: { certPem: string; privateKeyPem: string },
  keys: Awaited<ReturnType<typeof newKeyPair>>,
  now: Date,
) {
  return issueServerCertificate(openIssuer(issuer), {
    now,
    commonName: 'test',
    keys,
    uri: 'spiffe://test/controller/x',
    names: serverNames({ advertise: 'localhost:1280', others: [] }),
  });
}

function servedBy({ url }: RunningController): Promise<{ leaf: X509Certificate; issuer: X509Certificate }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false }, () => {
      const { raw, issuerCertificate } = socket.getPeerCertificate(true);
      socket.destroy();
      resolve({ leaf: new X509Certificate(raw), issuer: new X509Certificate(issuerCertificate.raw) });
    });
    socket.on('error', reject);
  });
}

describe('a clock that was wrong', () => {
  let database: TestDatabase;
  let controller: RunningController | undefined;
  let lines: { level: number; msg: string; purpose?: string }[];
  beforeEach(async () => {
    database = await openTestDatabase();
    controller = undefined;
    lines = [];
  });
  afterEach(async () => {
    await controller?.stop();
    await database.close();
  });

  const inStores = async <T>(work: (tx: StoreSet) => Promise<T>): Promise<T> => {
    const opened = openDatabase({ connection: database.connection, poolSize: 2, patienceMs: 5_000 });
    try {
      return await openStores(opened, STORE_LIMITS).transaction(work);
    } finally {
      await opened.close();
    }
  };
  const makeNetwork = async (made: Made) => {
    const at = (days: number) => inFuture(days * DAY_MS);
    const [rootKeys, intermediateKeys, serverKeys] = [
      await newKeyPair('ec-p256'),
      await newKeyPair('ec-p256'),
      await newKeyPair('ec-p256'),
    ];
    const root = await createRootCa({ now: at(made.root), commonName: 'Root', keys: rootKeys });
    const intermediate = await createIntermediateCa(
      openIssuer({ certPem: root.certPem, privateKeyPem: rootKeys.privateKeyPem }),
      { now: at(made.intermediate), commonName: INTERMEDIATE_NAME, keys: intermediateKeys },
    );
    const issuer = { certPem: intermediate.certPem, privateKeyPem: intermediateKeys.privateKeyPem };
    const server = await makeServer(issuer, serverKeys, at(made.server));
    await inStores(async (tx) => {
      await tx.network.create({ trustDomain: 'test', masterKeyCheck: ring.checkValue(), advertise: 'localhost:1280' });
      await tx.network.addPki(sealed('root', 1, root, { keys: rootKeys, keyRing: ring }));
      await tx.network.addPki(sealed('intermediate', 1, intermediate, { keys: intermediateKeys, keyRing: ring }));
      await tx.network.addPki(sealed('server', 1, server, { keys: serverKeys, keyRing: ring }));
    });
    return {
      issuer,
      serverKeys,
      intermediate: new X509Certificate(intermediate.certPem),
      server: new X509Certificate(server.certPem),
    };
  };
  const start = async () => {
    const config = readConfig({
      env: {
        DATABASE_URL: database.url,
        EDGE_LISTEN: '127.0.0.1:0',
        EDGE_MASTER_KEY: masterKey,
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_TLS_RENEWAL_CHECK: '100ms',
      },
    });
    controller = await startController(
      config,
      pino(
        {},
        {
          write: (line: string) => {
            lines.push(JSON.parse(line) as (typeof lines)[number]);
          },
        },
      ),
    );
    return controller;
  };
  const replaced = () =>
    lines
      .filter(
        ({ msg }) =>
          msg === 'a certificate is not yet valid, since it was made while a clock was ahead: it is replaced',
      )
      .map(({ level, purpose }) => [level, purpose]);
  const expectValid = ({ validFrom, validTo }: X509Certificate) => {
    expect(Date.parse(validFrom)).to.be.lessThan(Date.now());
    expect(Date.parse(validTo)).to.be.greaterThan(Date.now() + 300 * DAY_MS);
  };

  it('costs a server certificate at the next start, and its key stays', async () => {
    const before = await makeNetwork({ root: -1, intermediate: -1, server: 300 });
    const { leaf, issuer } = await servedBy(await start());
    expectValid(leaf);
    expect(issuer.fingerprint).to.equal(before.intermediate.fingerprint);
    expect(leaf.publicKey.equals(before.server.publicKey)).to.equal(true);
    expect(replaced()).to.deep.equal([[40, 'server']]);
  });

  it('costs an intermediate and all that it signed', async () => {
    const before = await makeNetwork({ root: -1, intermediate: 400, server: 400 });
    const { leaf, issuer } = await servedBy(await start());
    expectValid(leaf);
    expectValid(issuer);
    expect(issuer.fingerprint).not.to.equal(before.intermediate.fingerprint);
    expect(replaced()).to.deep.equal([[40, 'intermediate']]);
  });

  it('is found by a running controller, when another one made a certificate', async () => {
    const before = await makeNetwork({ root: -1, intermediate: -1, server: -1 });
    const first = (await servedBy(await start())).leaf;
    const {
      rows: [{ generation } = {}],
    } = await database.query("SELECT max(generation)::int AS generation FROM pki_entities WHERE purpose = 'server'");
    const ahead = await makeServer(before.issuer, before.serverKeys, inFuture(300 * DAY_MS));
    await inStores((tx) =>
      tx.network.addPki(sealed('server', Number(generation) + 1, ahead, { keys: before.serverKeys, keyRing: ring })),
    );
    const running = controller;
    if (running === undefined) throw new Error('it does not run');
    const leaf = await until('another certificate is served', async () => {
      const served = await servedBy(running);
      return served.leaf.fingerprint !== first.fingerprint && served.leaf;
    });
    expectValid(leaf);
    expect(replaced()).to.deep.equal([[40, 'server']]);
  });

  it('of a few seconds changes nothing', async () => {
    await makeNetwork({ root: -1, intermediate: -1, server: 100_000 / DAY_MS });
    await start();
    expect(replaced()).to.deep.equal([]);
  });

  for (const [what, made, sentence] of [
    [
      'is not yet valid',
      { root: 500, intermediate: 500, server: 500 },
      /^The root certificate .* begins on 20\S+Z only, .*clock .* says 20\S+Z\. Correct the clock .* with an empty/,
    ],
    [
      'is over',
      { root: -8000, intermediate: -7900, server: -7900 },
      /^The root certificate .* ended on 20\S+Z, .*clock .* says 20\S+Z\. Correct the clock .* with an empty/,
    ],
  ] as const) {
    it(`stops a start when the root ${what}, with what to do`, async () => {
      await makeNetwork(made);
      const refusal = await start().then(
        () => undefined,
        (error: unknown) => error as Error,
      );
      expect(refusal?.constructor.name).to.equal('ConfigError');
      expect(refusal?.message).to.match(sentence);
    });
  }
});
