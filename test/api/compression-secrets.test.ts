/**
 * What the length of a compressed answer gives away: nothing of a secret. Answers that hand one out are not compressed;
 * lists that show enrollments are, and no length on the wire is the same twice.
 */
import { randomBytes } from 'node:crypto';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { expectStatus, createClient } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { documentOf } from '../support/document.js';
import type { Schema } from '../support/document.js';
import { MANAGEMENT as M } from '../support/paths.js';

/** Names of properties that hold credentials. */
const CREDENTIALS = ['token', 'jwt', 'enrollmentToken', 'enrollmentJwt', 'recoveryCodes', 'provisioningUrl'];

/** Reads with such a property that are compressed all the same, and why they may be. */
const COMPRESSED: Readonly<Record<string, string>> = {
  listNetworkJWTs: 'the JWT of the network is public',
  listAPISessions: 'the token that it shows is no credential',
  detailAPISessions: 'the token that it shows is no credential',
  listIdentities: 'padded',
  listServiceIdentities: 'padded',
  listServicePolicyIdentities: 'padded',
  listEdgeRouterPolicyIdentities: 'padded',
  listEdgeRouterIdentities: 'padded',
  listEdgeRouters: 'padded',
  listRouters: 'padded',
  listTransitRouters: 'padded',
  listIdentityEdgeRouters: 'padded',
  listServiceEdgeRouters: 'padded',
  listEdgeRouterPolicyEdgeRouters: 'padded',
  listServiceEdgeRouterPolicyEdgeRouters: 'padded',
};

function readsWithCredentials(): Set<string> {
  const found = new Set<string>();
  for (const api of ['client', 'fabric', 'management', 'oidc'] as const) {
    const document = documentOf(api);
    const nameOf = (ref: string) => ref.split('/').at(-1) ?? '';
    const has = (schema: Schema | undefined, seen: readonly string[]): boolean => {
      if (schema === undefined) return false;
      if (schema.$ref !== undefined) {
        const name = nameOf(schema.$ref);
        return !seen.includes(name) && has(document.definitions[name], [...seen, name]);
      }
      return (
        Object.entries(schema.properties ?? {}).some(
          ([name, property]) => CREDENTIALS.includes(name) || has(property, seen),
        ) ||
        has(schema.items, seen) ||
        (schema.allOf ?? []).some((part) => has(part, seen))
      );
    };
    for (const path of Object.values(document.paths)) {
      const { get } = path;
      const answer = get?.responses['200'];
      const resolved = answer?.$ref === undefined ? answer : document.responses[nameOf(answer.$ref)];
      if (get !== undefined && has(resolved?.schema, [])) found.add(get.operationId);
    }
  }
  return found;
}

const HANDS_OUT: ReadonlySet<string> = new Set(
  [...Object.values(operations.client), ...Object.values(operations.management)]
    .filter(({ handsOutCredential }) => handsOutCredential)
    .map(({ operationId }) => operationId),
);

describe('the length of a compressed answer', () => {
  it('gives away no secret: every read that shows one is known', () => {
    const reads = readsWithCredentials();
    expect([...reads].filter((id) => !HANDS_OUT.has(id)).sort()).to.deep.equal(Object.keys(COMPRESSED).sort());
    // Those without a schema to look at: a picture and a JWT.
    expect([...HANDS_OUT].filter((id) => !reads.has(id)).sort()).to.deep.equal(['detailMfaQrCode', 'getCaJwt']);
  });

  describe('of a list that shows enrollments', () => {
    const TIMES = 16;
    let controller: TestController;
    before(async () => {
      controller = await startTestController({ EDGE_API_MAX_LIMIT: '39' });
      for (let i = 0; i < 40; i += 1)
        expectStatus(
          await controller.admin.post(`${M}/identities`, {
            name: unique('padded'),
            type: 'Device',
            isAdmin: false,
            // What cannot be compressed: more than one piece is left.
            tags: { random: randomBytes(2400).toString('base64') },
          }),
          201,
        );
    });
    after(() => controller.stop());

    /** Passes connections on, and notes the lengths of the TLS records that the server sends. */
    const watch = async (work: (url: string, records: number[]) => Promise<void>) => {
      const records: number[] = [];
      const sockets: Socket[] = [];
      const proxy = createServer((near) => {
        const far = connect(Number(new URL(controller.url).port), '127.0.0.1');
        sockets.push(near, far);
        for (const socket of [near, far]) socket.on('error', () => undefined);
        let rest = Buffer.alloc(0);
        far.on('data', (chunk: Buffer) => {
          rest = Buffer.concat([rest, chunk]);
          while (rest.length >= 5 && rest.length >= 5 + rest.readUInt16BE(3)) {
            records.push(rest.readUInt16BE(3));
            rest = rest.subarray(5 + rest.readUInt16BE(3));
          }
          near.write(chunk);
        });
        near.on('data', (chunk: Buffer) => far.write(chunk));
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      try {
        await work(`https://127.0.0.1:${(proxy.address() as AddressInfo).port}`, records);
      } finally {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => proxy.close(resolve));
      }
    };

    for (const coding of ['gzip', 'br'])
      for (const limit of [1, 39, -1])
        it(`varies by chance with every answer: ${coding}, limit ${limit}`, async () => {
          const path = `${M}/identities?limit=${limit}&filter=${encodeURIComponent('name contains "padded-"')}`;
          const bodies = new Set<number>();
          const totals = new Set<number>();
          const lasts = new Set<number>();
          await watch(async (url, records) => {
            const client = createClient(url, controller.admin.token);
            try {
              await client.get(path); // the handshake
              for (let i = 0; i < TIMES; i += 1) {
                records.length = 0;
                const answer = expectStatus(await client.get(path, { headers: { 'accept-encoding': coding } }), 200);
                expect(answer.headers['content-encoding']).to.equal(coding);
                expect(String(answer.headers['x-padding'])).to.match(/^\.{1,512}$/);
                bodies.add(answer.bytes);
                totals.add(records.reduce((sum, length) => sum + length, 0));
                // A record of its own ends a list without limit.
                lasts.add(records.findLast((length) => length > 64) ?? 0);
              }
            } finally {
              client.close();
            }
          });
          // The same body each time; equal lengths of all 16 answers have the chance of one in 512^15.
          expect(bodies.size).to.equal(1);
          expect(totals.size).to.be.greaterThan(1);
          expect(lasts.size).to.be.greaterThan(1);
        });
  });

  it('is that of the bytes alone for pages and documents, which are the same for everybody', async () => {
    const controller = await startTestController();
    try {
      for (const path of [`${M}/swagger.json`, '/docs/swagger-ui.css']) {
        const answer = await controller.anonymous.get(path, { headers: { 'accept-encoding': 'gzip' } });
        expect(answer.headers['content-encoding']).to.equal('gzip');
        expect(answer.headers).not.to.have.property('x-padding');
      }
    } finally {
      await controller.stop();
    }
  });
});
