/** examples/certificate-client.sh as a stranger runs it: with a JWT, in dash, from a directory of its own. */
import { execFile } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { itemsOf, totalOf } from '../support/entities.js';
import { makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { createCertificateClient } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { freePort } from '../support/ports.js';
import { otherUser } from '../support/process.js';
import { NO_OTHER_USER, itUnless } from '../support/unless.js';

const script = fileURLToPath(new URL('../../../examples/certificate-client.sh', import.meta.url));

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
interface Ott {
  readonly identityId: string;
  readonly jwt: string;
  readonly token: string;
}

async function newOtt(controller: TestController, roleAttributes: string[] = []): Promise<Ott> {
  const identityId = await makeIdentity(controller, {
    name: unique('stranger'),
    type: 'Device',
    roleAttributes,
    enrollment: { ott: true },
  });
  const [record] = itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`));
  return { identityId, jwt: String(record?.['jwt']), token: String(record?.['token']) };
}

describe('examples/certificate-client.sh', function client() {
  this.timeout(600_000);
  const places: string[] = [];
  const newPlace = () => {
    const place = mkdtempSync(join(tmpdir(), 'edge-stranger-'));
    places.push(place);
    return place;
  };
  after(() => {
    places.forEach((place) => {
      rmSync(place, { recursive: true, force: true });
    });
  });

  /** @param input  what goes to its standard input */
  const run = (
    place: string,
    input: string,
    args: readonly string[] = [],
    owner: { uid?: number; gid?: number } = {},
    file = script,
  ): Promise<Run> =>
    new Promise((resolve) => {
      const options = {
        cwd: place,
        env: { PATH: process.env['PATH'] ?? '', TMPDIR: place },
        timeout: 60_000,
        ...owner,
      };
      const child = execFile('/bin/sh', [file, ...args], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
      });
      child.stdin?.on('error', () => undefined).end(input); // it may end without having read all
    });
  const filesOf = (directory: string) => readdirSync(directory).sort();

  for (const [kind, algorithm] of [
    ['ec-p256', 'ES256'],
    ['rsa-2048', 'RS256'],
  ] as const) {
    describe(`with a server key of kind ${kind}`, () => {
      let controller: TestController;
      before(async () => {
        controller = await startReachable({ EDGE_TLS_KEY: kind });
      });
      after(() => controller.stop());

      for (const form of ['json', 'pem'] as const) {
        it(`enrolls, logs in, lists its services and renews its certificate (${form})`, async () => {
          const attribute = unique('stranger');
          const service = unique('wiki');
          await makeService(controller, { name: service, encryptionRequired: true, roleAttributes: [attribute] });
          await makeServicePolicy(controller, {
            type: 'Dial',
            identityRoles: [`#${attribute}`],
            serviceRoles: [`#${attribute}`],
          });
          const { identityId, jwt, token } = await newOtt(controller, [attribute]);
          const sessions = totalOf(await controller.admin.get(`${MANAGEMENT}/api-sessions`));
          const place = newPlace();
          const { code, stdout, stderr } = await run(place, `${jwt}\n`, form === 'pem' ? ['--pem'] : []);
          expect(stderr).to.equal('');
          expect(code).to.equal(0);
          expect(stdout)
            .to.include(`signed by  ${algorithm}\n`)
            .and.include('yes: the JWT comes from this controller\n');
          expect(stdout).to.include(`\n== Services that this identity may use\n${service}\n\n`);
          expect(stdout)
            .to.include('\nnew: accepted\nold: refused (403 INVALID_AUTH: ')
            .and.to.match(/\ndone\n$/);
          for (const secret of [token, jwt, 'PRIVATE KEY', 'zt-session']) expect(stdout).not.to.include(secret);

          expect(
            totalOf(await controller.admin.get(`${MANAGEMENT}/api-sessions`)) - sessions,
            'sessions left behind',
          ).to.equal(0);
          expect(filesOf(place), 'temporary files left behind').to.deep.equal([`edge-${identityId}`]);
          const directory = join(place, `edge-${identityId}`);
          expect(filesOf(directory)).to.deep.equal(['ca.pem', 'client.key', 'client.pem']);
          expect(statSync(directory).mode & 0o777).to.equal(0o700);
          for (const name of filesOf(directory))
            expect(statSync(join(directory, name)).mode & 0o777, name).to.equal(0o600);

          const shown = {
            cert: readFileSync(join(directory, 'client.pem'), 'utf8'),
            key: readFileSync(join(directory, 'client.key'), 'utf8'),
          };
          const certified = createCertificateClient(controller.url, shown);
          expectStatus(await certified.post(`${CLIENT}/authenticate?method=cert`, {}), 200);
          certified.close();
          const [authenticator] = itemsOf(
            await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators`),
          );
          expect(stdout).to.include(`SHA-1      ${String(authenticator?.['fingerprint'])}\n`);
        });
      }
    });
  }

  describe('refuses', () => {
    let controller: TestController;
    before(async () => {
      controller = await startReachable();
    });
    after(() => controller.stop());

    const expectRefusal = async (jwt: string, reason: RegExp, args: readonly string[] = []): Promise<Run> => {
      const place = newPlace();
      const answer = await run(place, jwt, args);
      expect(answer.stderr).to.match(reason);
      expect(answer.stderr.split('\n').length, 'no word of what to do next').to.be.at.least(3);
      expect(answer.code).to.equal(1);
      expect(filesOf(place)).to.deep.equal([]);
      return answer;
    };
    const altered = (jwt: string, part: 0 | 1, change: (claims: Record<string, unknown>) => object): string => {
      const parts = jwt.split('.');
      const claims = JSON.parse(Buffer.from(parts[part] ?? '', 'base64url').toString()) as Record<string, unknown>;
      parts[part] = Buffer.from(JSON.stringify(change(claims))).toString('base64url');
      return parts.join('.');
    };
    const isUnused = async ({ identityId }: Ott) => {
      expect(itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`))).to.have.length(
        1,
      );
    };

    it('what is no JWT', async () => {
      for (const text of ['', 'hello', 'a.b', 'a.b.c.d', 'eyJh bGci.\n\n.e30', '$(id).`id`.x'])
        await expectRefusal(text, /^certificate-client: (this is no JWT|the JWT)/);
      await expectRefusal('YQ.Yg.Yw', /its parts are no JSON/);
    });

    it('a JWT whose claims were changed, before it sends anything', async () => {
      const ott = await newOtt(controller);
      const other = await newOtt(controller);
      const changes: ((claims: Record<string, unknown>) => object)[] = [
        (claims) => ({ ...claims, sub: other.identityId }),
        (claims) => ({ ...claims, jti: other.token }),
        (claims) => ({ ...claims, exp: 4_102_444_800 }),
      ];
      for (const change of changes)
        await expectRefusal(
          altered(ott.jwt, 1, change),
          /was not signed by what answers at https:\/\/localhost:\d+\n {2}Either the JWT was changed/,
        );
      const [header, claims, signature = ''] = ott.jwt.split('.');
      for (const forged of [`${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`, 'A'.repeat(86)]) {
        await expectRefusal(`${header}.${claims}.${forged}`, /was not signed by/);
      }
      await expectRefusal(`${header}.${claims}.${signature.slice(0, 40)}`, /the signature of the JWT is damaged/);
      await isUnused(ott);
      await isUnused(other);
    });

    it('a JWT without a signature, or one by a shared secret', async () => {
      const ott = await newOtt(controller);
      for (const alg of ['none', 'HS256', 'es256'])
        await expectRefusal(
          altered(ott.jwt, 0, (header) => ({ ...header, alg })),
          /only ES256 and RS256 are accepted/,
        );
      await expectRefusal(
        altered(ott.jwt, 0, (header) => ({ ...header, alg: 'RS256' })),
        /was not signed by/,
      );
      await isUnused(ott);
    });

    it('a JWT of another controller', async () => {
      const stranger = await startReachable();
      try {
        const { jwt } = await newOtt(stranger);
        const [, claims] = (await newOtt(controller)).jwt.split('.');
        const [header, , signature] = jwt.split('.');
        await expectRefusal(`${header}.${claims}.${signature}`, /was not signed by/);
      } finally {
        await stranger.stop();
      }
    });

    it('claims that would reach beyond an address or a directory', async () => {
      const ott = await newOtt(controller);
      const claims = [
        { iss: 'http://localhost:1' },
        { iss: 'https://localhost:1/x?y' },
        { iss: 'https://a b' },
        { iss: 'file:///etc/passwd' },
        { iss: 'https://$(id)' },
        { sub: '../../x' },
        { sub: 'a b' },
        { sub: '' },
        { jti: 'x&method=updb' },
        { jti: '"' },
        { exp: 'soon' },
        { exp: 1.5 },
      ];
      for (const claim of claims)
        await expectRefusal(
          altered(ott.jwt, 1, (all) => ({ ...all, ...claim })),
          /^certificate-client: the JWT /,
        );
      await isUnused(ott);
    });

    it('a JWT that has expired, or is for another method', async () => {
      const ott = await newOtt(controller);
      await expectRefusal(
        altered(ott.jwt, 1, (claims) => ({ ...claims, exp: 1 })),
        /the JWT has expired/,
      );
      await expectRefusal(
        altered(ott.jwt, 1, (claims) => ({ ...claims, em: 'updb' })),
        /for the method "updb", this script for "ott"/,
      );
    });

    it("a JWT that was used, or taken back, with the controller's own words", async () => {
      const used = await newOtt(controller);
      expect((await run(newPlace(), used.jwt)).code).to.equal(0);
      await expectRefusal(
        used.jwt,
        /the enrollment was refused: 404 INVALID_ENROLLMENT_TOKEN: The supplied token is not valid/,
      );
      await expectRefusal(used.jwt, /the enrollment was refused: 404 INVALID_ENROLLMENT_TOKEN/, ['--pem']);
      const deleted = await newOtt(controller);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${deleted.identityId}`), 200);
      await expectRefusal(deleted.jwt, /the enrollment was refused: 404/);
    });

    it('to go on when nobody answers', async () => {
      const port = await freePort();
      await expectRefusal(
        altered((await newOtt(controller)).jwt, 1, (claims) => ({ ...claims, iss: `https://localhost:${port}` })),
        /no controller answers at https:\/\/localhost:/,
      );
    });

    it('a directory that is there already, and leaves it and the JWT as they were', async () => {
      const ott = await newOtt(controller);
      const place = newPlace();
      const { code, stderr } = await run(place, ott.jwt, ['--directory', place]);
      expect([code, stderr]).to.deep.equal([
        1,
        `certificate-client: ${place} cannot be made, or is there already\n  Name another one: --directory DIR. ` +
          `The JWT is still good.\n`,
      ]);
      expect(filesOf(place)).to.deep.equal([]);
      await isUnused(ott);
    });

    it('options that it does not know', async () => {
      const { code, stderr } = await run(newPlace(), '', ['--der']);
      expect(code).to.equal(2);
      expect(stderr).to.include('certificate-client.sh [--pem] [--directory DIR] [FILE]');
    });
  });

  itUnless(NO_OTHER_USER, 'works as an ordinary user', async () => {
    const owner = otherUser();
    const controller = await startReachable();
    try {
      const place = newPlace();
      const copy = join(place, 'certificate-client.sh');
      copyFileSync(script, copy);
      chownSync(place, owner.uid, owner.gid);
      chownSync(copy, owner.uid, owner.gid);
      const { identityId, jwt } = await newOtt(controller);
      expect(await run(place, jwt, [], owner, copy)).to.include({ code: 0, stderr: '' });
      expect(statSync(join(place, `edge-${identityId}`)).uid).to.equal(owner.uid);
    } finally {
      await controller.stop();
    }
  });

  it('reads the JWT from a file too, and shows how it is used', async () => {
    const controller = await startReachable();
    try {
      const place = newPlace();
      const { jwt } = await newOtt(controller);
      writeFileSync(join(place, 'my network.jwt'), jwt);
      expect(await run(place, '', ['--directory', 'a b', 'my network.jwt'])).to.include({ code: 0, stderr: '' });
      expect(existsSync(join(place, 'a b/client.pem'))).to.equal(true);
      expect((await run(place, '', ['--help'])).stdout).to.match(/^Enrolls with a one-time enrollment JWT/);
    } finally {
      await controller.stop();
    }
  });
});
