/** What administrators read of posture: data of an identity's devices, and requests that failed because of them. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { entityOf } from '../support/entities.js';
import { expectNotFound } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { enrollTotp } from '../support/totp.js';
import { opened, openSession, report, reportAll, startPostureNetwork } from './posture-support.js';
import type { PostureNetwork } from './posture-support.js';

const path = '/usr/bin/scanner';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface PolicyFailure {
  readonly policyId: string;
  readonly policyName: string;
  readonly checks: Record<string, unknown>[];
}
interface FailedRequest {
  readonly apiSessionId: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly sessionType: string;
  readonly when: string;
  readonly policyFailures: PolicyFailure[];
}

describe('records of posture', function records() {
  this.timeout(120_000);
  let network: PostureNetwork;
  before(async () => {
    network = await startPostureNetwork();
  });
  after(() => network.stop());

  const current = async (client: Client) =>
    entityOf(expectStatus(await client.get(`${C}/current-api-session`), 200)).id;
  const dataOf = async (id: string) =>
    entityOf(expectStatus(await network.admin.get(`${M}/identities/${id}/posture-data`), 200));
  const failuresOf = async (id: string) =>
    expectStatus(await network.admin.get(`${M}/identities/${id}/failed-service-requests`), 200).data as FailedRequest[];

  it('are not there for an identity that is not', async () => {
    for (const what of ['posture-data', 'failed-service-requests'])
      expectNotFound(await network.admin.get(`${M}/identities/nobody/${what}`), 'identity with id nobody not found');
  });

  it('say nothing of an identity that reported nothing', async () => {
    const { client, id } = await network.guard([]);
    const apiSessionId = await current(client);
    const nothing = { lastUpdatedAt: null, postureCheckId: '', timedOut: false };
    expect(await dataOf(id)).to.deep.equal({
      apiSessionPostureData: {
        [apiSessionId]: {
          endpointState: { unlockedAt: null, wokenAt: null },
          mfa: { apiSessionId, passedAt: null, passedMfa: false, passedOnUnlock: false, passedOnWake: false },
          sdkInfo: {},
        },
      },
      domain: { domain: '', ...nothing },
      mac: { addresses: [], ...nothing },
      os: { build: null, type: '', version: '', ...nothing },
      processes: [],
    });
    expect(await failuresOf(id)).to.deep.equal([]);
  });

  it('show the latest report of each kind, and each API session until it ends', async () => {
    const check = await network.check({ typeId: 'PROCESS', process: { osType: 'Linux', path, hashes: [] } });
    const { client, id, name } = await network.guard([check]);
    await reportAll(client, [
      { typeId: 'OS', id: 'o', type: 'Linux', version: '5.15.0', build: '91' },
      { typeId: 'MAC', id: 'm', macAddresses: ['02:FC:00:AA:12:34', 'aa'] },
      { typeId: 'DOMAIN', id: 'd', domain: 'corp.example' },
      { typeId: 'PROCESS', id: check, path, isRunning: true, hash: 'AA:BB', signerFingerprints: ['CC:DD'] },
      { typeId: 'ENDPOINT_STATE', id: '0', woken: true },
    ]);
    const credentials = { username: name, password: 'pass word 1' };
    const sdkInfo = { type: 'sdk', version: '1.2.3', odd: 'x' };
    const login = await network.one.client().post(`${C}/authenticate?method=password`, { ...credentials, sdkInfo });
    const second = network.one.client((expectStatus(login, 200).data as { token: string }).token);
    await report(second, { typeId: 'DOMAIN', id: 'e', domain: 'other.example' });
    const [one, two] = [await current(client), await current(second)];
    const data = await dataOf(id);
    const at = (part: unknown) => {
      const { lastUpdatedAt, ...rest } = part as Record<string, unknown>;
      expect(lastUpdatedAt).to.match(TIME);
      return rest;
    };
    const timedOut = false;
    expect(at(data['os'])).to.deep.equal({
      build: '91',
      type: 'Linux',
      version: '5.15.0',
      postureCheckId: 'o',
      timedOut,
    });
    expect(at(data['mac'])).to.deep.equal({ addresses: ['02fc00aa1234', 'aa'], postureCheckId: 'm', timedOut });
    expect(at(data['domain'])).to.deep.equal({ domain: 'other.example', postureCheckId: 'e', timedOut });
    expect((data['processes'] as object[]).map(at)).to.deep.equal([
      { binaryHash: 'aabb', isRunning: true, signerFingerprints: ['ccdd'], postureCheckId: check, timedOut },
    ]);
    const sessions = data['apiSessionPostureData'] as Record<string, Record<string, Record<string, unknown>>>;
    expect(Object.keys(sessions)).to.have.members([one, two]);
    expect(sessions[one]?.['endpointState']?.['wokenAt']).to.match(TIME);
    expect(sessions[two]?.['sdkInfo']).to.deep.equal({ type: 'sdk', version: '1.2.3' });
    expectStatus(await second.delete(`${C}/current-api-session`), 200);
    const left = await dataOf(id);
    expect(at(left['domain'])).to.include({ domain: 'corp.example' });
    expect(Object.keys(left['apiSessionPostureData'] as object)).to.deep.equal([one]);
  });

  it('show when a code was given, and whether an event has asked for another since', async () => {
    const { client, id } = await network.guard([]);
    const mfaOf = async () => {
      const sessions = (await dataOf(id))['apiSessionPostureData'] as Record<string, { mfa: Record<string, unknown> }>;
      return Object.values(sessions)[0]?.mfa ?? {};
    };
    await enrollTotp(client);
    expect(await mfaOf()).to.include({ passedMfa: true, passedOnUnlock: true, passedOnWake: true });
    expect((await mfaOf())['passedAt']).to.match(TIME);
    await report(client, { typeId: 'ENDPOINT_STATE', id: '0', unlocked: true });
    expect(await mfaOf()).to.include({ passedMfa: true, passedOnUnlock: false, passedOnWake: true });
  });

  it('tell of each refused session what was found and what is asked, check by check', async () => {
    const process = { osType: 'Linux', path, hashes: ['aa'] };
    const many = { ...process, signerFingerprints: ['bb'] };
    const [os, mac, domain, one, multi, mfa] = await Promise.all(
      [
        { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=6'] }] },
        { typeId: 'MAC', macAddresses: ['aa'] },
        { typeId: 'DOMAIN', domains: ['corp.example'] },
        { typeId: 'PROCESS', process: { ...process, signerFingerprint: 'bb' } },
        { typeId: 'PROCESS_MULTI', semantic: 'AnyOf', processes: [many] },
        { typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true },
      ].map((body) => network.check(body)),
    );
    const { client, id, service, policy } = await network.guard([os, mac, domain, one, multi, mfa].map(String));
    const other = await network.make('service-policies', {
      name: `${id}-other`,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${id}`],
      serviceRoles: [`@${service}`],
      postureCheckRoles: [`@${mac}`, `@${domain}`],
    });
    await reportAll(client, [
      { typeId: 'OS', id: '0', type: 'Linux', version: '5.15.0' },
      { typeId: 'MAC', id: '0', macAddresses: ['bb'] },
      { typeId: 'DOMAIN', id: '0', domain: 'corp.example' },
      { typeId: 'PROCESS', id: one, path, isRunning: true, hash: 'cc' },
      { typeId: 'PROCESS', id: multi, path, isRunning: false, hash: 'aa', signerFingerprints: ['bb'] },
    ]);
    expectStatus(await openSession(client, service), 409);
    const [failed] = await failuresOf(id);
    const { name } = entityOf(await network.admin.get(`${M}/services/${service}`));
    expect(failed).to.deep.include({
      apiSessionId: await current(client),
      serviceId: service,
      serviceName: name,
      sessionType: 'Dial',
    });
    expect(failed?.when).to.match(TIME);
    const found = new Map(failed?.policyFailures.map((each) => [each.policyId, each]));
    expect(found.get(other)?.policyName).to.equal(`${id}-other`);
    expect(
      found.get(other)?.checks.map((each) => each['postureCheckId']),
      'only what failed',
    ).to.deep.equal([mac]);
    const checks = new Map(found.get(policy)?.checks.map((each) => [each['postureCheckType'], each]));
    expect([...checks.keys()]).to.have.members(['OS', 'MAC', 'PROCESS', 'PROCESS_MULTI', 'MFA']);
    const values = (type: string) => {
      const { postureCheckId, postureCheckName, postureCheckType, ...rest } = checks.get(type) ?? {};
      expect(postureCheckId).to.be.a('string');
      expect(postureCheckName).to.be.a('string');
      expect(postureCheckType).to.equal(type);
      return rest;
    };
    expect(values('OS')).to.deep.equal({
      actualValue: { type: 'Linux', version: '5.15.0' },
      expectedValue: [{ type: 'Linux', versions: ['>=6'] }],
    });
    expect(values('MAC')).to.deep.equal({ actualValue: ['bb'], expectedValue: ['aa'] });
    expect(values('PROCESS')).to.deep.equal({
      actualValue: { osType: 'Linux', path, isRunning: true, hash: 'cc', signerFingerprints: [] },
      expectedValue: { ...process, signerFingerprint: 'bb' },
    });
    expect(values('PROCESS_MULTI')).to.deep.equal({
      actualValue: [{ osType: 'Linux', path, isRunning: false, hash: 'aa', signerFingerprints: ['bb'] }],
      expectedValue: [many],
      semantic: 'AnyOf',
    });
    expect(values('MFA')).to.deep.equal({
      actualValue: { passedMfa: false, passedOnUnlock: false, passedOnWake: false, timedOut: false },
      expectedValue: { passedMfa: true, passedOnUnlock: true, passedOnWake: true, timedOut: false },
      criteria: {
        passedMfaAt: null,
        timeoutRemainingSeconds: 0,
        timeoutSeconds: 60,
        unlockedAt: null,
        wokenAt: null,
      },
    });
  });

  it('keep the latest fifty requests of an identity, the latest first, by whatever controller', async () => {
    const check = await network.check({ typeId: 'MAC', macAddresses: ['aa'] });
    const { client, elsewhere, id, service } = await network.guard([check]);
    const another = await network.guard([check]);
    expectStatus(await openSession(another.client, another.service), 409);
    for (let n = 0; n < 54; n += 1) {
      await report(client, { typeId: 'MAC', id: '0', macAddresses: [`bb${n}`] });
      expectStatus(await openSession(n % 2 === 0 ? client : elsewhere, service), 409);
    }
    const failed = await failuresOf(id);
    const addresses = failed.map(({ policyFailures }) => policyFailures[0]?.checks[0]?.['actualValue']);
    expect(addresses).to.deep.equal(Array.from({ length: 50 }, (_, n) => [`bb${53 - n}`]));
    const { rows } = await network.database.query(
      'SELECT count(*)::int AS n FROM failed_service_requests WHERE identity_id = $1',
      [id],
    );
    expect(rows).to.deep.equal([{ n: 50 }]);
    expect(await failuresOf(another.id)).to.have.length(1);
  });

  it('tell nothing of requests that failed for another reason, or not at all', async () => {
    const check = await network.check({ typeId: 'MAC', macAddresses: ['aa'] });
    const { client, id, service } = await network.guard([check]);
    await report(client, { typeId: 'MAC', id: '0', macAddresses: ['aa'] });
    await opened(client, service);
    expectStatus(await openSession(client, service, 'Bind'), 400);
    expectStatus(await openSession(client, 'nope'), 404);
    expect(await failuresOf(id)).to.deep.equal([]);
  });
});
