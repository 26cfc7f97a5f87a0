/** Each kind of posture report over HTTPS, in every spelling; and reports that are of no use. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { entityOf } from '../support/entities.js';
import { expectFault, expectField } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import {
  isPassing,
  onlyQuery,
  opened,
  openSession,
  queriesOf,
  report,
  reportAll,
  startPostureNetwork,
} from './posture-support.js';
import type { PostureNetwork } from './posture-support.js';

const path = '/usr/bin/scanner';
const hash = 'aa'.repeat(32);
const signer = 'bb'.repeat(20);

interface Kind {
  readonly name: string;
  readonly check: object;
  /** Reports that pass, each for itself; `id` is that of the check. */
  readonly good: readonly ((id: string) => object)[];
  readonly bad: (id: string) => object;
}

const kinds: readonly Kind[] = [
  {
    name: 'OS',
    check: { typeId: 'OS', operatingSystems: [{ type: 'WINDOWS_SERVER', versions: ['>=10.0.17763'] }] },
    good: [
      (id) => ({ typeId: 'OS', id, type: 'WindowsServer', version: '10.0.17763' }),
      (id) => ({ typeId: 'postureResponseOperatingSystemCreate', id, type: 'Windows Server', version: '10.0.20348' }),
      (id) => ({ typeId: 'OS', id, type: 'WINDOWSSERVER', version: '10.0', build: '20348' }),
      (id) => ({ typeid: 'OS', ID: id, Type: 'windowsserver', Version: '11.0.0', build: null }),
    ],
    bad: (id) => ({ typeId: 'OS', id, type: 'WindowsServer', version: '10.0.14393' }),
  },
  {
    name: 'MAC',
    check: { typeId: 'MAC', macAddresses: ['02:FC:00:AA:12:34'] },
    good: [
      (id) => ({ typeId: 'MAC', id, macAddresses: ['02fc00aa1234'] }),
      (id) => ({ typeId: 'postureResponseMacAddressCreate', id, macAddresses: ['ff', '02-FC-00-AA-12-34'] }),
    ],
    bad: (id) => ({ typeId: 'MAC', id, macAddresses: [] }),
  },
  {
    name: 'DOMAIN',
    check: { typeId: 'DOMAIN', domains: ['corp.example'] },
    good: [
      (id) => ({ typeId: 'DOMAIN', id, domain: 'CORP.example' }),
      (id) => ({ typeId: 'postureResponseDomainCreate', id, domain: 'corp.example' }),
    ],
    bad: (id) => ({ typeId: 'DOMAIN', id, domain: '' }),
  },
  {
    name: 'PROCESS',
    check: { typeId: 'PROCESS', process: { os: 'LINUX', path, hashes: [hash], signerFingerprint: signer } },
    good: [
      (id) => ({ typeId: 'PROCESS', id, path, isRunning: true, hash, signerFingerprints: [signer] }),
      (id) => ({
        typeId: 'postureResponseProcessCreate',
        id,
        isRunning: true,
        hash: hash.toUpperCase(),
        signerFingerprints: ['cc', signer.replaceAll(/(..)/g, '$1:')],
      }),
    ],
    bad: (id) => ({ typeId: 'PROCESS', id, path, isRunning: true, hash: 'cc', signerFingerprints: [signer] }),
  },
  {
    name: 'PROCESS_MULTI',
    check: {
      typeId: 'PROCESS_MULTI',
      semantic: 'OneOf',
      processes: [{ osType: 'Linux', path, hashes: [], signerFingerprints: [] }],
    },
    good: [(id) => ({ typeId: 'PROCESS', id, path, isRunning: true })],
    bad: (id) => ({ typeId: 'PROCESS', id, path }),
  },
];

describe('posture reports', function reports() {
  this.timeout(120_000);
  let network: PostureNetwork;
  before(async () => {
    network = await startPostureNetwork();
  });
  after(() => network.stop());

  for (const { name, check, good, bad } of kinds) {
    it(`of ${name} are taken in every spelling, alone and among others`, async () => {
      const id = await network.check(check);
      const { client, service } = await network.guard([id]);
      expect((await onlyQuery(client, service)).isPassing).to.equal(false);
      for (const each of good) {
        await report(client, each(id));
        expect(await isPassing(client, service), JSON.stringify(each(id))).to.equal(true);
        await reportAll(client, [each(id), bad(id)]);
        expect(await isPassing(client, service), JSON.stringify(bad(id))).to.equal(false);
        await reportAll(client, [bad(id), each(id)]);
        expect(await isPassing(client, service), JSON.stringify(each(id))).to.equal(true);
      }
      const session = await opened(client, service);
      await report(client, bad(id));
      expectFault(await client.get(`${C}/sessions/${session}`), 404, 'NOT_FOUND');
      expectFault(await openSession(client, service), 409, 'INVALID_POSTURE');
    });
  }

  it('are asked for by queries that name the processes', async () => {
    const ids = await Promise.all(kinds.slice(3).map(({ check }) => network.check(check)));
    const { client, service } = await network.guard(ids);
    const [policy] = await queriesOf(client, service);
    const shown = new Map(policy?.postureQueries.map((query) => [query.queryType, query]));
    expect(shown.get('PROCESS'))
      .to.deep.include({ process: { osType: 'Linux', path } })
      .and.not.have.key('processes');
    expect(shown.get('PROCESS_MULTI')).to.deep.include({ processes: [{ osType: 'Linux', path }] });
  });

  it('have to be good for each check of a policy, and for one policy of each type', async () => {
    const [mac = '', domain = ''] = await Promise.all(kinds.slice(1, 3).map(({ check }) => network.check(check)));
    const { client, id, service } = await network.guard([mac, domain]);
    await network.make('service-policies', {
      name: `${id}-bind`,
      type: 'Bind',
      semantic: 'AllOf',
      identityRoles: [`@${id}`],
      serviceRoles: [`@${service}`],
      postureCheckRoles: [`@${domain}`],
    });
    await report(client, { typeId: 'DOMAIN', id: domain, domain: 'corp.example' });
    const passing = async () =>
      Object.fromEntries((await queriesOf(client, service)).map((each) => [each.policyType, each.isPassing]));
    expect(await passing()).to.deep.equal({ Dial: false, Bind: true });
    const { cause } = expectFault(await openSession(client, service, 'Dial'), 409, 'INVALID_POSTURE');
    expect(Object.values(cause?.['data'] ?? {}).flat()).to.have.length(1);
    expectStatus(await openSession(client, service, 'Bind'), 201);
    await report(client, { typeId: 'MAC', id: mac, macAddresses: ['02fc00aa1234'] });
    expect(await passing()).to.deep.equal({ Dial: true, Bind: true });
    expectStatus(await openSession(client, service, 'Dial'), 201);
  });

  it('of checks that are not there, and of processes that none asks for, are taken and not kept', async () => {
    const { client, id } = await network.guard([]);
    for (const body of [
      { typeId: 'PROCESS', id: 'no-such-check', path, isRunning: true },
      { typeId: 'PROCESS', id: '', path: 'x'.repeat(4096) },
      { typeId: 'ENDPOINT_STATE', id: '0' },
    ])
      expect((await report(client, body)).data).to.deep.equal({ services: [] });
    expect((await reportAll(client, [])).data).to.deep.equal({ services: [] });
    const { processes } = entityOf(await network.admin.get(`${M}/identities/${id}/posture-data`));
    expect(processes).to.deep.equal([]);
  });

  it('that are odd fail closed, and never fail us', async () => {
    const os = await network.check(kinds[0]?.check ?? {});
    const { client, service } = await network.guard([os]);
    for (const version of ['', ' ', '?', '\u{1f600}', '1'.repeat(256), '-1.0.0', '1e9', 'NaN', '>=0', 'v', '1..1'])
      for (const type of ['WindowsServer', '', '__proto__', '\u{1f600}']) {
        await report(client, { typeId: 'OS', id: os, type, version });
        expect(await isPassing(client, service), `${type} ${version}`).to.equal(false);
        expectFault(await openSession(client, service), 409, 'INVALID_POSTURE');
      }
  });

  it('that are no reports are refused, and nothing of them is taken', async () => {
    const { client, id } = await network.guard([]);
    const good = { typeId: 'DOMAIN', id: '0', domain: 'a' };
    const text = (length: number) => 'a'.repeat(length);
    const refused: readonly [body: unknown, field: string | undefined][] = [
      [{ id: '0' }, 'typeId'],
      [{ typeId: 'MFA', id: '0' }, undefined],
      [{ typeId: 'toString', id: '0' }, undefined],
      [{ typeId: 1, id: '0' }, undefined],
      [{ typeId: 'DOMAIN', domain: 'a' }, 'id'],
      [{ typeId: 'DOMAIN', id: '0' }, 'domain'],
      [{ ...good, domain: null }, 'domain'],
      [{ ...good, domain: 1 }, undefined],
      [{ ...good, domain: text(1025) }, 'domain'],
      [{ ...good, id: text(513) }, 'id'],
      [{ typeId: 'MAC', id: '0' }, 'macAddresses'],
      [{ typeId: 'MAC', id: '0', macAddresses: 'aa' }, undefined],
      [{ typeId: 'MAC', id: '0', macAddresses: Array(257).fill('aa') }, 'macAddresses'],
      [{ typeId: 'MAC', id: '0', macAddresses: [text(65)] }, 'macAddresses.0'],
      [{ typeId: 'OS', id: '0', type: 'Linux' }, 'version'],
      [{ typeId: 'OS', id: '0', type: 'Linux', version: text(257) }, 'version'],
      [{ typeId: 'PROCESS', id: '0', isRunning: 'yes' }, undefined],
      [{ typeId: 'PROCESS', id: '0', path: text(4097) }, 'path'],
      [{ typeId: 'PROCESS', id: '0', signerFingerprints: Array(65).fill('aa') }, 'signerFingerprints'],
      [{ typeId: 'ENDPOINT_STATE', id: '0', woken: 1 }, undefined],
      [[good], undefined],
      ['text', undefined],
    ];
    for (const [body, field] of refused) {
      const answer = await client.post(`${C}/posture-response`, body);
      if (field === undefined) expect(answer.status, JSON.stringify(body)).to.equal(400);
      else expectField(answer, field, /./);
      const inBulk = await client.post(`${C}/posture-response-bulk`, [good, body]);
      expect(inBulk.status, JSON.stringify(body)).to.equal(400);
    }
    expect((await client.post(`${C}/posture-response-bulk`, Array(1001).fill(good))).status).to.equal(400);
    expectFault(await client.post(`${C}/posture-response-bulk`, good), 400, 'COULD_NOT_PARSE_BODY');
    const { domain } = entityOf(await network.admin.get(`${M}/identities/${id}/posture-data`));
    expect(domain).to.deep.equal({ domain: '', lastUpdatedAt: null, postureCheckId: '', timedOut: false });
  });

  it('of texts that PostgreSQL cannot hold are refused or kept, and answered', async () => {
    const { client } = await network.guard([]);
    for (const domain of ['a\u0000b', '\ud800', '\udc00\ud800', '\u{10ffff}', '\u007f'])
      for (const field of ['domain', 'id']) {
        const answer = await client.post(`${C}/posture-response`, {
          typeId: 'DOMAIN',
          id: '0',
          domain: 'a',
          [field]: domain,
        });
        expect(answer.status, JSON.stringify([field, domain])).to.be.oneOf([201, 400]);
      }
  });

  it('need a session that is whole', async () => {
    for (const each of ['posture-response', 'posture-response-bulk'])
      expectFault(await network.one.client().post(`${C}/${each}`, {}), 401, 'UNAUTHORIZED');
  });
});
