/**
 * No private key, token, request, password or hash is in a log line, an error, a list or a URL; none is plain at rest
 * but what is shown to administrators.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { entityOf, itemsOf } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { createCertificateClient, makeCa, makeKeys, makeLeaf, makeRequest, shownBy } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client, RequestOptions } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const TEXT = { 'content-type': 'text/plain' };
/** A stretch of base64 that a PEM has to itself. */
const bodyOf = (pem: string) => pem.replace(/-----.*-----|\s/g, '').slice(40, 100);

describe('secrets', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Client;
  const open: Client[] = [];
  const secrets = new Map<string, string>();
  const keep = (what: string, secret: unknown): string => {
    expect(secret, what).to.be.a('string').with.length.above(7);
    secrets.set(secret as string, what);
    return secret as string;
  };
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, { EDGE_LOG_LEVEL: 'debug' });
    admin = await controller.login();
    keep('session token', admin.token);
  });
  after(async () => {
    open.forEach((client) => {
      client.close();
    });
    await controller.stop();
    await database.close();
  });

  const showing = (shown: { cert: string; key: string }, token?: string) => {
    const client = createCertificateClient(controller.url, shown, token);
    open.push(client);
    return client;
  };
  const found = (text: string) => [...secrets].filter(([secret]) => text.includes(secret)).map(([, what]) => what);
  const expectNone = (text: string, where: string) => {
    expect(found(text), `${where}: ${text.slice(0, 500)}`).to.deep.equal([]);
  };
  const request = () => {
    const made = makeRequest();
    keep('request', bodyOf(made.pem));
    keep('client key', bodyOf(made.privateKeyPem));
    return made;
  };
  const invite = async (enrollment: object) => {
    const { id } = entityOf(
      expectStatus(
        await admin.post(`${MANAGEMENT}/identities`, {
          name: `invited ${randomUUID()}`,
          type: 'User',
          isAdmin: false,
          enrollment,
        }),
        201,
      ),
    );
    const [item] = itemsOf(await admin.get(`${MANAGEMENT}/identities/${id}/enrollments`));
    keep('enrollment JWT', item?.['jwt']);
    return { id, token: keep('enrollment token', item?.['token']) };
  };
  const anonymous = () => controller.client();

  it('stay out of the log at level debug, out of errors and out of URLs', async () => {
    const errors: Answer[] = [];
    const refused = (answer: Answer) => {
      expect(answer.status, answer.text).to.be.within(400, 499);
      errors.push(answer);
    };
    const password = keep('password', `pass word ${randomUUID()}`);
    const username = `user-${randomUUID()}`;

    const ott = await invite({ ott: true });
    for (const body of [
      { token: ott.token, clientCsr: 'x' },
      { token: [ott.token] },
      { token: { a: ott.token } },
      { token: ott.token, clientCsr: request().pem.replace(/A/g, 'B') },
      { token: ott.token, clientCsr: { csr: request().pem } },
    ])
      refused(await anonymous().post(`${CLIENT}/enroll/ott`, body));
    const broken = request().pem;
    refused(
      await anonymous().send('POST', `${CLIENT}/enroll/ott`, undefined, {
        rawBody: `{"token": "${ott.token}", "clientCsr": "${broken}"`,
        headers: { 'content-type': 'application/json' },
      }),
    );
    refused(
      await anonymous().send('POST', `${CLIENT}/enroll?method=updb&token=${ott.token}`, undefined, {
        rawBody: broken,
        headers: TEXT,
      }),
    );
    refused(
      await anonymous().send('POST', `${CLIENT}/enroll?token=${ott.token}`, undefined, {
        rawBody: request().privateKeyPem,
        headers: TEXT,
      }),
    );
    const { pem: clientCsr, privateKeyPem: key } = request();
    const { cert } = expectStatus(await anonymous().post(`${CLIENT}/enroll/ott`, { token: ott.token, clientCsr }), 200)
      .data as { cert: string };
    refused(await anonymous().post(`${CLIENT}/enroll/ott`, { token: ott.token, clientCsr }));

    const updb = await invite({ updb: username });
    for (const body of [
      { password: password.slice(0, 3) },
      { password: [password] },
      { password: { password } },
      { password: `${password}\u0000` },
      { password: password.repeat(100) },
    ]) {
      refused(await anonymous().post(`${CLIENT}/enroll/updb?token=${updb.token}`, body));
    }
    expectStatus(await anonymous().post(`${CLIENT}/enroll/updb?token=${updb.token}`, { password }), 200);
    const raw = (rawBody: string): RequestOptions => ({ rawBody, headers: { 'content-type': 'application/json' } });
    for (const options of [
      raw(`{"username":"${username}","password":"${password}`),
      raw(`"${password}"`),
      raw(`{"password":"${password}\\x"}`),
      raw(`["${password}"]`),
    ]) {
      refused(await anonymous().send('POST', `${CLIENT}/authenticate?method=password`, undefined, options));
    }
    refused(await anonymous().post(`${CLIENT}/authenticate?method=password`, { username: `${username}x`, password }));
    refused(await anonymous().post(`${CLIENT}/authenticate?method=password`, { username, password: { password } }));
    const client = await controller.login(username, password);
    const token = keep('session token', client.token);
    for (const authenticator of itemsOf(await client.get(`${CLIENT}/current-identity/authenticators`))) {
      refused(
        await client.put(`${CLIENT}/current-identity/authenticators/${authenticator.id}`, {
          username,
          password: 'x',
          currentPassword: password,
        }),
      );
      refused(
        await client.patch(`${CLIENT}/current-identity/authenticators/${authenticator.id}`, {
          password,
          currentPassword: 'wrong password',
        }),
      );
      refused(
        await client.patch(`${CLIENT}/current-identity/authenticators/${authenticator.id}`, {
          password: { password },
          currentPassword: password,
        }),
      );
    }

    const certified = showing({ cert, key });
    const own = entityOf(expectStatus(await certified.post(`${CLIENT}/authenticate?method=cert`, {}), 200));
    const certToken = keep('session token', own['token']);
    const zt = { headers: { 'zt-session': certToken } };
    refused(await certified.get(`${CLIENT}/current-identity`, { headers: { 'zt-session': token } }));
    refused(
      await anonymous().get(`${CLIENT}/current-identity`, {
        headers: { 'zt-session': `${token}x`, authorization: `Bearer ${certToken}` },
      }),
    );
    const extend = `${CLIENT}/current-identity/authenticators/${String(own['authenticatorId'])}/extend`;
    refused(await certified.post(extend, { clientCertCsr: request().pem.slice(0, -40) }, zt));
    refused(await certified.post(`${extend}-verify`, { clientCert: request().privateKeyPem }, zt));
    expectStatus(await certified.post(extend, { clientCertCsr: request().pem }, zt), 200);
    const issued = expectStatus(
      await certified.post(`${CLIENT}/current-api-session/certificates`, { csr: request().pem }, zt),
      201,
    );
    refused(await certified.post(`${CLIENT}/current-api-session/certificates`, { csr: request().privateKeyPem }, zt));

    const caKeys = makeKeys();
    for (const [{ privateKey }, type, from] of [
      [caKeys, 'sec1', 12],
      [caKeys, 'pkcs8', 49],
      [makeKeys('ed25519'), 'pkcs8', 24],
    ] as const) {
      const pem = privateKey.export({ type, format: 'pem' }).toString();
      keep('CA key', pem.split('\n')[1]?.slice(from, from + 12));
      for (const certPem of [pem, `\n${pem}`, pem.slice(0, 90)]) {
        refused(
          await admin.post(`${MANAGEMENT}/cas`, {
            name: 'ca',
            certPem,
            isAuthEnabled: true,
            isAutoCaEnrollmentEnabled: true,
            isOttCaEnrollmentEnabled: true,
            identityRoles: [],
          }),
        );
        refused(await admin.post(`${MANAGEMENT}/authenticators`, { identityId: updb.id, method: 'cert', certPem }));
      }
    }
    const ca = makeCa({ keys: caKeys });
    const made = expectStatus(
      await admin.post(`${MANAGEMENT}/cas`, {
        name: 'ca',
        certPem: ca.pem,
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isOttCaEnrollmentEnabled: true,
        identityRoles: [],
      }),
      201,
    );
    refused(
      await admin.send('POST', `${MANAGEMENT}/cas/${entityOf(made).id}/verify`, undefined, {
        rawBody: caKeys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        headers: TEXT,
      }),
    );
    refused(await showing(shownBy(makeLeaf(ca))).post(`${CLIENT}/enroll/ca`));

    for (const { text, headers } of errors) expectNone(text + JSON.stringify(headers), 'an error');
    for (const answer of [made, issued]) expectNone(String(answer.headers.location), 'a Location');
    for (const { rows } of [
      await database.query('SELECT password_hash FROM authenticators WHERE password_hash IS NOT NULL'),
    ])
      rows.forEach((row) => keep('password hash', row['password_hash']));
    expect(controller.log.length).to.be.above(40);
    for (const line of controller.log) expectNone(JSON.stringify(line), 'a log line');
  });

  it('and typed names, which may be passwords, stay out of the log when a login or enrollment fails', async () => {
    const typed: string[] = [];
    const type = (text: string) => {
      typed.push(text);
      return text;
    };
    const refused = (answer: Answer) => {
      expect(answer.status, answer.text).to.be.within(400, 499);
    };
    const login = (method: string, body: object, client = anonymous(), options?: RequestOptions) =>
      client.post(`${CLIENT}/authenticate?method=${method}`, body, options);
    const username = type(`user-${randomUUID()}`);
    const password = keep('password', `pass word ${randomUUID()}`);
    const { id, token } = await invite({ updb: username });
    expectStatus(await anonymous().post(`${CLIENT}/enroll/updb?token=${token}`, { password }), 200);

    refused(await login('password', { username, password: keep('password', `wrong ${randomUUID()}`) }));
    refused(await login('password', { username: type(`unknown-${randomUUID()}`), password }));
    refused(await login('password', { username: password, password: username }));
    refused(await login('password', { username: type(randomUUID()) }));
    refused(await login('password', { [type(randomUUID())]: password, username: [username], password }));
    refused(await login('password', { username: type(randomUUID().repeat(4)), password }));
    refused(await login(type(randomUUID()), { username, password }));
    refused(
      await login('ext-jwt', {}, anonymous(), {
        headers: { authorization: `Bearer ${keep('JWT', `a.${randomUUID()}.b`)}` },
      }),
    );
    refused(await login('cert', { username, password }));
    const named = makeLeaf(makeCa({ commonName: type(`ca-${randomUUID()}`) }), {
      commonName: type(`leaf-${randomUUID()}`),
    });
    refused(await login('cert', { username, password }, showing(shownBy(named))));
    refused(await admin.post(`${MANAGEMENT}/authenticators`, { method: 'updb', identityId: id, username, password }));
    expectStatus(await admin.post(`${MANAGEMENT}/identities/${id}/disable`, { durationMinutes: 5 }), 200);
    refused(await login('password', { username, password }));

    const ott = await invite({ ott: true });
    const unknown = keep('unknown token', randomUUID());
    for (const method of ['ott', 'ottca', 'updb', 'erott', 'ca', 'token', type(randomUUID())]) {
      for (const shown of [ott.token, unknown]) {
        for (const client of [anonymous(), showing(shownBy(named))]) {
          const answer = await client.post(`${CLIENT}/enroll?method=${method}&token=${shown}`, {
            clientCsr: shown,
            password: shown.slice(0, 4),
            certCsr: password,
          });
          expect(answer.status, answer.text).to.be.within(400, 501);
          expect(
            (await client.post(`${CLIENT}/enroll/${method}?token=${shown}`, { password: shown.slice(0, 4) })).status,
          ).to.be.within(400, 501);
        }
      }
    }
    refused(await anonymous().post(`${CLIENT}/enroll/${ott.token}`));
    refused(await anonymous().delete(`${CLIENT}/current-identity/authenticators/${ott.token}`));
    refused(
      await admin.get(`${MANAGEMENT}/identities?filter=${encodeURIComponent(`${type(randomUUID())} = "${password}"`)}`),
    );

    // Identities show the enrollments they wait for.
    expectStatus(await admin.delete(`${MANAGEMENT}/identities/${ott.id}`), 200);
    const lines = controller.log.filter(({ msg, operation }) => msg === 'request' && operation === 'enroll');
    expect(
      lines.some(({ enrollmentMethod }) => enrollmentMethod === 'ott'),
      'the log tells of enrollments',
    ).to.equal(true);
    for (const entry of controller.log) {
      const text = JSON.stringify(entry);
      expectNone(text, 'a log line');
      expect(
        typed.filter((item) => text.includes(item)),
        text,
      ).to.deep.equal([]);
    }
  });

  it('stay out of every list but those of enrollments', async () => {
    for (const path of [
      'authenticators',
      'identities',
      'api-sessions',
      'cas',
      'edge-routers',
      'sessions',
      'controllers',
      'network-jwts',
    ]) {
      expectNone(expectStatus(await admin.get(`${MANAGEMENT}/${path}?limit=500`), 200).text, path);
    }
    const text = (await admin.get(`${MANAGEMENT}/enrollments?limit=500`)).text;
    expect(
      found(text).filter((what) => !what.startsWith('enrollment')),
      text,
    ).to.deep.equal([]);
  });

  it('are not plain in the database: no private key, no session token, no password, no request', async () => {
    const { rows: tables } = await database.query(
      "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    expect(tables.length).to.be.above(10);
    for (const { name } of tables) {
      const { rows } = await database.query(`SELECT t::text AS row FROM ${String(name)} t`);
      for (const { row } of rows) {
        const text = String(row);
        // PKCS#8 and SEC1 as PEM, and as DER in a column of bytes or in base64.
        expect(text, String(name)).to.not.match(
          /PRIVATE KEY|50524956415445204b4559|3081870201003013|3077020101|MIGHAgEAMBMG|MHcCAQEE|"d":/,
        );
        expect(
          found(text).filter((what) => !what.startsWith('enrollment') && what !== 'password hash'),
          String(name),
        ).to.deep.equal([]);
      }
    }
    const { rows } = await database.query('SELECT password_hash FROM authenticators WHERE password_hash IS NOT NULL');
    for (const row of rows) expect(row['password_hash']).to.match(/^\$argon2id\$/);
  });

  it('and one-time tokens, recovery codes and hashes too, are nowhere in the audit record', async () => {
    const { rows } = await database.query('SELECT a::text AS row FROM audit_records a');
    expect(rows.length).to.be.above(20);
    for (const { row } of rows) expectNone(String(row), 'an audit record');
  });
});
