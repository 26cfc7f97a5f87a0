/** What requests to enroll and about enrollments need, by operation and status. */
import { makeRequest } from '../../support/certificates.js';
import { expectStatus } from '../../support/client.js';
import { CLIENT, MANAGEMENT } from '../../support/paths.js';
import { bearing, makeSigner, tokenOf } from '../../support/tokens.js';
import { change, firstOf, toQuery } from '../situation.js';
import type { Prepare, Situation } from '../situation.js';
import { asItIs, forNewIdentity, updbToken } from '../subjects.js';

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

export const enrollments: Readonly<Record<string, Prepare>> = {
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
  'createEnrollment 201': forNewIdentity,
  'createEnrollment 409': async ({ transaction, world }) => {
    const identityId = await world.create('/identities', { enrollment: {} });
    await world.create('/enrollments', { identityId });
    change(transaction, (body) => ({ ...body, identityId }));
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
};
