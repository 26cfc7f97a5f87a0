/** What requests about logins need, with second factors and authenticators, by operation and status. */
import { MOST_WRONG_CODES } from '../../../domain/auth/second-factor.js';
import { makeRequest } from '../../support/certificates.js';
import { expectStatus } from '../../support/client.js';
import { CLIENT, MANAGEMENT } from '../../support/paths.js';
import { change, enter, firstOf, giveCode, toId } from '../situation.js';
import type { Prepare } from '../situation.js';
import { codeAt, enrollTotp } from '../../support/totp.js';
import { asItIs, forNewIdentity, networkCertificate, subject, withTotp } from '../subjects.js';
import { withNewNames } from '../world.js';

const loginOf: Prepare = async ({ transaction, world }) => {
  const { username, password } = await world.account();
  change(transaction, (body) => ({ ...body, username, password }));
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
  giveCode(situation, codeAt(secret, 1));
};

/** The same for the removal, by a session that came after the enrollment and gave a code: one of before needs none. */
const removalBlocked: Prepare = async (situation) => {
  const { transaction, world } = situation;
  const account = await world.account();
  const { secret } = await enrollTotp(await world.session(account));
  const guesser = await world.session(account);
  expectStatus(await guesser.post(`${CLIENT}/authenticate/mfa`, { code: codeAt(secret, 1) }), 200);
  for (let guess = 0; guess < MOST_WRONG_CODES; guess += 1)
    expectStatus(await guesser.post(`${CLIENT}/authenticate/mfa`, { code: 'wrong!' }), 401);
  transaction.request.headers['zt-session'] = guesser.token ?? '';
  giveCode(situation, codeAt(secret, 1));
};

const ownAuthenticator: Prepare = async (situation) => {
  const { transaction, world } = situation;
  const account = await world.account();
  const client = await world.session(account);
  transaction.request.headers['zt-session'] = client.token ?? '';
  toId(situation, firstOf(await client.get(`${MANAGEMENT}/current-identity/authenticators`)));
  change(transaction, (body) => ({ ...withNewNames(body, world.unique), currentPassword: account.password }));
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

export const logins: Readonly<Record<string, Prepare>> = {
  'authenticate 200': loginOf,
  'authenticate 403': asItIs,
  'createAuthenticator 201': forNewIdentity,
  'createAuthenticator 409': async ({ transaction, world }) => {
    const { id: identityId } = await world.account();
    change(transaction, (body) => ({ ...withNewNames(body, world.unique), identityId }));
  },
  'authenticateMfa 200': async (situation) => giveCode(situation, codeAt(await withTotp(situation, true), 1)),
  'authenticateMfa 409': (situation) => enter(situation, 'new'),
  'authenticateMfa 429': blocked,
  'verifyMfa 429': blocked,
  'deleteMfa 429': removalBlocked,
  'createMfaRecoveryCodes 429': blocked,
  'detailMfaRecoveryCodes 429': blocked,
  'enrollMfa 409': enrolled,
  'detailMfa 200': enrolled,
  'deleteMfa 200': enrolled,
  'verifyMfa 200': async (situation) => giveCode(situation, codeAt(await withTotp(situation, false))),
  'createMfaRecoveryCodes 200': async (situation) => giveCode(situation, codeAt(await withTotp(situation, true), 1)),
  'detailMfaRecoveryCodes 200': async (situation) => giveCode(situation, codeAt(await withTotp(situation, true), 1)),
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
};
