/** The entities that requests of the contract's run are about, made through the API, with all that they refer to. */
import { randomUUID } from 'node:crypto';
import { makeCa, makeLeaf, makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { beginTotp, enrollTotp } from '../support/totp.js';
import type { OperationSpec } from '../../generated/operation.js';
import { basePaths } from '../../generated/routes.js';
import type { Body } from './examples.js';
import { withNewNames } from './world.js';
import type { World } from './world.js';
import { change, firstOf, idOf } from './situation.js';
import type { Prepare, Situation } from './situation.js';

/** A service that every identity may dial, through an edge router that is open to every identity. */
export async function reachable(world: World): Promise<string> {
  const service = await world.create('/services');
  await world.create('/service-policies', {
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: [`@${service}`],
    postureCheckRoles: [],
  });
  const router = await world.create('/edge-routers');
  await world.create('/edge-router-policies', {
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: [`@${router}`],
  });
  await world.create('/service-edge-router-policies', {
    semantic: 'AnyOf',
    serviceRoles: [`@${service}`],
    edgeRouterRoles: [`@${router}`],
  });
  return service;
}

export const ends = async (world: World) => ({
  service: await world.create('/services'),
  router: await world.create('/edge-routers'),
});

/** A certificate authority of its own: no certificate is registered twice. `proof` verifies it. */
export async function authority(world: World): Promise<{ id: string; proof: string }> {
  const ca = makeCa();
  const id = await world.create('/cas', { certPem: ca.pem });
  const { verificationToken } = expectStatus(await world.admin.get(`${MANAGEMENT}/cas/${id}`), 200).data as {
    verificationToken: string;
  };
  return { id, proof: makeLeaf(ca, { commonName: verificationToken }).pem };
}

/** No two signers have the same issuer. */
export const newIssuer = (world: World): Body => ({ issuer: `https://${world.unique('issuer')}.example.com/` });

/** There is one set of settings for all controllers together: made again. */
export async function withoutSettings({ admin }: World): Promise<void> {
  await admin.delete(`${MANAGEMENT}/controller-settings/global/effective`);
}
async function settings(world: World): Promise<string> {
  await withoutSettings(world);
  return world.create('/controller-settings');
}

/** No check is under way any more: a snapshot, which is refused before, has let go of the database when it answers. */
export async function withoutWork({ world: { admin } }: Pick<Situation, 'world'>): Promise<void> {
  const isFree = async () => (await admin.post(`${MANAGEMENT}/database/snapshot`)).status === 200;
  await until('the database is free of work', isFree, 30_000);
}

/** Makes what a path with an id is about, by the path's first segments. */
const subjects: Record<string, (world: World) => Promise<string>> = {
  '/api-sessions': async (world) =>
    idOf(await (await world.session(await world.account())).get(`${MANAGEMENT}/current-api-session`)),
  '/authenticators': async (world) =>
    world.create('/authenticators', { identityId: await world.create('/identities') }),
  '/cas': async (world) => (await authority(world)).id,
  '/controller-settings': settings,
  '/enrollments': async (world) =>
    world.create('/enrollments', { identityId: await world.create('/identities', { enrollment: {} }) }),
  '/external-jwt-signers': async (world) => world.create('/external-jwt-signers', newIssuer(world)),
  '/identity-types': async () => 'User',
  '/posture-check-types': async () => 'MFA',
  '/revocations': async (world) => world.create('/revocations', { id: randomUUID() }),
  '/sessions': async (world) => {
    const answer = expectStatus(
      await world.admin.post(`${CLIENT}/sessions`, { serviceId: await reachable(world) }),
      201,
    );
    return (answer.data as { id: string }).id;
  },
  '/terminators': async (world) => world.create('/terminators', await ends(world)),
};

export async function subject({ path, api }: OperationSpec, world: World): Promise<string> {
  const collection = path.slice(0, path.indexOf('/{id}'));
  if (collection === '/specs') return firstOf(await world.admin.get(`${basePaths[api]}/specs`));
  return subjects[collection]?.(world) ?? world.create(collection);
}

/** A new identity with a TOTP enrollment, in whose session the request goes. @returns the secret */
export async function withTotp({ transaction, world }: Situation, isVerified: boolean): Promise<string> {
  const client = await world.session(await world.account());
  transaction.request.headers['zt-session'] = client.token ?? '';
  return (await (isVerified ? enrollTotp : beginTotp)(client)).secret;
}

export const updbToken = async (world: World): Promise<{ token: string; identityId: string }> => {
  const identityId = await world.create('/identities', { enrollment: {} });
  const id = await world.create('/enrollments', { identityId, method: 'updb', username: world.unique('newcomer') });
  const { token } = expectStatus(await world.admin.get(`${MANAGEMENT}/enrollments/${id}`), 200).data as {
    token: string;
  };
  return { token, identityId };
};

/** An authenticator with a certificate of the network. */
export const networkCertificate = async (world: World, identityId: string): Promise<string> => {
  const id = await world.create('/enrollments', { identityId, method: 'ott' });
  const { token } = expectStatus(await world.admin.get(`${MANAGEMENT}/enrollments/${id}`), 200).data as {
    token: string;
  };
  expectStatus(await world.admin.post(`${CLIENT}/enroll/ott`, { token, clientCsr: makeRequest().pem }), 200);
  return firstOf(
    await world.admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators?filter=method%3D%22cert%22`),
  );
};

/** The example itself gets the answer: what it names does not exist. */
export const asItIs: Prepare = () => undefined;

export const forNewIdentity: Prepare = async ({ transaction, world }) => {
  const identityId = await world.create('/identities', { enrollment: {} });
  change(transaction, (body) => ({ ...withNewNames(body, world.unique), identityId }));
};
