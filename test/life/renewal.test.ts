/** `renew`: a certificate of the network is renewed early, with a running controller and without one. */
import { userInfo } from 'node:os';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import pg from 'pg';
import { runningConnection } from '../../db/embedded/supervisor.js';
import { certificatesOf, toPem } from '../../domain/pki/pem.js';
import { entityOf, itemsOf } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { createCertificateClient, makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { caBundle } from '../support/authority-scene.js';
import { ADMIN, startTestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import { withoutNews } from '../support/page.js';
import { until } from '../support/poll.js';
import { ProcessShop, serverProcesses } from '../support/process.js';
import type { ControllerProcess, Exit, LogLine } from '../support/process.js';

const run = promisify(execFile);
const FIRST_START = { EDGE_ADMIN_USERNAME: ADMIN.username, EDGE_ADMIN_PASSWORD: ADMIN.password };

interface Shown {
  readonly cert: string;
  readonly key: string;
}
interface Renewal extends Exit {
  readonly stdout: string;
  readonly stderr: string;
  readonly log: readonly LogLine[];
}

const printOf = (certificate: X509Certificate): string => certificate.fingerprint.replaceAll(':', '').toLowerCase();
const chainOf = (pem: string): X509Certificate[] => certificatesOf(pem).map((der) => new X509Certificate(der));

/** The certificate that a new connection is shown, and the one above it. */
function served(url: string): Promise<{ leaf: string; issuer: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const { raw, issuerCertificate } = socket.getPeerCertificate(true);
      socket.destroy();
      resolve({ leaf: printOf(new X509Certificate(raw)), issuer: printOf(new X509Certificate(issuerCertificate.raw)) });
    });
    socket.on('error', reject);
  });
}

describe('renew', function renewing() {
  this.timeout(300_000);
  const shop = new ProcessShop();
  const certified: Client[] = [];
  after(async () => {
    certified.forEach((client) => {
      client.close();
    });
    await shop.end();
  });

  const renew = async (dataDir: string, what: string, env: Readonly<Record<string, string>> = {}): Promise<Renewal> => {
    const child = shop.start(dataDir, { args: ['renew', what], env });
    const exit = await child.ended;
    return { ...exit, stdout: child.stdout(), stderr: withoutNews(child.stderr()), log: child.log() };
  };
  /** The fingerprint that a successful run prints, in lower-case hex. */
  const renewed = async (dataDir: string, what: 'server' | 'intermediate'): Promise<string> => {
    const { code, stderr, stdout } = await renew(dataDir, what);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout)
      .to.include(`The ${what} certificate was renewed.\n  fingerprint  `)
      .and.to.match(/\n {2}valid until {2}\w{3} .* GMT\n/);
    return (/fingerprint {2}([0-9A-F:]{59})\n/.exec(stdout)?.[1] ?? '').replaceAll(':', '').toLowerCase();
  };
  const query = async <Row extends object>(dataDir: string, sql: string): Promise<Row[]> => {
    const client = new pg.Client({ ...runningConnection(dataDir), ssl: false });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const issued = (dataDir: string, kind: 'server' | 'intermediate') =>
    query<{ fingerprint: string; issuer: string }>(
      dataDir,
      `SELECT fingerprint, issuer_fingerprint AS issuer FROM issued_certificates WHERE kind = '${kind}'
        ORDER BY created_at, not_before, serial_number`,
    );
  const listed = async (admin: Client): Promise<string[]> =>
    itemsOf(expectStatus(await admin.get(`${MANAGEMENT}/controllers`), 200)).map(({ fingerprint }) =>
      String(fingerprint),
    );
  const login = async (url: string, shown: Shown): Promise<number> => {
    const client = createCertificateClient(url, shown);
    certified.push(client);
    return (await client.post(`${CLIENT}/authenticate?method=cert`, {})).status;
  };
  const newEnrollment = async (admin: Client, name: string): Promise<{ token: string; jwt: string }> => {
    const { id } = entityOf(
      expectStatus(
        await admin.post(`${MANAGEMENT}/identities`, {
          name,
          type: 'Device',
          isAdmin: false,
          enrollment: { ott: true },
        }),
        201,
      ),
    );
    const [record] = itemsOf(await admin.get(`${MANAGEMENT}/identities/${id}/enrollments`));
    return { token: String(record?.['token']), jwt: String(record?.['jwt']) };
  };
  const enroll = async (client: Client, token: string): Promise<Shown> => {
    const { pem, privateKeyPem } = makeRequest();
    const { cert } = entityOf(expectStatus(await client.post(`${CLIENT}/enroll/ott`, { token, clientCsr: pem }), 200));
    return { cert: String(cert), key: privateKeyPem };
  };
  const verifyJwt = async (client: Client, jwt: string): Promise<void> => {
    // The key stays through a renewal, while `kid` names the certificate: the set has the key under every name it had.
    await jwtVerify(
      jwt,
      createLocalJWKSet(expectStatus(await client.get(`${CLIENT}/enroll/jwks`), 200).json as JSONWebKeySet),
    );
  };

  for (const workers of [1, 2]) {
    describe(`beside a running controller of ${workers === 1 ? 'one process' : `${workers} workers`}`, () => {
      let controller: ControllerProcess;
      let dataDir: string;
      let url: string;
      let admin: Client;
      before(async () => {
        dataDir = shop.dataDir();
        controller = shop.start(dataDir, {
          env: { ...FIRST_START, EDGE_WORKERS: String(workers), EDGE_TLS_RENEWAL_CHECK: '1d' },
        });
        url = await controller.ready();
        admin = await shop.login(url);
      });

      /** Every process serves it: connections are handed out in turn. */
      const untilServed = (leaf: string) =>
        until('every process serves the new certificate', async () => {
          const seen = await Promise.all(Array.from({ length: 4 * workers }, () => served(url)));
          return seen.every((each) => each.leaf === leaf) && seen[0];
        });

      it('server: is served at once, from the same key, and open connections go on', async () => {
        const before = await served(url);
        const open = shop.client(url, admin.token);
        expectStatus(await open.get(`${MANAGEMENT}/current-identity`), 200);
        const { jwt } = await newEnrollment(admin, 'before a server renewal');
        const records = await issued(dataDir, 'server');
        const fingerprint = await renewed(dataDir, 'server');
        expect(fingerprint).not.to.equal(before.leaf);
        expect(await untilServed(fingerprint)).to.deep.equal({ leaf: fingerprint, issuer: before.issuer });
        const kept = await Promise.all([open, admin].map((client) => client.get(`${MANAGEMENT}/current-identity`)));
        kept.forEach((answer) => {
          expectStatus(answer, 200);
          expect(answer.headers.connection).not.to.equal('close');
        });
        await verifyJwt(shop.client(url), jwt);
        await until('the list of controllers shows it', async () => (await listed(admin)).join() === fingerprint);
        expect(await issued(dataDir, 'server')).to.deep.equal([...records, { fingerprint, issuer: before.issuer }]);
      });

      it('intermediate: signs at once, the server certificate too, and what was issued stays good', async () => {
        const client = shop.client(url);
        const before = await served(url);
        const storedRoots = await caBundle(client);
        const root = chainOf(storedRoots).find(({ subject, issuer }) => subject === issuer);
        const old = await enroll(client, (await newEnrollment(admin, 'before a rotation')).token);
        const waiting = await newEnrollment(admin, 'enrolls after a rotation');
        const open = createCertificateClient(url, old);
        certified.push(open);
        const session = entityOf(expectStatus(await open.post(`${CLIENT}/authenticate?method=cert`, {}), 200));
        const records = await issued(dataDir, 'intermediate');

        const fingerprint = await renewed(dataDir, 'intermediate');
        const [record] = await query<{ actor: string; name: string; purpose: string }>(
          dataDir,
          `SELECT actor_kind AS actor, actor_name AS name, after ->> 'purpose' AS purpose FROM audit_records
            WHERE kind = 'pki.renewed' AND after ->> 'fingerprint' = '${fingerprint}'`,
        );
        expect(record).to.deep.equal({ actor: 'operator', name: userInfo().username, purpose: 'intermediate' });
        const after = await until('every process shows the new intermediate', async () => {
          const seen = await Promise.all(Array.from({ length: 4 * workers }, () => served(url)));
          return seen.every(({ issuer, leaf }) => issuer === fingerprint && leaf === seen[0]?.leaf) && seen[0];
        });
        expect(after.leaf).not.to.equal(before.leaf);

        expectStatus(
          await open.get(`${CLIENT}/current-identity`, { headers: { 'zt-session': String(session['token']) } }),
          200,
        );
        const [leaf] = chainOf(old.cert);
        if (leaf === undefined || root === undefined) throw new Error('no certificates');
        for (let turn = 0; turn < 2 * workers; turn += 1) {
          expect(await login(url, old), 'with its intermediate').to.equal(200);
          expect(
            await login(url, { cert: toPem('CERTIFICATE', leaf.raw), key: old.key }),
            'without its intermediate',
          ).to.equal(200);
        }

        for (let turn = 0; turn < 2 * workers; turn += 1) {
          const token = turn === 0 ? waiting.token : (await newEnrollment(admin, `after a rotation ${turn}`)).token;
          const fresh = await enroll(shop.client(url), token);
          const [own, issuer] = chainOf(fresh.cert);
          expect(issuer && printOf(issuer)).to.equal(fingerprint);
          expect(issuer && own?.checkIssued(issuer) && own.verify(issuer.publicKey)).to.equal(true);
          const place = shop.place();
          writeFileSync(join(place, 'stored.pem'), storedRoots);
          writeFileSync(join(place, 'chain.pem'), fresh.cert);
          const verdict = await run('openssl', [
            'verify',
            '-x509_strict',
            '-purpose',
            'sslclient',
            '-CAfile',
            join(place, 'stored.pem'),
            '-untrusted',
            join(place, 'chain.pem'),
            join(place, 'chain.pem'),
          ]);
          expect(verdict.stdout).to.match(/: OK\n$/);
          expect(await login(url, fresh)).to.equal(200);
          expect(await login(url, { cert: own ? toPem('CERTIFICATE', own.raw) : '', key: fresh.key })).to.equal(200);
        }

        expect(chainOf(await caBundle(shop.client(url))).map(printOf)).to.have.members([
          fingerprint,
          ...chainOf(storedRoots).map(printOf),
        ]);
        await verifyJwt(shop.client(url), waiting.jwt);
        await until(
          'the list of controllers shows the new server certificate',
          async () => (await listed(admin)).join() === after.leaf,
        );
        expect(await issued(dataDir, 'intermediate')).to.deep.equal([
          ...records,
          { fingerprint, issuer: printOf(root) },
        ]);
        expect((await issued(dataDir, 'server')).at(-1)).to.deep.equal({
          fingerprint: after.leaf,
          issuer: fingerprint,
        });
      });

      it('can be repeated: each generation stays trusted', async () => {
        const oldest = await enroll(shop.client(url), (await newEnrollment(admin, 'oldest')).token);
        for (let turn = 0; turn < 3; turn += 1) {
          const fingerprint = await renewed(dataDir, 'intermediate');
          await until('it is shown', async () => (await served(url)).issuer === fingerprint);
        }
        expect(await login(url, oldest)).to.equal(200);
      });

      it('two at once both succeed, one after the other', async () => {
        const before = (await issued(dataDir, 'intermediate')).length;
        const made = await Promise.all([renewed(dataDir, 'intermediate'), renewed(dataDir, 'intermediate')]);
        expect(new Set(made).size).to.equal(2);
        expect(await issued(dataDir, 'intermediate')).to.have.length(before + 2);
        await until('the newest is shown', async () => made.includes((await served(url)).issuer));
      });

      it('leaves the controller in order, which stops cleanly', async () => {
        expect(controller.log().filter(({ level }) => level === 'error' || level === 'warn')).to.deep.equal([]);
        expect(await controller.stop()).to.deep.equal({ code: 0, signal: null });
        expect(serverProcesses(dataDir)).to.deep.equal([]);
      });
    });
  }

  describe('without a running controller', () => {
    it('starts the database, renews, and stops it; the next start serves what was made', async () => {
      const dataDir = shop.dataDir();
      const first = shop.start(dataDir, { env: FIRST_START });
      const url = await first.ready();
      const before = await served(url);
      const old = await enroll(shop.client(url), (await newEnrollment(await shop.login(url), 'before')).token);
      await first.stop();

      const server = await renewed(dataDir, 'server');
      expect(serverProcesses(dataDir)).to.deep.equal([]);
      const intermediate = await renewed(dataDir, 'intermediate');
      expect(serverProcesses(dataDir)).to.deep.equal([]);

      const second = shop.start(dataDir);
      const again = await second.ready();
      const after = await until('the new intermediate signs', async () => {
        const seen = await served(again);
        return seen.issuer === intermediate && seen;
      });
      expect(after.issuer).not.to.equal(before.issuer);
      expect([before.leaf, server]).not.to.include(after.leaf);
      expect(await login(again, old)).to.equal(200);
      expect((await issued(dataDir, 'server')).map(({ fingerprint }) => fingerprint)).to.deep.equal([
        before.leaf,
        server,
        after.leaf,
      ]);
      const admin = await shop.login(again);
      await until('the list of controllers shows it', async () => (await listed(admin)).join() === after.leaf);
      expect(await second.stop()).to.deep.equal({ code: 0, signal: null });
    });
  });

  describe('with a database of its own', () => {
    it('renews through DATABASE_URL, and a controller on it takes it up', async () => {
      const controller = await startTestController();
      try {
        const { code, stderr } = await renew(controller.dataDir, 'server', { DATABASE_URL: controller.database.url });
        expect([code, stderr]).to.deep.equal([0, '']);
        const {
          rows: [, second],
        } = await controller.database.query(
          "SELECT fingerprint FROM issued_certificates WHERE kind = 'server' ORDER BY created_at",
        );
        await until('it is served', async () => (await served(controller.url)).leaf === second?.['fingerprint']);
      } finally {
        await controller.stop();
      }
    });

    it('makes no network in an empty one', async () => {
      const database = await openTestDatabase();
      try {
        const place = shop.place();
        const { code, stderr } = await renew(place, 'intermediate', { DATABASE_URL: database.url });
        expect([code, stderr]).to.deep.equal([
          1,
          'edge-controller: There is no network in this database: ' +
            'use the settings that its controller is started with.\n',
        ]);
        expect((await database.query('SELECT 1 FROM network')).rows).to.deep.equal([]);
        expect(readdirSync(place)).to.deep.equal([]);
      } finally {
        await database.close();
      }
    });
  });

  describe('refuses', () => {
    it('what cannot be renewed, with what can', async () => {
      for (const what of ['', 'Server', 'server,intermediate']) {
        const dataDir = join(shop.place(), 'data');
        const { code, stderr, stdout } = await renew(dataDir, what);
        expect([code, stdout]).to.deep.equal([2, '']);
        expect(stderr).to.match(
          /^edge-controller: .*'certificate'.*Allowed choices are server, intermediate, root\.\n/,
        );
        expect(existsSync(dataDir)).to.equal(false);
      }
    });

    it('a place without a network, and makes none', async () => {
      const dataDir = join(shop.place(), 'data');
      const { code, stderr } = await renew(dataDir, 'server');
      expect(code).to.equal(1);
      expect(stderr).to.equal(
        `edge-controller: There is no network in ${dataDir}: ` +
          `use the settings that its controller is started with.\n`,
      );
      expect(existsSync(dataDir)).to.equal(false);
    });

    it('another master key, and changes nothing', async () => {
      const dataDir = shop.place();
      const controller = shop.start(dataDir, { env: FIRST_START });
      const url = await controller.ready();
      const before = await served(url);
      const { code, stderr } = await renew(dataDir, 'intermediate', { EDGE_MASTER_KEY: '0123456789abcdef'.repeat(4) });
      expect(code).to.equal(1);
      expect(stderr).to.match(/^edge-controller: The master key is not the one that this database was made with/);
      expect(await served(url)).to.deep.equal(before);
      expect(await issued(dataDir, 'intermediate')).to.have.length(1);
      await controller.stop();
    });
  });
});
