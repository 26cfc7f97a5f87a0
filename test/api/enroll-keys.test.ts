/** The key set that verifies the JWTs of enrollments and of the network. */
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT } from '../support/paths.js';

for (const keyKind of ['ec-p256', 'rsa-2048'] as const) {
  describe(`the enrollment key set (${keyKind})`, () => {
    let controller: Awaited<ReturnType<typeof startTestController>>;
    before(async () => {
      controller = await startTestController({ EDGE_TLS_KEY: keyKind });
    });
    after(() => controller.stop());

    const keySet = async (): Promise<JSONWebKeySet> => {
      const answer = expectStatus(await controller.anonymous.get(`${CLIENT}/enroll/jwks`), 200);
      expect(answer.headers['content-type']).to.equal('application/json');
      return answer.json as JSONWebKeySet;
    };

    it('verifies enrollment JWTs and the network’s', async () => {
      const keys = createLocalJWKSet(await keySet());
      const identityId = await makeIdentity(controller, {
        enrollment: { ott: true },
      });
      const { enrollment } = await read<{
        enrollment: { ott: { jwt: string } };
      }>(controller, `identities/${identityId}`);
      expect((await jwtVerify(enrollment.ott.jwt, keys)).payload.sub).to.equal(identityId);
      const networks = expectStatus(await controller.anonymous.get(`${CLIENT}/network-jwts`), 200).data as {
        token: string;
      }[];
      expect((await jwtVerify(networks[0]?.token ?? '', keys)).payload['em']).to.equal('network');
    });

    it('holds public halves only, each with its certificates', async () => {
      const { keys } = await keySet();
      expect(keys).to.have.length(1);
      for (const key of keys) {
        const parts = keyKind === 'ec-p256' ? ['crv', 'x', 'y'] : ['n', 'e'];
        expect(key).to.have.all.keys('kty', 'use', 'alg', 'kid', 'x5c', ...parts);
        expect(key).to.include({
          use: 'sig',
          alg: keyKind === 'ec-p256' ? 'ES256' : 'RS256',
          kty: keyKind === 'ec-p256' ? 'EC' : 'RSA',
        });
        const [own, issuer] = (key.x5c ?? []).map((der) => new X509Certificate(Buffer.from(der, 'base64')));
        expect(own?.fingerprint.replaceAll(':', '').toLowerCase()).to.equal(key.kid);
        expect(own !== undefined && issuer !== undefined && own.verify(issuer.publicKey)).to.equal(true);
        expect(own?.publicKey.export({ format: 'jwk' })).to.deep.include(
          Object.fromEntries(parts.map((part) => [part, key[part as 'x']])),
        );
      }
    });
  });
}
