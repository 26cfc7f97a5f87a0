/** Spellings of paths, and what every answer carries: odd slashes, escapes, old roots, CORS, common headers. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';

describe('paths', () => {
  let controller: TestController;
  let admin: Client;
  let anonymous: Client;
  let other: Client;
  let id: string;
  before(async () => {
    controller = await startTestController();
    ({ admin, anonymous } = controller);
    ({ client: other, id } = await controller.newCaller());
  });
  after(() => controller.stop());

  /** The same path as clients are known to spell it, and a few that none should. */
  const spellings = (path: string): string[] => {
    const tail = path.slice(M.length + 1);
    return [
      `${path}/`,
      `${path}//`,
      `/${path}`,
      path.replaceAll('/', '//'),
      `${M}//${tail}`,
      `//edge//management/v1/${tail}`,
      `${M}/${tail.replace('/', '///')}`,
      `${M}/${tail.replace('e', '%65')}`,
      path.replace('edge', '%65dge').replace('management', 'm%61nagement'),
    ];
  };

  describe('with odd slashes and escapes', () => {
    it('mean what the plain path means: read, sub-list, query', async () => {
      for (const plain of ['identities', `identities/`, `services`].map((tail) => `${M}/${tail.replace('/', '')}`)) {
        for (const path of spellings(plain)) expectStatus(await admin.get(`${path}?limit=1&sort=name%20asc`), 200);
      }
      for (const path of [...spellings(`${M}/identities/${id}`)])
        expect((expectStatus(await admin.get(path), 200).data as { id: string }).id, path).to.equal(id);
      for (const path of [
        `${M}/identities/${id}/services/?limit=5`,
        `${M}/identities/${id}//services//?limit=5`,
        `${M}//identities/${id}/service-policies/`,
      ]) {
        expectStatus(await admin.get(path), 200);
      }
    });

    it('work for what changes something', async () => {
      const { id: victim, client } = await controller.newCaller();
      expectStatus(await admin.post(`${M}//identities/${victim}/disable/`, { durationMinutes: 1 }), 200);
      expect((await client.get(`${C}/current-identity`)).status).to.equal(401);
      expectStatus(await admin.post(`${M}//identities//${victim}/enable`), 200);
      const made = expectStatus(
        await admin.post(`/${M}//services/`, { name: unique('service'), encryptionRequired: true }),
        201,
      );
      expectStatus(await admin.delete(`${M}/services//${(made.data as { id: string }).id}//`), 200);
    });

    it('are authorized as the plain path is', async () => {
      for (const plain of [`${M}/identities`, `${M}/identities/${id}`, `${M}/api-sessions`]) {
        for (const path of [plain, ...spellings(plain)]) {
          const without = await anonymous.get(path);
          expect(without.status, path).to.equal(401);
          expect(without.headers['www-authenticate'], path).to.be.a('string');
          const noAdmin = await other.get(path);
          expect(noAdmin.status, path).to.equal(401);
          expect(noAdmin.headers['www-authenticate'], path).to.equal(undefined);
        }
      }
    });

    it('do not climb: dots are names', async () => {
      for (const path of [
        `${C}/../../management/v1/identities`,
        `${M}/version/../identities`,
        `${M}/./identities`,
        `${C}/%2e%2e/%2e%2e/management/v1/identities`,
        '/edge/client/../management/v1/identities',
      ]) {
        for (const client of [anonymous, other, admin]) expectFault(await client.get(path), 404, 'NOT_FOUND');
      }
    });

    it('keep an escaped slash inside its segment', async () => {
      const error = expectFault(await admin.get(`${M}/identities/a%2Fb`), 404, 'NOT_FOUND');
      expect(error.cause?.['message']).to.equal('identity with id a/b not found');
      expectFault(await admin.get(`${M}%2Fidentities`), 404, 'NOT_FOUND');
      expectFault(await admin.get(`/edge%2Fmanagement/v1/identities`), 404, 'NOT_FOUND');
      expectFault(await admin.get(`${M}/identities%2F${id}`), 404, 'NOT_FOUND');
    });

    for (const escape of ['%', '%2', '%zz', '%C3', '%ff', '%ED%A0%80', '%c0%ae']) {
      it(`answer 404 for the bad escape ${escape}`, async () => {
        expectFault(await admin.get(`${M}/identities/${escape}`), 404, 'NOT_FOUND');
        expectFault(await anonymous.get(`/${escape}`), 404, 'NOT_FOUND');
        expectFault(await anonymous.get(`${M}/${escape}/identities`), 404, 'NOT_FOUND');
      });
    }

    it('are case-sensitive', async () => {
      for (const path of [
        '/edge/management/v1/Identities',
        '/Edge/management/v1/identities',
        '/edge/management/V1/identities',
        '/VERSION',
      ])
        expectFault(await admin.get(path), 404, 'NOT_FOUND');
    });

    it('do not mind what they name: backslashes, semicolons, question marks, very long ids', async () => {
      for (const name of ['a\\b', 'a;b=c', 'a%3Fb', 'a%23b', '%20', "'%20OR%201=1", '😀', 'x'.repeat(5000)].map(
        (text) => (/^[\x20-\x7e]+$/.test(text) ? text : encodeURIComponent(text)),
      )) {
        expectFault(await admin.get(`${M}/identities/${name}`), 404, 'NOT_FOUND');
      }
    });
  });

  describe('of prototype names', () => {
    const names = [
      'constructor',
      '__proto__',
      'prototype',
      'hasOwnProperty',
      'toString',
      'valueOf',
      '__defineGetter__',
    ];
    it('are unknown like any other', async () => {
      for (const name of names) {
        for (const path of [
          `/${name}`,
          `/edge/${name}`,
          `/edge/${name}/v1/identities`,
          `${M}/${name}`,
          `${C}/${name}/x`,
          `/docs/${name}`,
          `${M}/specs/${name}`,
          `${M}/specs/${name}/spec`,
          `/.well-known/${name}`,
          `/.well-known/est/${name}`,
        ]) {
          expectFault(await admin.get(path), 404, 'NOT_FOUND');
        }
        expectFault(await admin.get(`${M}/identities/${name}`), 404, 'NOT_FOUND');
        expectFault(await admin.delete(`${M}/services/${name}`), 404, 'NOT_FOUND');
      }
    });

    it('are sort and filter names like any other unknown one', async () => {
      for (const name of names) {
        for (const query of [`sort=${name}`, `filter=${encodeURIComponent(`${name} = "x"`)}`])
          expect((await admin.get(`${M}/identities?${query}`)).status, query).to.equal(400);
      }
    });
  });

  describe('of old and outer roots', () => {
    it('mean the client API without a prefix and under /edge/v1', async () => {
      for (const prefix of ['', '/edge/v1', C]) {
        expectStatus(await anonymous.get(`${prefix}/protocols`), 200);
        expectStatus(await anonymous.get(`${prefix}/version`), 200);
        expectStatus(await other.get(`${prefix}/current-identity`), 200);
        expectFault(await anonymous.get(`${prefix}/current-identity`), 401, 'UNAUTHORIZED');
        expectFault(await anonymous.get(`${prefix}/identities`), 404, 'NOT_FOUND');
        const login = await anonymous.post(`${prefix}/authenticate?method=password`, {
          username: 'admin',
          password: 'wrong password',
        });
        expectFault(login, 403, 'INVALID_AUTH');
      }
    });

    it('do not reach into roots of others', async () => {
      for (const path of [
        '/edge',
        '/edge/v2/version',
        '/edge/version',
        '/edge/client',
        '/edge/client/v2/version',
        '/edge/management',
        '/fabric/v2/routers',
        '/fabric',
        '/oidc',
        '/.well-known/openid-configuration',
        '/.well-known',
      ]) {
        expectFault(await admin.get(path), 404, 'NOT_FOUND');
      }
    });

    it('do not offer the management API without its prefix', async () => {
      for (const path of [
        '/identities',
        '/management/v1/identities',
        '/edge/v1/identities',
        '/v1/identities',
        '/edge/client/v1/identities',
      ])
        expectFault(await admin.get(path), 404, 'NOT_FOUND');
    });
  });

  describe('and the headers of every answer', () => {
    it('name the server and its instance, and forbid sniffing, and storing what is not for everybody', async () => {
      const forEverybody = [
        await anonymous.get('/version'),
        await anonymous.send('HEAD', '/version'),
        await anonymous.get(`${C}/swagger.json`),
      ];
      const answers: Answer[] = [
        ...forEverybody,
        await anonymous.get('/nonsense'),
        await admin.get(`${M}/identities`),
        await anonymous.get(`${M}/identities`),
        await anonymous.send('OPTIONS', '/version'),
        await anonymous.get('/livez'),
        await anonymous.get('/.well-known/est/cacerts'),
        await admin.post(`${M}/identities`, {}),
      ];
      const instances = new Set(answers.map(({ headers }) => headers['ziti-instance-id']));
      expect(instances.size).to.equal(1);
      for (const answer of answers) {
        const { headers } = answer;
        expect(headers['server']).to.match(/^edge-controller\/v\d+\.\d+\.\d+/);
        expect(headers['ziti-instance-id']).to.match(/^[a-z0-9]{20,}$/);
        expect(headers['x-content-type-options']).to.equal('nosniff');
        expect(headers['cache-control']).to.equal(forEverybody.includes(answer) ? 'no-cache' : 'no-store');
        expect(headers['set-cookie']).to.equal(undefined);
        expect(headers['x-powered-by']).to.equal(undefined);
      }
    });

    it('carry JSON without a charset: clients compare the type whole', async () => {
      expect((await anonymous.get('/version')).headers['content-type']).to.equal('application/json');
      expect((await anonymous.get('/nonsense')).headers['content-type']).to.equal('application/json');
    });

    it('carry meta on success too', async () => {
      for (const path of ['/version', `${C}/protocols`, `${M}/identities`, `${M}/identities/${id}`, `${M}/specs`]) {
        expect(expectStatus(await admin.get(path), 200).meta, path).to.include({
          apiVersion: '0.0.1',
          apiEnrollmentVersion: '0.0.1',
        });
      }
      const { meta } = await admin.get(`${M}/identities?limit=2`);
      expect(meta.pagination).to.include({ limit: 2, offset: 0 });
      expect(meta.filterableFields).to.include('name');
    });

    it('carry Location with what was created', async () => {
      const answer = expectStatus(
        await admin.post(`${M}/services`, { name: unique('service'), encryptionRequired: false }),
        201,
      );
      const { id: made, _links } = answer.data as { id: string; _links: { self: { href: string } } };
      expect(answer.headers.location).to.equal(`${M}/services/${made}`);
      expect(_links.self.href).to.equal(`./services/${made}`);
      expectStatus(await admin.get(answer.headers.location ?? ''), 200);
    });
  });
});

describe('cross-origin requests', () => {
  const ORIGIN = 'https://console.example.com';
  const cors = (answer: Answer) =>
    Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name.startsWith('access-control-')));
  const preflight = {
    origin: ORIGIN,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'content-type, zt-session, x-evil',
  };

  const withOrigins = async (origins: string | undefined, work: (client: Client) => Promise<void>) => {
    const controller = await startTestController(origins === undefined ? {} : { EDGE_CORS_ORIGINS: origins });
    try {
      await work(controller.anonymous);
    } finally {
      await controller.stop();
    }
  };

  it('get no leave by default', () =>
    withOrigins(undefined, async (client) => {
      expect(cors(expectStatus(await client.get('/version', { headers: { origin: ORIGIN } }), 200))).to.deep.equal({});
      const answer = expectStatus(
        await client.send('OPTIONS', `${M}/identities`, undefined, { headers: preflight }),
        200,
      );
      expect(cors(answer)).to.deep.equal({});
    }));

  it('get it from a listed origin, with credentials, and from no other', () =>
    withOrigins(`${ORIGIN}, https://b.example:8443`, async (client) => {
      for (const origin of [ORIGIN, 'https://b.example:8443']) {
        const answer = expectStatus(await client.get('/version', { headers: { origin } }), 200);
        expect(answer.headers['access-control-allow-origin']).to.equal(origin);
        expect(answer.headers['access-control-allow-credentials']).to.equal('true');
        expect(answer.headers['access-control-expose-headers']).to.contain('zt-session');
        expect(answer.headers.vary).to.equal('Origin');
      }
      for (const origin of [
        'https://evil.example',
        'http://console.example.com',
        `${ORIGIN}.evil.example`,
        `${ORIGIN}:444`,
        'null',
        '*',
        ORIGIN.toUpperCase(),
        '',
      ]) {
        const answer = expectStatus(await client.get('/version', { headers: { origin } }), 200);
        expect(cors(answer), origin).to.deep.equal({});
        expect(answer.headers.vary, origin).to.equal('Origin');
      }
    }));

  it('get it on failures too, so that a page can read them', () =>
    withOrigins(ORIGIN, async (client) => {
      for (const path of ['/nonsense', `${M}/identities`]) {
        const answer = await client.get(path, { headers: { origin: ORIGIN } });
        expect(answer.status).to.be.oneOf([401, 404]);
        expect(answer.headers['access-control-allow-origin']).to.equal(ORIGIN);
      }
    }));

  it('are told before they are sent which methods and headers may go', () =>
    withOrigins(ORIGIN, async (client) => {
      const answer = expectStatus(
        await client.send('OPTIONS', `${M}/identities`, undefined, { headers: preflight }),
        200,
      );
      expect(answer.text).to.equal('');
      expect(answer.headers['access-control-allow-origin']).to.equal(ORIGIN);
      expect(answer.headers['access-control-allow-methods']?.split(', ')).to.include.members([
        'GET',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
      ]);
      expect(answer.headers['access-control-allow-headers']).to.equal('content-type, zt-session');
      const evil = await client.send('OPTIONS', `${M}/identities`, undefined, {
        headers: { ...preflight, origin: 'https://evil.example' },
      });
      expect(cors(evil)).to.deep.equal({});
    }));

  it('go from any origin with *, and then never with credentials', () =>
    withOrigins('*', async (client) => {
      const answer = expectStatus(
        await client.get('/version', { headers: { origin: 'https://anything.example' } }),
        200,
      );
      expect(answer.headers['access-control-allow-origin']).to.equal('*');
      expect(answer.headers['access-control-allow-credentials']).to.equal(undefined);
      const asked = expectStatus(await client.send('OPTIONS', '/version', undefined, { headers: preflight }), 200);
      expect(asked.headers['access-control-allow-origin']).to.equal('*');
      expect(asked.headers['access-control-allow-credentials']).to.equal(undefined);
    }));

  it('are not what a plain OPTIONS asks for: 200 and nothing in it, on any path that there is', () =>
    withOrigins(undefined, async (client) => {
      for (const path of ['/version', `${M}/identities`, '*']) {
        const answer = expectStatus(await client.send('OPTIONS', path), 200);
        expect(answer.text).to.equal('');
        expect(cors(answer)).to.deep.equal({});
      }
    }));
});
