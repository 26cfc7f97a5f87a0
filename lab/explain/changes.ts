/** Statements that change something: all of them are rolled back. */
import type { LoginProof } from '../../db/stores/session-opening.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type { LoginMethod } from '../../domain/credentials.js';
import type { ServicePolicyDraft } from '../../domain/model.js';
import { newIdentity } from '../../domain/new-identity.js';
import { GROUPS, WITH_SESSION, idOf, tokenOf } from './scale.js';
import { HOSTING } from './fill-live.js';
import { changing, useOf } from './hot.js';
import type { Facts, Hot } from './hot.js';

/** Ids of what is made, as long as real ones. */
const newId = (letter: string): string => letter.repeat(22);
const TOKEN = '00000000-0000-4000-8000-000000000000';
/** Sessions that one sweep looks at. */
const SLICE = 250;
const END = new Date('2100-01-01');

const identityDraft = newIdentity({
  name: 'bench-new',
  typeId: 'Device',
  roleAttributes: ['bench-dept-3', 'bench-site-7'],
});
const enrollment = {
  id: newId('e'),
  method: 'ott' as const,
  caId: null,
  username: null,
  token: TOKEN,
  jwt: 'x'.repeat(600),
  expiresAt: END,
};
const wholePolicy: ServicePolicyDraft = {
  name: 'bench-new',
  type: 'Dial',
  semantic: 'AnyOf',
  identityRoles: ['#all'],
  serviceRoles: ['#all'],
  postureCheckRoles: [],
  tags: {},
};

const externalIdOf = ({ identityIndex }: Facts): string => `bench-external-${identityIndex + HOSTING}`;
const activityOf = (count: number) =>
  new Map(
    Array.from({ length: count }, (_, index) => [
      idOf('api-session', index),
      { at: new Date(), requestedAt: new Date() },
    ]),
  );

/** @throws Error when the proof does not hold */
async function open(tx: StoreSet, authenticatorId: string, method: LoginMethod, proof: LoginProof): Promise<void> {
  const draft = {
    id: newId('k'),
    authenticatorId,
    method,
    tokenHash: Buffer.alloc(32, 1),
    ipAddress: '127.0.0.1',
    configTypes: [],
    api: 'client' as const,
    certificateHash: null,
  };
  const opened = await tx.apiSessions.open(draft, proof, { envInfo: {}, sdkInfo: {} });
  if (opened === undefined) throw new Error('the login is refused');
}

export const changes: readonly Hot[] = [
  changing('identity-create', (tx) => tx.identities.create(newId('i'), identityDraft, [enrollment])),
  changing('identity-patch-roles', (tx, { identity }) =>
    tx.identities.update(identity.id, { roleAttributes: ['bench-dept-4', 'bench-site-7'] }),
  ),
  changing('identity-delete', (tx, { identity }) => tx.identities.remove(identity.id)),
  changing('identity-disable', (tx, { identity }) => tx.identities.disable(identity.id, 10)),
  changing('service-create', (tx) =>
    tx.services.create(newId('s'), {
      name: 'bench-new',
      encryptionRequired: true,
      terminatorStrategy: 'smartrouting',
      maxIdleTimeMillis: 0,
      roleAttributes: ['bench-app-3'],
      configs: [idOf('config', 3)],
      tags: {},
    }),
  ),
  changing('service-delete', (tx, { service }) => tx.services.remove(service.id)),
  changing('policy-over-all-create', (tx) => tx.servicePolicies.create(newId('p'), wholePolicy)),
  changing('policy-over-all-patch', async (tx) => {
    await tx.servicePolicies.create(newId('p'), wholePolicy);
    await tx.servicePolicies.update(newId('p'), { type: 'Bind' });
  }),
  changing('policy-over-all-delete', async (tx) => {
    await tx.servicePolicies.create(newId('p'), wholePolicy);
    await tx.servicePolicies.remove(newId('p'));
  }),
  changing('policy-delete', (tx) => tx.servicePolicies.remove(idOf('policy', 3))),
  changing('router-delete', (tx) => tx.routers.remove(idOf('router', 3), true)),
  changing('authenticator-create', (tx) =>
    tx.authenticators.createUpdb({
      id: newId('a'),
      identityId: idOf('identity', 1),
      username: 'bench-new',
      passwordHash: 'x'.repeat(97),
      tags: {},
    }),
  ),
  changing('enrollment-find-and-take', async (tx) => {
    const found = await tx.enrollments.get(idOf('enrollment', 3));
    await tx.enrollments.findByToken(found.token);
    await tx.enrollments.take(found.id, found.token);
  }),
  changing('api-session-create', (tx, { identity, identityIndex }) =>
    open(tx, idOf('authenticator', identityIndex / WITH_SESSION), 'password', {
      by: 'password',
      identityId: identity.id,
      passwordHash: 'x'.repeat(97),
    }),
  ),
  changing('api-session-create-by-certificate', (tx, facts) => {
    const index = facts.identityIndex / GROUPS;
    return open(tx, idOf('authenticator', `cert-${index}`), 'cert', {
      by: 'certificate',
      identityId: idOf('identity', facts.identityIndex + HOSTING),
      fingerprint: tokenOf(`print-${index}`).slice(0, 40),
    });
  }),
  changing('api-session-create-by-claim', (tx, facts) =>
    open(tx, 'internal', 'cert', { by: 'claim', caId: null, externalId: externalIdOf(facts), isExpired: false }),
  ),
  changing('api-session-create-by-token', (tx, facts) =>
    open(tx, 'extJwt:bench', 'ext-jwt', {
      by: 'token',
      signerId: idOf('signer', 0),
      claim: externalIdOf(facts),
      useExternalId: true,
      tokenId: newId('j'),
      issuedAt: new Date('2026-01-02'),
    }),
  ),
  changing('api-session-delete', (tx) => tx.apiSessions.remove(idOf('api-session', 3))),
  changing('api-sessions-touch', (tx) => tx.apiSessions.touch(activityOf(500), 0)),
  changing('api-sessions-touch-at-rest', (tx) => tx.apiSessions.touch(activityOf(500), 3600)),
  changing('api-sessions-sweep', (tx) => tx.apiSessions.sweep(590, 100)),
  changing('service-view-note', (tx, { identity, configTypes }) =>
    tx.access.noteView(identity.id, configTypes, { epoch: 1, digest: Buffer.alloc(32, 1), state: null }, END),
  ),
  changing('session-create', async (tx, facts) => {
    const use = useOf(facts);
    const ground = await tx.sessions.findBasis(use);
    if (ground === undefined) throw new Error('there is no ground for a session');
    await tx.sessions.create({ id: newId('n'), ...use, token: 'x'.repeat(500), tags: {} }, ground);
  }),
  changing('session-delete', (tx, { identity, identityIndex }) =>
    tx.sessions.remove(idOf('session', identityIndex), identity.id),
  ),
  changing('sessions-sweep', (tx) => tx.sessions.sweep(SLICE)),
  // A policy that is deleted makes all sessions unchecked.
  changing('sessions-sweep-after-policy-delete', async (tx) => {
    await tx.servicePolicies.remove(idOf('policy', 3));
    await tx.sessions.sweep(SLICE);
  }),
  changing('own-sessions-after-policy-delete', async (tx, { identity }) => {
    await tx.servicePolicies.remove(idOf('policy', 3));
    await tx.sessions.list({}, identity.id);
  }),
];
