/** What anyone may read: version, capabilities, API descriptions, trusted CAs, the network's own JWT. */
import { expect } from 'chai';
import { createHash, X509Certificate } from 'node:crypto';
import SwaggerParser from '@apidevtools/swagger-parser';
import { decodeProtectedHeader, importX509, jwtVerify } from 'jose';
import { parse } from 'yaml';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { dial, openssl, startLogged } from './server-support.js';

const ADVERTISE = 'ctrl.example.com:8441';

describe('public documents', () => {
  let controller: TestController;
  let client: Client;
  before(async () => {
    controller = await startTestController({ EDGE_ADVERTISE: ADVERTISE });
    client = controller.anonymous;
  });
  after(() => controller.stop());

  const servedChain = async (): Promise<string[]> => {
    const socket = await dial(controller.url);
    const leaf = socket.getPeerCertificate(true);
    socket.destroy();
    const pem = (raw: Buffer) => new X509Certificate(raw).toString();
    return [pem(leaf.raw), pem(leaf.issuerCertificate.raw)];
  };

  describe('trusted CAs', () => {
    it('are certificates that openssl reads, with every root, and they sign what TLS serves', async () => {
      const answer = expectStatus(await client.get('/.well-known/est/cacerts'), 200);
      const pem = await openssl(['pkcs7', '-inform', 'DER', '-print_certs'], Buffer.from(answer.text, 'base64'));
      const cas = [...pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)].map(
        ([text]) => new X509Certificate(text),
      );
      expect(cas.length).to.be.at.least(1);
      for (const ca of cas) expect(ca.ca, ca.subject).to.equal(true);
      const root = cas.find((ca) => ca.verify(ca.publicKey));
      expect(root, 'a self-signed root').not.to.equal(undefined);
      const [leaf, intermediate] = (await servedChain()).map((text) => new X509Certificate(text));
      expect(intermediate!.verify(root!.publicKey)).to.equal(true);
      expect(leaf!.verify(intermediate!.publicKey)).to.equal(true);
    });

    it('come as base64 in lines of at most 64, with the headers of RFC 7030, under every root', async () => {
      const first = expectStatus(await client.get('/.well-known/est/cacerts'), 200);
      expect(first.headers['content-type']).to.equal('application/pkcs7-mime');
      expect(first.headers['content-transfer-encoding']).to.equal('base64');
      for (const line of first.text.trimEnd().split('\n')) expect(line).to.match(/^[A-Za-z0-9+/=]{1,64}$/);
      for (const path of [
        `${C}/.well-known/est/cacerts`,
        `${M}/.well-known/est/cacerts`,
        '//.well-known/est/cacerts/',
      ]) {
        expect(expectStatus(await client.get(path), 200).text).to.equal(first.text);
      }
    });
  });

  describe('the network JWT', () => {
    interface Jwt {
      name: string;
      token: string;
    }
    const tokens = async (path: string) => expectStatus(await client.get(path), 200).data as Jwt[];

    it('verifies with the key that TLS serves, and names it', async () => {
      const [entry, ...others] = await tokens(`${C}/network-jwts`);
      expect(others).to.deep.equal([]);
      expect(entry?.name).to.equal('default');
      const [leaf = ''] = await servedChain();
      const { alg, kid, typ } = decodeProtectedHeader(entry?.token ?? '');
      expect(typ).to.equal('JWT');
      expect(kid).to.equal(createHash('sha1').update(new X509Certificate(leaf).raw).digest('hex'));
      const { payload } = await jwtVerify(entry?.token ?? '', await importX509(leaf, alg ?? ''), {
        issuer: `https://${ADVERTISE}/`,
        audience: 'openziti-enroller',
        subject: `https://${ADVERTISE}/`,
      });
      expect(payload['em']).to.equal('network');
      expect(payload.jti).to.match(/^\S{8,}$/);
      expect(payload['ctrls']).to.equal(null);
      expect(payload.exp).to.equal(undefined);
    });

    it('is one and the same on both APIs and at every call', async () => {
      const [first] = await tokens(`${C}/network-jwts`);
      for (const path of [`${M}/network-jwts`, `${C}/network-jwts`, '/network-jwts'])
        expect((await tokens(path))[0]).to.deep.equal(first);
    });

    it('stays the same for every controller of the network, and follows the advertised address', async () => {
      const database = await openTestDatabase();
      const token = async (env: Record<string, string>) => {
        const started = await startLogged(database, env);
        const answer = expectStatus(await started.client().get('/network-jwts'), 200);
        await started.stop();
        return (answer.data as Jwt[])[0]?.token;
      };
      try {
        const first = await token({ EDGE_ADVERTISE: 'a.example:1280' });
        expect(await token({ EDGE_ADVERTISE: 'a.example:1280' })).to.equal(first);
        expect(await token({ EDGE_ADVERTISE: 'b.example:1280' })).not.to.equal(first);
      } finally {
        await database.close();
      }
    });
  });

  describe('the version', () => {
    it('says where each API is, and nothing of APIs that are not there', async () => {
      const data = expectStatus(await client.get('/version'), 200).data as {
        apiVersions: Record<string, unknown>;
        capabilities: string[];
        version: string;
        buildDate: string;
        revision: string;
        runtimeVersion: string;
      };
      const api = (path: string) => ({ v1: { apiBaseUrls: [`https://${ADVERTISE}${path}`], path } });
      expect(data.apiVersions).to.deep.equal({
        edge: api(C),
        'edge-client': api(C),
        'edge-management': api(M),
        fabric: api('/fabric/v1'),
        'edge-oidc': api('/oidc'),
      });
      expect(data.version).to.match(/^v\d+\.\d+\.\d+/);
      for (const text of [data.buildDate, data.revision, data.runtimeVersion])
        expect(text).to.be.a('string').and.not.equal('');
    });

    it('offers what is there, under both names', async () => {
      const { capabilities } = expectStatus(await client.get('/version'), 200).data as { capabilities: string[] };
      expect(capabilities).to.deep.equal(['EDGE_CONTROLLER', 'OIDC_AUTH', 'OIDC_AUTH_WITH_CSR']);
      for (const path of [C, M])
        expect(expectStatus(await client.get(`${path}/enumerated-capabilities`), 200).data).to.deep.equal(capabilities);
    });
  });

  it('tells where HTTPS is, on the client API only', async () => {
    expect(expectStatus(await client.get(`${C}/protocols`), 200).data).to.deep.equal({ https: { address: ADVERTISE } });
    expectFault(await client.get(`${M}/protocols`), 404, 'NOT_FOUND');
  });

  describe('API descriptions', () => {
    for (const [path, ids] of [
      [C, ['edge-client']],
      [M, ['edge-client', 'edge-management', 'edge-oidc', 'fabric']],
    ] as const) {
      it(`are listed under ${path}`, async () => {
        const list = expectStatus(await client.get(`${path}/specs?filter=nonsense&limit=1`), 200).data as {
          id: string;
          name: string;
          _links: Record<string, { href: string }>;
        }[];
        expect(list.map(({ id }) => id)).to.have.members([...ids]);
        for (const item of list) {
          expect(item._links).to.deep.equal({
            self: { href: `./specs/${item.id}` },
            spec: { href: `./specs/${item.id}/spec` },
          });
          expect(expectStatus(await client.get(`${path}/specs/${item.id}`), 200).data).to.deep.equal(item);
        }
      });
    }

    it('come as YAML, or as JSON where that is preferred, and are the same document', async () => {
      for (const [id, base] of [
        ['edge-client', C],
        ['edge-management', M],
      ] as const) {
        const yaml = expectStatus(await client.get(`${M}/specs/${id}/spec`), 200);
        expect(yaml.headers['content-type']).to.equal('text/yaml; charset=utf-8');
        const json = expectStatus(
          await client.get(`${M}/specs/${id}/spec`, { headers: { accept: 'application/json' } }),
          200,
        );
        expect(json.headers['content-type']).to.equal('application/json');
        expect(parse(yaml.text)).to.deep.equal(JSON.parse(json.text));
        expect(JSON.parse(json.text)).to.include({ swagger: '2.0', basePath: base, host: ADVERTISE });
      }
    });

    for (const accept of ['text/yaml', 'application/yaml', 'application/yaml;q=0.9, application/json;q=0.1']) {
      it(`come as YAML in UTF-8, and say so, when asked for as ${accept}`, async () => {
        const { headers, text } = expectStatus(
          await client.get(`${C}/specs/edge-client/spec`, { headers: { accept } }),
          200,
        );
        const [type = ''] = accept.split(/[;,]/);
        expect(headers['content-type']).to.equal(`${type}; charset=utf-8`);
        expect(parse(text)).to.include({ swagger: '2.0', host: ADVERTISE });
      });
    }

    it('are refused in a type that there is not', async () => {
      const answer = await client.get(`${C}/specs/edge-client/spec`, { headers: { accept: 'application/xml' } });
      expectFault(answer, 406, 'COULD_NOT_VALIDATE');
    });

    for (const [base, id] of [
      [C, 'edge-client'],
      [M, 'edge-management'],
    ] as const) {
      it(`come in OpenAPI 3.1 under ${base} without a session, valid and with the network's address`, async () => {
        const json = expectStatus(await client.get(`${base}/openapi.json`), 200);
        expect(json.headers['content-type']).to.equal('application/json');
        const document = JSON.parse(json.text) as Record<string, unknown>;
        expect(document['openapi']).to.equal('3.1.0');
        expect(document['servers']).to.deep.equal([{ url: `https://${ADVERTISE}${base}` }]);
        await SwaggerParser.validate(JSON.parse(json.text) as Parameters<typeof SwaggerParser.validate>[0]);
        const yaml = expectStatus(await client.get(`${base}/openapi.yaml`), 200);
        expect(yaml.headers['content-type']).to.equal('application/yaml; charset=utf-8');
        expect(parse(yaml.text)).to.deep.equal(document);
        const swagger = expectStatus(await client.get(`${base}/swagger.json`), 200).json as Record<string, object>;
        expect(Object.keys(document['paths'] as object)).to.deep.equal(Object.keys(swagger['paths'] ?? {}));
        const listed = expectStatus(await client.get(`${base}/specs`), 200).data as { id: string }[];
        expect(listed.map((one) => one.id)).to.include(id);
      });
    }

    it('answer 404 for one that is not there', async () => {
      expectFault(await client.get(`${C}/specs/nope`), 404, 'NOT_FOUND');
      expectFault(await client.get(`${C}/specs/nope/spec`), 404, 'NOT_FOUND');
    });

    it('are valid OpenAPI 2.0 as swagger.json, with the host that clients reach', async () => {
      for (const base of [C, M]) {
        const answer = expectStatus(await client.get(`${base}/swagger.json`), 200);
        expect(answer.headers['content-type']).to.equal('application/json');
        const document = JSON.parse(answer.text) as {
          host: string;
          basePath: string;
          schemes: string[];
          paths: object;
        };
        expect(document).to.deep.include({ host: ADVERTISE, basePath: base, schemes: ['https'] });
        expect(Object.keys(document.paths).length).to.be.greaterThan(20);
        await SwaggerParser.validate(JSON.parse(answer.text) as Parameters<typeof SwaggerParser.validate>[0]);
      }
    });

    it('are found with odd slashes, and under the old root', async () => {
      const { text } = await client.get(`${C}/swagger.json`);
      for (const path of [`/${C}//swagger.json/`, '/swagger.json', '/edge/v1/swagger.json'])
        expect(expectStatus(await client.get(path), 200).text).to.equal(text);
      const { text: openApi } = await client.get(`${C}/openapi.yaml`);
      for (const path of ['/openapi.yaml', '/edge/v1/openapi.yaml'])
        expect(expectStatus(await client.get(path), 200).text).to.equal(openApi);
    });
  });

  it('does not list controllers to anyone without a session', async () => {
    for (const path of [C, M]) {
      expectFault(await client.get(`${path}/controllers`), 401, 'UNAUTHORIZED');
      const [item, ...others] = expectStatus(await controller.admin.get(`${path}/controllers`), 200).data as {
        ctrlAddress: string;
        isOnline: boolean;
        certPem: string;
        fingerprint: string;
        apiAddresses: Record<string, { url: string; version: string }[]>;
      }[];
      expect(others).to.deep.equal([]);
      expect(item).to.deep.include({ ctrlAddress: `tls:${ADVERTISE}`, isOnline: true });
      expect(item?.apiAddresses).to.deep.equal({
        'edge-client': [{ url: `https://${ADVERTISE}${C}`, version: 'v1' }],
        'edge-management': [{ url: `https://${ADVERTISE}${M}`, version: 'v1' }],
        'edge-oidc': [{ url: `https://${ADVERTISE}/oidc`, version: 'v1' }],
      });
      const [leaf = ''] = await servedChain();
      expect(new X509Certificate(item?.certPem ?? '').fingerprint).to.equal(new X509Certificate(leaf).fingerprint);
    }
  });
});
