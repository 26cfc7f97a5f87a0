/**
 * What a request needs to get the answer that it is meant to get. Most follow from the status alone: an entity made
 * from the spec's example for a success, no session for 401, a caller without the right for 403, an id of nothing for
 * 404, text that is no JSON for 400. The rest is in `own`, by operation and status.
 */
import { MOST_WRONG_CODES } from '../../domain/auth/second-factor.js';
import { makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { bearing, makeSigner, tokenOf } from '../support/tokens.js';
import type { OperationSpec } from '../../generated/operation.js';
import { exampleOf } from './examples.js';
import type { Body } from './examples.js';
import { withNewNames } from './world.js';
import { change, enter, firstOf, giveCode, idOf, toId, toQuery } from './situation.js';
import type { Prepare, Situation } from './situation.js';
import {
  reachable,
  ends,
  authority,
  newIssuer,
  subject,
  withTotp,
  withoutSettings,
  withoutWork,
  codeOf,
  updbToken,
  networkCertificate,
} from './subjects.js';

/** Of an auth policy, without external signers. */
const PRIMARY = exampleOf('management', 'POST', '/auth-policies')?.['primary'] as object;
const MEBIBYTE = 1024 * 1024;

export async function prepareRequest(situation: Situation): Promise<void> {
  const { transaction, operation, status, world } = situation;
  if (operation.permission !== 'public' && status !== 401)
    await enter(situation, status === 403 ? 'ordinary' : operation.path.startsWith('/current-') ? 'new' : 'admin');
  const prepare =
    own[`${operation.api} ${operation.operationId} ${status}`] ?? own[`${operation.operationId} ${status}`];
  if (prepare !== undefined) return prepare(situation);
  if (status < 300) {
    if (operation.path.includes('{id}')) toId(situation, await subject(operation, world));
    change(transaction, (body) => (Array.isArray(body) ? body : withNewNames(body, world.unique)));
  } else if (status === 400) spoil(situation);
  else if (status === 413) transaction.request.body = JSON.stringify({ name: 'x'.repeat(MEBIBYTE) });
  else if (status === 415)
    Object.assign(transaction.request, {
      headers: { ...transaction.request.headers, 'Content-Type': 'application/xml' },
      body: '<no/>',
    });
  else if (status !== 401 && status !== 403 && status !== 404) throw unprepared(operation, status);
}

function unprepared({ operationId }: OperationSpec, status: number): Error {
  return new Error(
    `nothing is prepared for ${operationId} to answer ${status}: add it to preparations.ts, or to skips.ts with the ` +
      'reason',
  );
}

const withNewIssuer: Prepare = ({ transaction, world }) => {
  change(transaction, (body) => ({ ...withNewNames(body, world.unique), ...newIssuer(world) }));
};

const enrolled: Prepare = async (situation) => {
  await withTotp(situation, false);
};

/** Ten wrong codes, by operations of the client API: the next is refused whatever it is. */
const blocked: Prepare = async (situation) => {
  const isVerified = situation.operation.operationId !== 'verifyMfa';
  const secret = await withTotp(situation, isVerified);
  const { transaction, world } = situation;
  const guesser = world.clientOf(transaction.request.headers['zt-session'] ?? '');
  const path = isVerified ? '/authenticate/mfa' : '/current-identity/mfa/verify';
  for (let guess = 0; guess < MOST_WRONG_CODES; guess += 1)
    expectStatus(await guesser.post(`${CLIENT}${path}`, { code: 'wrong!' }), 401);
  giveCode(situation, codeOf(secret, 1));
};

/** The example itself gets the answer: what it names does not exist. */
const asItIs: Prepare = () => undefined;
const loginOf: Prepare = async ({ transaction, world }) => {
  const { username, password } = await world.account();
  change(transaction, (body) => ({ ...body, username, password }));
};
const ownAuthenticator: Prepare = async (situation) => {
  const { transaction, world } = situation;
  const account = await world.account();
  const client = await world.session(account);
  transaction.request.headers['zt-session'] = client.token ?? '';
  toId(situation, firstOf(await client.get(`${MANAGEMENT}/current-identity/authenticators`)));
  change(transaction, (body) => ({ ...withNewNames(body, world.unique), currentPassword: account.password }));
};
const withUpdbToken: Prepare = async (situation) => {
  toQuery(situation, 'token', (await updbToken(situation.world)).token);
};
const isJson = ({ transaction }: Situation): boolean =>
  transaction.request.headers['Content-Type'] === 'application/json';
const withOttToken: Prepare = async (situation) => {
  const { transaction, world } = situation;
  const id = await world.create('/enrollments', {
    identityId: await world.create('/identities', { enrollment: {} }),
    method: 'ott',
  });
  toQuery(
    situation,
    'token',
    (expectStatus(await world.admin.get(`${MANAGEMENT}/enrollments/${id}`), 200).data as { token: string }).token,
  );
  const { pem } = makeRequest();
  transaction.request.body = isJson(situation) ? JSON.stringify({ clientCsr: pem }) : pem;
};
const withRouterToken: Prepare = async (situation) => {
  const id = await situation.world.create('/edge-routers');
  const { enrollmentToken } = expectStatus(await situation.world.admin.get(`${MANAGEMENT}/edge-routers/${id}`), 200)
    .data as { enrollmentToken: string };
  toQuery(situation, 'token', enrollmentToken);
  situation.transaction.request.body = JSON.stringify({
    clientCsr: makeRequest({ commonName: id }).pem,
    serverCsr: makeRequest().pem,
  });
};
/** The identity gets its password another way before the token is used. */
const overtaken: Prepare = async (situation) => {
  const { token, identityId } = await updbToken(situation.world);
  await situation.world.create('/authenticators', { identityId, method: 'updb' });
  toQuery(situation, 'token', token);
};
const forNewIdentity: Prepare = async ({ transaction, world }) => {
  const identityId = await world.create('/identities', { enrollment: {} });
  change(transaction, (body) => ({ ...withNewNames(body, world.unique), identityId }));
};

const withSessionCertificate: Prepare = async (situation) => {
  const client = await situation.world.session(await situation.world.account());
  situation.transaction.request.headers['zt-session'] = client.token ?? '';
  const answer = expectStatus(
    await client.post(`${CLIENT}/current-api-session/certificates`, { csr: makeRequest().pem }),
    201,
  );
  toId(situation, (answer.data as { id: string }).id);
};

const ownCertificate: Prepare = async (situation) => {
  const { transaction, world } = situation;
  const account = await world.account();
  transaction.request.headers['zt-session'] = (await world.session(account)).token ?? '';
  toId(situation, await networkCertificate(world, account.id));
  change(transaction, (body) => ({ ...withNewNames(body, world.unique), currentPassword: account.password }));
};

const withServiceConfig: Prepare = async (situation) => {
  const { transaction, world } = situation;
  toId(situation, await world.create('/identities'));
  transaction.request.body = JSON.stringify([
    { serviceId: await world.create('/services'), configId: await world.create('/configs') },
  ]);
};

/** A token of a signer that enrolls, and a request for a certificate. */
const withSignerToken = async (
  { transaction, world }: Situation,
  isAllowed = true,
): Promise<{ enroll: () => Promise<string> }> => {
  const signer = await makeSigner(world.admin, { enrollToCertEnabled: isAllowed });
  const subject = world.unique('subject');
  const token = await tokenOf(signer, subject);
  transaction.request.headers['Authorization'] = `Bearer ${token}`;
  transaction.request.body = JSON.stringify({ clientCsr: makeRequest().pem });
  return {
    async enroll() {
      const path = `${CLIENT}/enroll/token`;
      expectStatus(await world.admin.post(path, { clientCsr: makeRequest().pem }, bearing(token)), 200);
      const found = await world.admin.get(`${MANAGEMENT}/identities?filter=externalId%3D%22${subject}%22`);
      return firstOf(found);
    },
  };
};

const own: Readonly<Record<string, Prepare>> = {
  'enrollToken 200': async (situation) => {
    await withSignerToken(situation);
  },
  'enrollToken 409': async (situation) => {
    await withSignerToken(situation, false);
  },
  'enrollToken 410': async (situation) => {
    const id = await (await withSignerToken(situation)).enroll();
    expectStatus(await situation.world.admin.delete(`${MANAGEMENT}/identities/${id}`), 200);
  },
  'associateIdentitysServiceConfigs 200': withServiceConfig,
  'disassociateIdentitysServiceConfigs 200': withServiceConfig,
  'getIdentityPolicyAdvice 200': async (situation) => {
    const service = await situation.world.create('/services');
    toId(situation, await situation.world.create('/identities'));
    situation.transaction.fullPath = situation.transaction.fullPath.replace('{serviceId}', service);
  },
  'authenticate 200': loginOf,
  'authenticate 403': asItIs,
  'createAuthenticator 201': forNewIdentity,
  'createAuthenticator 409': async ({ transaction, world }) => {
    const { id: identityId } = await world.account();
    change(transaction, (body) => ({ ...withNewNames(body, world.unique), identityId }));
  },
  'createEnrollment 201': forNewIdentity,
  'createEnrollment 409': async ({ transaction, world }) => {
    const identityId = await world.create('/identities', { enrollment: {} });
    await world.create('/enrollments', { identityId });
    change(transaction, (body) => ({ ...body, identityId }));
  },
  'deleteAuthPolicy 409': async (situation) => {
    const policy = await situation.world.create('/auth-policies');
    await situation.world.create('/identities', { authPolicyId: policy });
    toId(situation, policy);
  },
  'checkDataIntegrity 202': withoutWork,
  'createDatabaseSnapshot 200': withoutWork,
  'fixDataIntegrity 202': withoutWork,
  'createControllerSetting 201': ({ world }) => withoutSettings(world),
  'createAuthPolicy 404': ({ transaction }) => {
    const extJwt = { allowed: true, allowedSigners: ['nothing'] };
    change(transaction, (body) => ({ ...body, primary: { ...(body['primary'] as Body), extJwt } }));
  },
  'createExternalJwtSigner 201': withNewIssuer,
  'createExternalJwtSigner 404': (situation) => {
    change(situation.transaction, (body) => ({ ...body, enrollAuthPolicyId: 'nothing' }));
  },
  'updateExternalJwtSigner 200': async (situation) => {
    toId(situation, await subject(situation.operation, situation.world));
    await withNewIssuer(situation);
  },
  'deleteExternalJwtSigner 409': async (situation) => {
    const signer = await subject(situation.operation, situation.world);
    await situation.world.create('/auth-policies', {
      primary: { ...PRIMARY, extJwt: { allowed: true, allowedSigners: [signer] } },
    });
    toId(situation, signer);
  },
  'authenticateMfa 200': async (situation) => giveCode(situation, codeOf(await withTotp(situation, true), 1)),
  'authenticateMfa 409': (situation) => enter(situation, 'new'),
  'authenticateMfa 429': blocked,
  'verifyMfa 429': blocked,
  'deleteMfa 429': blocked,
  'createMfaRecoveryCodes 429': blocked,
  'detailMfaRecoveryCodes 429': blocked,
  'enrollMfa 409': enrolled,
  'detailMfa 200': enrolled,
  'deleteMfa 200': enrolled,
  'verifyMfa 200': async (situation) => giveCode(situation, codeOf(await withTotp(situation, false), 0)),
  'createMfaRecoveryCodes 200': async (situation) => giveCode(situation, codeOf(await withTotp(situation, true), 1)),
  'detailMfaRecoveryCodes 200': async (situation) => giveCode(situation, codeOf(await withTotp(situation, true), 1)),
  'deleteConfig 409': async (situation) => {
    const config = await situation.world.create('/configs');
    await situation.world.create('/services', { configs: [config] });
    toId(situation, config);
  },
  'deleteConfigType 409': async (situation) => {
    const type = await situation.world.create('/config-types', { schema: {} });
    await situation.world.create('/configs', { configTypeId: type, data: {} });
    toId(situation, type);
  },
  'deleteCurrentApiSessionCertificate 200': withSessionCertificate,
  'detailCurrentApiSessionCertificate 200': withSessionCertificate,
  'detailCurrentIdentityAuthenticator 200': ownAuthenticator,
  'updateCurrentIdentityAuthenticator 200': ownAuthenticator,
  'patchCurrentIdentityAuthenticator 200': ownAuthenticator,
  'updateCurrentIdentityAuthenticator 409': ownCertificate,
  'patchCurrentIdentityAuthenticator 409': ownCertificate,
  'extendCurrentIdentityAuthenticator 409': ownAuthenticator,
  'requestExtendAuthenticator 200': async (situation) => {
    const { world } = situation;
    toId(situation, await networkCertificate(world, await world.create('/identities', { enrollment: {} })));
  },
  'requestExtendAuthenticator 409': async (situation) => {
    toId(situation, await subject(situation.operation, situation.world));
  },
  'reEnrollAuthenticator 409': async (situation) => {
    const { world } = situation;
    const identityId = await world.create('/identities', { enrollment: {} });
    const authenticator = await networkCertificate(world, identityId);
    await world.create('/enrollments', { identityId, method: 'ott' });
    toId(situation, authenticator);
  },
  'client detailService 200': async (situation) => {
    const service = await situation.world.create('/services');
    await situation.world.create('/service-policies', { identityRoles: ['#all'], serviceRoles: [`@${service}`] });
    toId(situation, service);
  },
  'client listServiceTerminators 200': async (situation) => {
    toId(situation, await reachable(situation.world));
  },
  'createSession 201': async ({ transaction, world }) => {
    const serviceId = await reachable(world);
    change(transaction, (body) => ({ ...body, serviceId }));
  },
  'createSession 409': async ({ transaction, world }) => {
    const serviceId = await world.create('/services');
    const check = await world.create('/posture-checks', {
      name: world.unique('check'),
      typeId: 'DOMAIN',
      domains: ['example.com'],
    });
    await world.create('/service-policies', {
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: [`@${serviceId}`],
      postureCheckRoles: [`@${check}`],
    });
    change(transaction, (body) => ({ ...body, serviceId }));
  },
  'createRevocation 404': ({ transaction }) => {
    change(transaction, (body) => ({ ...body, type: 'IDENTITY', id: 'nothing' }));
  },
  'createTerminator 201': async ({ transaction, world }) => {
    const references = await ends(world);
    change(transaction, (body) => ({ ...body, ...references }));
  },
  'updateTerminator 200': async (situation) => {
    const references = await ends(situation.world);
    toId(situation, await situation.world.create('/terminators', references));
    change(situation.transaction, (body) => ({ ...body, ...references }));
  },
  'client listServiceEdgeRouters 200': async (situation) => {
    toId(situation, await reachable(situation.world));
  },
  'deleteEdgeRouterPolicy 400': async (situation) => {
    toId(situation, await situation.world.create('/edge-routers', { isTunnelerEnabled: true }));
  },
  ...Object.fromEntries(
    [
      'updateRouter',
      'patchRouter',
      'deleteRouter',
      'updateTransitRouter',
      'patchTransitRouter',
      'deleteTransitRouter',
    ].map((operationId) => [
      `${operationId} 409`,
      async (situation: Situation) => {
        toId(situation, await situation.world.create('/edge-routers'));
      },
    ]),
  ),
  'createIdentity 404': ({ transaction, world }) => {
    change(transaction, (body) => ({ ...withNewNames(body, world.unique), authPolicyId: 'nothing' }));
  },
  'createService 404': ({ transaction, world }) => {
    change(transaction, (body) => ({ ...withNewNames(body, world.unique), configs: ['nothing'] }));
  },
  'deleteIdentity 400': async (situation) => {
    toId(situation, idOf(await situation.world.admin.get(`${MANAGEMENT}/current-identity`)));
  },
  'enroll 200': async (situation) => {
    if (isJson(situation)) return withUpdbToken(situation);
    toQuery(situation, 'method', 'ott');
    return withOttToken(situation);
  },
  'enrollErOtt 200': withRouterToken,
  'enrollOtt 200': withOttToken,
  'enrollOtt 400': async (situation) => {
    await withOttToken(situation);
    situation.transaction.request.body = '{';
  },
  'enroll 410': async (situation) => {
    const { transaction, world } = situation;
    const id = await (await withSignerToken(situation)).enroll();
    expectStatus(await world.admin.delete(`${MANAGEMENT}/identities/${id}`), 200);
    transaction.fullPath = `${CLIENT}/enroll?method=token`;
    if (!isJson(situation)) transaction.request.body = makeRequest().pem;
  },
  'enroll 400': async (situation) => {
    await withUpdbToken(situation);
    toQuery(situation, 'method', 'ca');
  },
  'enroll 409': overtaken,
  'enrollCa 400': asItIs,
  'enrollUpdb 200': withUpdbToken,
  'enrollUpdb 409': overtaken,
  'verifyCa 200': async (situation) => {
    const { id, proof } = await authority(situation.world);
    toId(situation, id);
    situation.transaction.request.body = proof;
  },
  'verifyCa 400': async (situation) => {
    toId(situation, (await authority(situation.world)).id);
    situation.transaction.request.body = 'no certificate';
  },
  'verifyCa 404': ({ transaction }) => {
    transaction.request.body = 'no certificate';
  },
  'verifyCa 409': async (situation) => {
    const { id, proof } = await authority(situation.world);
    expectStatus(
      await situation.world.admin.send('POST', `${MANAGEMENT}/cas/${id}/verify`, undefined, {
        rawBody: proof,
        headers: { 'content-type': 'text/plain' },
      }),
      200,
    );
    toId(situation, id);
    situation.transaction.request.body = proof;
  },
  'management listServices 404': (situation) => {
    toQuery(situation, 'asIdentity', 'nothing');
  },
};

/** Breaks the body, or the query of an operation without one. */
function spoil(situation: Situation): void {
  const { operation, transaction } = situation;
  if (operation.body !== null) transaction.request.body = '{';
  else if (operation.parameters.some(({ name }) => name === 'limit')) toQuery(situation, 'limit', 'many');
  else throw unprepared(operation, 400);
}
