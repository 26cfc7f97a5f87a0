/** Certificate authorities of others that identities may come with: each is made with a certificate of its own. */
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { PARALLEL, forEachParallel } from './api-client.js';
import { methodOf } from './case.js';
import type { BenchCase, CaseContext, Group } from './case.js';
import { MANAGEMENT, madeOf, requestBytes } from './world.js';
import type { World } from './world.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const PER_SECOND = 500;
const LONGEST_SECONDS = 2;
const READY_FOR_CHANGES = 100;
const DAY_MS = 86_400_000;

async function newCa(): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: `01${randomBytes(8).toString('hex')}`,
      name: 'CN=bench',
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      ],
    },
    webcrypto,
  );
  return certificate.toString('pem');
}

const settings = () => ({
  name: `bench-new-ca-${randomBytes(9).toString('hex')}`,
  identityRoles: [],
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: false,
  isOttCaEnrollmentEnabled: true,
});
const idsOf = (world: World): string[] => madeOf(world, 'ca');
const group: Group = {
  clearUp: async ({ world }) => {
    await forEachParallel(idsOf(world).splice(0), (id) => world.admin.call('DELETE', `${MANAGEMENT}/cas/${id}`));
  },
};

async function creations({ world }: CaseContext, count: number): Promise<Buffer[]> {
  const requests: Buffer[] = [];
  await forEachParallel(
    Array.from({ length: count }, (_, index) => index),
    async () => {
      requests.push(
        requestBytes(world, {
          method: 'POST',
          path: `${MANAGEMENT}/cas`,
          body: { ...settings(), certPem: await newCa() },
          token: world.admin.token,
        }),
      );
    },
  );
  return requests;
}

async function fill(context: CaseContext, wanted: number): Promise<void> {
  const { world, load } = context;
  const missing = wanted - idsOf(world).length;
  if (missing <= 0) return;
  const { ids } = await load.run(world.target, {
    mode: 'once',
    requests: await creations(context, missing),
    collectsIds: true,
    connections: PARALLEL,
    seconds: 60,
  });
  idsOf(world).push(...ids);
}

const amount = ({ seconds }: CaseContext): number => Math.ceil(Math.min(seconds, LONGEST_SECONDS) * PER_SECOND);

const onEach = (name: string, operationId: 'detailCa' | 'patchCa' | 'updateCa', body?: () => unknown): BenchCase => ({
  name,
  api: 'management',
  operationId,
  group,
  plan: async (context) => {
    await fill(context, READY_FOR_CHANGES);
    const { world } = context;
    return {
      mode: 'cycle',
      requests: idsOf(world)
        .slice(0, READY_FOR_CHANGES)
        .map((id) =>
          requestBytes(world, {
            method: methodOf('management', operationId),
            path: `${MANAGEMENT}/cas/${id}`,
            token: world.admin.token,
            ...(body === undefined ? {} : { body: body() }),
          }),
        ),
    };
  },
});

export const caCases: readonly BenchCase[] = [
  {
    name: 'ca create',
    api: 'management',
    operationId: 'createCa',
    group,
    plan: async (context) => ({ mode: 'once', collectsIds: true, requests: await creations(context, amount(context)) }),
    after: async ({ world }, { ids }) => {
      idsOf(world).push(...ids);
    },
  },
  onEach('ca by id', 'detailCa'),
  onEach('ca patch', 'patchCa', () => ({ tags: { patched: true } })),
  onEach('ca update', 'updateCa', () => ({ ...settings(), identityNameFormat: '[caName]-[commonName]' })),
  {
    name: 'ca delete',
    api: 'management',
    operationId: 'deleteCa',
    group,
    plan: async (context) => {
      await fill(context, amount(context));
      const { world } = context;
      const pool = idsOf(world);
      const ids = pool.splice(0, amount(context));
      return {
        mode: 'once',
        spends: { ids, pool },
        requests: ids.map((id) =>
          requestBytes(world, { method: 'DELETE', path: `${MANAGEMENT}/cas/${id}`, token: world.admin.token }),
        ),
      };
    },
  },
];
