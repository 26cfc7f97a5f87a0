/** What requests about all other resources need, by operation and status. */
import { expectStatus } from '../../support/client.js';
import { CLIENT, MANAGEMENT } from '../../support/paths.js';
import { enrollTotp } from '../../support/totp.js';
import { exampleOf } from '../examples.js';
import type { Body } from '../examples.js';
import { change, idOf, toId, toQuery } from '../situation.js';
import type { Prepare, Situation } from '../situation.js';
import { authority, ends, newIssuer, reachable, subject, withoutSettings, withoutWork } from '../subjects.js';
import { withNewNames } from '../world.js';

/** Of an auth policy, without external signers. */
const PRIMARY = exampleOf('management', 'POST', '/auth-policies')?.['primary'] as { readonly updb: object };
const withAttempts = (maxAttempts: number) => ({ ...PRIMARY, updb: { ...PRIMARY.updb, maxAttempts } });

const withNewIssuer: Prepare = ({ transaction, world }) => {
  change(transaction, (body) => ({ ...withNewNames(body, world.unique), ...newIssuer(world) }));
};

const withServiceConfig: Prepare = async (situation) => {
  const { transaction, world } = situation;
  toId(situation, await world.create('/identities'));
  transaction.request.body = JSON.stringify([
    { serviceId: await world.create('/services'), configId: await world.create('/configs') },
  ]);
};

/** A body that names a config which is not there. */
const withUnknownConfig: Prepare = ({ transaction, world }) => {
  change(transaction, (body) => ({ ...withNewNames(body, world.unique), configs: ['nothing'] }));
};

/** Gives the parameters of the query whose names are not in `without` ids of entities that exist. */
const withExistingEnds = (...without: readonly string[]): Prepare => {
  const collections = { identityId: '/identities', serviceId: '/services', policyId: '/service-policies' };
  return async (situation) => {
    const { transaction, operation, world } = situation;
    const [path = '', query] = transaction.fullPath.split('?');
    const parameters = new URLSearchParams(query);
    without.forEach((name) => parameters.delete(name));
    transaction.fullPath = `${path}?${parameters.toString()}`;
    for (const { name } of operation.parameters) {
      const collection = collections[name as keyof typeof collections];
      const roles = collection === '/service-policies' ? { identityRoles: ['#all'], serviceRoles: ['#all'] } : {};
      if (collection !== undefined) toQuery(situation, name, await world.create(collection, roles));
    }
  };
};

export const resources: Readonly<Record<string, Prepare>> = {
  'associateIdentitysServiceConfigs 200': withServiceConfig,
  'disassociateIdentitysServiceConfigs 200': async (situation) => {
    await withServiceConfig(situation);
    const { transaction, world } = situation;
    expectStatus(await world.admin.post(transaction.fullPath, JSON.parse(transaction.request.body)), 200);
  },
  'enableIdentity 200': async (situation) => {
    const id = await situation.world.create('/identities');
    const path = `${MANAGEMENT}/identities/${id}/disable`;
    expectStatus(await situation.world.admin.post(path, { durationMinutes: 0 }), 200);
    toId(situation, id);
  },
  'removeIdentityMfa 200': async (situation) => {
    const account = await situation.world.account();
    await enrollTotp(await situation.world.session(account));
    toId(situation, account.id);
  },
  'patchAuthPolicy 200': async (situation) => {
    toId(situation, await situation.world.create('/auth-policies', { primary: withAttempts(7) }));
  },
  'patchPostureCheck 200': async (situation) => {
    toId(situation, await subject(situation.operation, situation.world));
    change(situation.transaction, (body) => ({ ...body, roleAttributes: ['changed'] }));
  },
  'patchWebhook 200': async (situation) => {
    toId(situation, await situation.world.create('/webhooks', { enabled: true }));
  },
  'updateControllerSetting 200': async (situation) => {
    toId(situation, await subject(situation.operation, situation.world));
    change(situation.transaction, (body) => ({ ...body, tags: { changed: 'yes' } }));
  },
  // Of another identity: one's own sessions are traffic.
  'management deleteSession 200': async (situation) => {
    const { world } = situation;
    const serviceId = await reachable(world);
    const other = await world.session(await world.account());
    const answer = expectStatus(await other.post(`${CLIENT}/sessions`, { serviceId }), 201);
    toId(situation, (answer.data as { id: string }).id);
  },
  'getIdentityPolicyAdvice 200': async (situation) => {
    const service = await situation.world.create('/services');
    toId(situation, await situation.world.create('/identities'));
    situation.transaction.fullPath = situation.transaction.fullPath.replace('{serviceId}', service);
  },
  'explainIdentityAccess 200': async (situation) => {
    const { transaction, world } = situation;
    const [service, router] = [await world.create('/services'), await world.create('/edge-routers')];
    toId(situation, await world.create('/identities'));
    transaction.fullPath = transaction.fullPath
      .replace('{serviceId}', service)
      .replace(/routerId=[^&]*/, `routerId=${router}`);
  },
  // An identity and a role are asked for one at a time.
  'detailNetworkAccess 200': withExistingEnds('role'),
  'detailNetworkAccess 404': ({ transaction }) => {
    transaction.fullPath = transaction.fullPath.replace(/role=[^&]*&/, '');
  },
  'listNetworkAccessIdentities 200': withExistingEnds(),
  'listNetworkAccessServices 200': withExistingEnds(),
  'deleteAuthPolicy 409': async (situation) => {
    const policy = await situation.world.create('/auth-policies');
    await situation.world.create('/identities', { authPolicyId: policy });
    toId(situation, policy);
  },
  'createDatabaseSnapshotWithPath 200': withoutWork,
  'fabric createService 404': ({ transaction, world }) => {
    change(transaction, (body) => ({ ...withNewNames(body, world.unique), terminatorStrategy: 'nothing' }));
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
  'deleteConfigType 409': async (situation) => {
    const type = await situation.world.create('/config-types', { schema: {} });
    await situation.world.create('/configs', { configTypeId: type, data: {} });
    toId(situation, type);
  },
  'client detailService 200': async (situation) => {
    const service = await situation.world.create('/services');
    await situation.world.create('/service-policies', { identityRoles: ['#all'], serviceRoles: [`@${service}`] });
    toId(situation, service);
  },
  'client explainService 200': async (situation) => {
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
    toId(situation, await situation.world.create('/terminators', { ...references, cost: 77 }));
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
  'createService 404': withUnknownConfig,
  'createEdgeRouter 404': withUnknownConfig,
  'createRouter 404': withUnknownConfig,
  'createTransitRouter 404': withUnknownConfig,
  'deleteIdentity 400': async (situation) => {
    toId(situation, idOf(await situation.world.admin.get(`${MANAGEMENT}/current-identity`)));
  },
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
