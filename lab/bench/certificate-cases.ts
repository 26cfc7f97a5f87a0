/** New connections, with and without a client certificate, and what hands certificates out. */
import { forEachParallel } from './api-client.js';
import { reading } from './case.js';
import type { BenchCase, CaseContext, Group } from './case.js';
import { newRequest } from './certificate-requests.js';
import { signerGroup, signerOf } from './login-cases.js';
import { one } from './paths.js';
import { CLIENT, MANAGEMENT, madeOf, requestBytes } from './world.js';
import type { World } from './world.js';

/** Requests take a millisecond each to make. */
const PER_SECOND = 500;
const LONGEST_SECONDS = 2;
/** Number of certificates of one API session; more are refused. */
const MOST_OF_SESSION = 20;
/** How many need one each: certificates and tokens work once. */
const amount = ({ seconds }: CaseContext): number => Math.ceil(Math.min(seconds, LONGEST_SECONDS) * PER_SECOND);

const RUN = Date.now().toString(36);

/** A new identity with an outstanding one-time token. */
async function newToken(world: World, index: number): Promise<string> {
  const id = await world.admin.create(`${MANAGEMENT}/identities`, {
    name: `bench-new-ott-${RUN}-${index}-${owners(world).length}`,
    type: 'Device',
    isAdmin: false,
    enrollment: { ott: true },
  });
  owners(world).push(id);
  const [enrollment] = await world.admin.call<{ token: string }[]>('GET', `${MANAGEMENT}/identities/${id}/enrollments`);
  return enrollment?.token ?? '';
}

/** Identities that were made; with them go their certificates and API sessions. */
const owners = (world: World): string[] => madeOf(world, 'certificate owner');
const group: Group = {
  clearUp: async ({ world }) => {
    await forEachParallel(owners(world).splice(0), (id) =>
      world.admin.call('DELETE', `${MANAGEMENT}/identities/${id}`),
    );
  },
};

/** A client certificate of an identity of its own. */
async function newCertificate(world: World): Promise<{ cert: string; key: string }> {
  const { csr, key } = await newRequest('bench');
  const token = await newToken(world, 0);
  const { cert } = await world.admin.call<{ cert: string }>('POST', `${CLIENT}/enroll/ott?token=${token}`, {
    clientCsr: csr,
  });
  return { cert, key };
}

const login = (world: World): Buffer =>
  requestBytes(world, { method: 'POST', path: `${CLIENT}/authenticate?method=cert`, body: {} });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const certificateCases: readonly BenchCase[] = [
  reading('enrollment keys', 'client', 'getEnrollmentJwks', one('/enroll/jwks'), 'nobody'),
  reading('certificate authorities 10', 'management', 'listCas', one('/cas?limit=10'), 'admin'),
  reading(
    'session certificates',
    'client',
    'listCurrentApiSessionCertificates',
    one('/current-api-session/certificates'),
    'client',
  ),
  {
    name: 'session certificate create',
    api: 'client',
    operationId: 'createCurrentApiSessionCertificate',
    group: signerGroup,
    plan: async (context) => {
      const { world } = context;
      const tokens: string[] = [];
      const bearer = await (await signerOf(world)).token(world.clientIdentity.id);
      await forEachParallel(numbers(Math.ceil(amount(context) / MOST_OF_SESSION)), async () => {
        tokens.push(await world.admin.loginByToken(bearer));
      });
      const requests: Buffer[] = [];
      await forEachParallel(numbers(amount(context)), async (index) => {
        const { csr } = await newRequest('bench');
        requests.push(
          requestBytes(world, {
            method: 'POST',
            path: `${CLIENT}/current-api-session/certificates`,
            body: { csr },
            token: tokens[Math.floor(index / MOST_OF_SESSION)],
          }),
        );
      });
      return { mode: 'once', requests };
    },
  },
  {
    name: 'session certificate by id',
    api: 'client',
    operationId: 'detailCurrentApiSessionCertificate',
    plan: async ({ world }) => ({
      mode: 'cycle',
      requests: (await certificatesOf(world)).slice(0, 100).map((id) =>
        requestBytes(world, {
          method: 'GET',
          path: `${CLIENT}/current-api-session/certificates/${id}`,
          token: world.client.token,
        }),
      ),
    }),
  },
  {
    name: 'session certificate delete',
    api: 'client',
    operationId: 'deleteCurrentApiSessionCertificate',
    plan: async ({ world }) => {
      const ids = (await certificatesOf(world)).splice(0);
      return {
        mode: 'once',
        spends: { ids, pool: madeOf(world, 'session certificate') },
        requests: ids.map((id) =>
          requestBytes(world, {
            method: 'DELETE',
            path: `${CLIENT}/current-api-session/certificates/${id}`,
            token: world.client.token,
          }),
        ),
      };
    },
  },
  {
    name: 'enroll ott',
    api: 'client',
    operationId: 'enrollOtt',
    group,
    plan: async (context) => {
      const { world } = context;
      const requests: Buffer[] = [];
      await forEachParallel(numbers(amount(context)), async (index) => {
        const [{ csr }, token] = await Promise.all([newRequest('bench'), newToken(world, index)]);
        requests.push(
          requestBytes(world, {
            method: 'POST',
            path: `${CLIENT}/enroll/ott?token=${token}`,
            body: { clientCsr: csr },
          }),
        );
      });
      return { mode: 'once', requests };
    },
  },
  {
    name: 'new TLS connection',
    api: 'client',
    operationId: 'listVersion',
    plan: async ({ world }) => ({
      mode: 'cycle',
      connectsEach: true,
      requests: [requestBytes(world, { method: 'GET', path: `${CLIENT}/version` })],
    }),
  },
  {
    name: 'new connection and certificate login',
    api: 'client',
    operationId: 'authenticate',
    group,
    plan: async ({ world }) => ({
      mode: 'cycle',
      connectsEach: true,
      clientCertificate: await newCertificate(world),
      requests: [login(world)],
    }),
  },
  {
    name: 'certificate login',
    api: 'client',
    operationId: 'authenticate',
    group,
    plan: async ({ world }) => ({
      mode: 'cycle',
      clientCertificate: await newCertificate(world),
      requests: [login(world)],
    }),
  },
];

/** Those of the client's API session, as many as it may have. */
async function certificatesOf(world: World): Promise<string[]> {
  const ids = madeOf(world, 'session certificate');
  await forEachParallel(numbers(MOST_OF_SESSION - ids.length), async () => {
    const { csr } = await newRequest('bench');
    ids.push(await world.client.create(`${CLIENT}/current-api-session/certificates`, { csr }));
  });
  return ids;
}
