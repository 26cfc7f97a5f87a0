/** Posture checks of every type, in their normal form. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { entityOf, idsOf, itemsOf, make, read, totalOf } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/posture-checks`;

describe('posture checks', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const domain = (name: string) => ({ name, typeId: 'DOMAIN', domains: ['corp.example.org'] });
  const create = async (body: object) => make(controller, 'posture-checks', { name: unique('check'), ...body });
  const detail = async (id: string) => read(controller, `posture-checks/${id}`);
  const post = async (body: object) => controller.admin.post(PATH, { name: unique('check'), ...body });
  const patch = async (id: string, body: object) =>
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, body), 200);

  behavesLikeAnyResource({
    collection: 'posture-checks',
    singular: 'postureCheck',
    controller: () => controller,
    body: domain,
    patchNeeds: { typeId: 'DOMAIN' },
    deleteWithoutRight: 403,
  });

  const types: readonly (readonly [typeId: string, model: string, given: object, read: object])[] = [
    [
      'OS',
      'OperatingSystem',
      {
        operatingSystems: [
          { type: 'WINDOWS_SERVER', versions: [] },
          { type: 'linux', versions: ['>=5.10.0', '^4.19 || ~3.2.1'] },
        ],
      },
      {
        operatingSystems: [
          { type: 'Linux', versions: ['>=5.10.0', '^4.19 || ~3.2.1'] },
          { type: 'WindowsServer', versions: [] },
        ],
      },
    ],
    [
      'MAC',
      'MacAddress',
      { macAddresses: ['02:FC:00:AA:12:34', '02fc00aa1234', '00-11-22-33-44-55'] },
      { macAddresses: ['001122334455', '02fc00aa1234'] },
    ],
    [
      'DOMAIN',
      'Domain',
      { domains: ['b.example.org', 'A.example.org', 'b.example.org'] },
      { domains: ['A.example.org', 'b.example.org'] },
    ],
    [
      'MFA',
      'Mfa',
      { timeoutSeconds: 60, promptOnWake: true, promptOnUnlock: false, ignoreLegacyEndpoints: true },
      { timeoutSeconds: 60, promptOnWake: true, ignoreLegacyEndpoints: true },
    ],
    [
      'PROCESS',
      'Process',
      { process: { os: 'MacOS', path: '/Usr/bin/Agent', hashes: ['AB:cd'], signerFingerprint: 'FF00' } },
      { process: { osType: 'macOS', path: '/Usr/bin/Agent', hashes: ['ab:cd'], signerFingerprint: 'ff00' } },
    ],
    [
      'PROCESS_MULTI',
      'ProcessMulti',
      {
        semantic: 'OneOf',
        processes: [
          { osType: 'Windows Server', path: 'C:\\a.exe' },
          { os: 'IOS', path: 'b', hashes: ['A'], signerFingerprints: ['B'] },
        ],
      },
      {
        semantic: 'OneOf',
        processes: [
          { osType: 'WindowsServer', path: 'C:\\a.exe', hashes: [], signerFingerprints: [] },
          { osType: 'iOS', path: 'b', hashes: ['A'], signerFingerprints: ['B'] },
        ],
      },
    ],
  ];
  for (const [typeId, model, given, shown] of types) {
    it(`${typeId}: keeps its fields in their normal form, and answers the short name of the type`, async () => {
      for (const name of [typeId, `postureCheck${model}Create`]) {
        const id = await create({ typeId: name, ...given, roleAttributes: ['b', 'a', 'b'] });
        const { _links, createdAt, updatedAt, id: readId, name: readName, ...rest } = await detail(id);
        expect([_links, createdAt, updatedAt, readId, readName]).to.not.include(undefined);
        expect(rest).to.deep.equal({ typeId, version: 1, roleAttributes: ['a', 'b'], tags: {}, ...shown });
      }
    });

    it(`${typeId}: is replaced by PUT and kept by a PATCH that gives none of its fields`, async () => {
      const id = await create({ typeId, ...given, roleAttributes: ['a'] });
      await patch(id, {
        typeId: `postureCheck${model}Patch`,
        roleAttributes: [],
        ...Object.fromEntries(Object.keys(given).map((key) => [key, null])),
      });
      expect(await detail(id)).to.deep.include({ roleAttributes: [], ...shown });
      expectStatus(
        await controller.admin.put(`${PATH}/${id}`, {
          name: unique('check'),
          typeId: `postureCheck${model}Update`,
          ...given,
        }),
        200,
      );
      expect(await detail(id)).to.deep.include({ version: 1, ...shown });
    });
  }

  it('read back -1 for an MFA timeout that is absent, 0 or less, and leave out flags that are off', async () => {
    for (const given of [
      {},
      { timeoutSeconds: 0 },
      { timeoutSeconds: -7 },
      { timeoutSeconds: null, promptOnWake: false },
    ]) {
      const check = await detail(await create({ typeId: 'MFA', ...given }));
      expect(check)
        .to.include({ timeoutSeconds: -1 })
        .and.not.have.any.keys('promptOnWake', 'promptOnUnlock', 'ignoreLegacyEndpoints');
    }
  });

  it('change with PATCH only the fields that are given', async () => {
    const mfa = await create({ typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true });
    await patch(mfa, { typeId: 'MFA', promptOnUnlock: true });
    expect(await detail(mfa)).to.include({ timeoutSeconds: 60, promptOnWake: true, promptOnUnlock: true });
    await patch(mfa, { typeId: 'MFA', promptOnWake: false, timeoutSeconds: 0 });
    expect(await detail(mfa))
      .to.include({ timeoutSeconds: -1, promptOnUnlock: true })
      .and.not.have.property('promptOnWake');
    const multi = await create({
      typeId: 'PROCESS_MULTI',
      semantic: 'AllOf',
      processes: [{ osType: 'Linux', path: 'a' }],
    });
    await patch(multi, { typeId: 'PROCESS_MULTI', semantic: 'AnyOf' });
    expect(await detail(multi)).to.deep.include({
      semantic: 'AnyOf',
      processes: [{ osType: 'Linux', path: 'a', hashes: [], signerFingerprints: [] }],
    });
  });

  it('show hashes and signers of many processes as they were written', async () => {
    const written = { osType: 'Windows', path: 'C:/A.exe', hashes: ['AB:12', 'cd34'], signerFingerprints: ['FF00'] };
    const multi = await create({ typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [written] });
    expect(await detail(multi)).to.deep.include({ processes: [written] });
    const other = { ...written, hashes: ['EF'], signerFingerprints: [] };
    await patch(multi, { typeId: 'PROCESS_MULTI', processes: [other] });
    expect(await detail(multi)).to.deep.include({ processes: [other] });
  });

  it('lose no field when several PATCHes give one each at the same time', async () => {
    const id = await create({ typeId: 'MFA', timeoutSeconds: 60 });
    for (let round = 1; round <= 10; round += 1) {
      const fields = { timeoutSeconds: 60 + round, promptOnUnlock: round % 2 === 0, promptOnWake: round % 3 === 0 };
      await Promise.all(Object.entries(fields).map(([field, value]) => patch(id, { typeId: 'MFA', [field]: value })));
      const { timeoutSeconds, promptOnUnlock = false, promptOnWake = false } = await detail(id);
      expect({ timeoutSeconds, promptOnUnlock, promptOnWake }).to.deep.equal(fields);
    }
  });

  it('keep with PATCH what is not given of the process: no hash and no signer is lost on the way', async () => {
    const process = { osType: 'Windows', path: 'a.exe', hashes: ['ab'], signerFingerprint: 'cd' };
    const id = await create({ typeId: 'PROCESS', process });
    const steps: readonly (readonly [given: object, left: object])[] = [
      [{ path: 'b.exe' }, { ...process, path: 'b.exe' }],
      [{ os: 'WINDOWS_SERVER' }, { ...process, path: 'b.exe', osType: 'WindowsServer' }],
      [
        { osType: 'Linux', path: '/c' },
        { ...process, path: '/c', osType: 'Linux' },
      ],
      [{ hashes: null }, { ...process, path: '/c', osType: 'Linux' }],
      [{ hashes: ['EF'] }, { ...process, path: '/c', osType: 'Linux', hashes: ['ef'] }],
      [{}, { ...process, path: '/c', osType: 'Linux', hashes: ['ef'] }],
      [{ signerFingerprint: '' }, { osType: 'Linux', path: '/c', hashes: ['ef'] }],
      [
        { hashes: [], signerFingerprint: 'AA' },
        { osType: 'Linux', path: '/c', hashes: [], signerFingerprint: 'aa' },
      ],
    ];
    for (const [given, left] of steps) {
      await patch(id, { typeId: 'PROCESS', process: given });
      expect(await detail(id)).to.have.deep.property('process', left);
    }
    expectField(
      await controller.admin.patch(`${PATH}/${id}`, { typeId: 'PROCESS', process: { osType: 'Plan 9' } }),
      'process.osType',
      /one of/,
    );
  });

  it('want the type in a PATCH; with another one only what all types share changes', async () => {
    const id = await create({ typeId: 'DOMAIN', domains: ['a'] });
    expectField(
      await controller.admin.patch(`${PATH}/${id}`, { tags: { a: 1 } }),
      'typeId',
      'typeId in body is required',
      '<nil>',
    );
    await patch(id, { typeId: 'MAC', macAddresses: ['00'], tags: { a: 1 } });
    const after = await detail(id);
    expect(after)
      .to.deep.include({ typeId: 'DOMAIN', domains: ['a'], tags: { a: 1 } })
      .and.not.have.property('macAddresses');
  });

  it('never change their type', async () => {
    const id = await create({ typeId: 'DOMAIN', domains: ['a'] });
    const before = await detail(id);
    expectField(
      await controller.admin.put(`${PATH}/${id}`, { name: unique('check'), typeId: 'MAC', macAddresses: ['00'] }),
      'typeId',
      /.+/,
      'MAC',
    );
    expect(await detail(id)).to.deep.equal(before);
  });

  it('refuse a type that there is not, and one that is missing', async () => {
    for (const typeId of ['BOGUS', 'postureCheckDomainPatch', 'domain', '']) {
      expectField(await post({ typeId, domains: ['a'] }), 'typeId', /.+/, typeId);
    }
    expectField(await post({ domains: ['a'] }), 'typeId', 'typeId in body is required', '<nil>');
  });

  const refused: readonly (readonly [
    what: string,
    body: object,
    field: string,
    reason: string | RegExp,
    value?: string,
  ])[] = [
    ['no domains', { typeId: 'DOMAIN' }, 'domains', 'domains in body is required', '<nil>'],
    ['an empty list of domains', { typeId: 'DOMAIN', domains: [] }, 'domains', /at least 1 item/],
    ['an empty list of addresses', { typeId: 'MAC', macAddresses: [] }, 'macAddresses', /at least 1 item/],
    ['an empty list of systems', { typeId: 'OS', operatingSystems: [] }, 'operatingSystems', /at least 1 item/],
    [
      'an empty list of processes',
      { typeId: 'PROCESS_MULTI', semantic: 'AnyOf', processes: [] },
      'processes',
      /at least 1 item/,
    ],
    [
      'a system that there is not',
      {
        typeId: 'OS',
        operatingSystems: [
          { type: 'Linux', versions: [] },
          { type: 'BeOS', versions: [] },
        ],
      },
      'operatingSystems.1.type',
      'operatingSystems.1.type in body should be one of [Windows WindowsServer Android iOS Linux macOS]',
      'BeOS',
    ],
    [
      'a system without versions',
      { typeId: 'OS', operatingSystems: [{ type: 'Linux' }] },
      'operatingSystems.0.versions',
      /required/,
    ],
    [
      'a range of versions that is none',
      { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=1', 'latest'] }] },
      'operatingSystems.0.versions.1',
      'operatingSystems.0.versions.1 in body should be a range of semantic versions',
      'latest',
    ],
    [
      'a process without a system',
      { typeId: 'PROCESS', process: { path: 'a' } },
      'process.osType',
      'process.osType in body is required',
      '<nil>',
    ],
    ['a process without a path', { typeId: 'PROCESS', process: { osType: 'Linux' } }, 'process.path', /required/],
    [
      'a process of a system that there is not',
      { typeId: 'PROCESS_MULTI', semantic: 'AnyOf', processes: [{ os: 'Plan9', path: 'a' }] },
      'processes.0.osType',
      /one of/,
      'Plan9',
    ],
    [
      'another semantic',
      { typeId: 'PROCESS_MULTI', semantic: 'NoneOf', processes: [{ os: 'Linux', path: 'a' }] },
      'semantic',
      'semantic in body should be one of [AllOf AnyOf OneOf]',
      'NoneOf',
    ],
    [
      'a role attribute that looks like a selector',
      { typeId: 'DOMAIN', domains: ['a'], roleAttributes: ['#a'] },
      'roleAttributes',
      'role attributes may not be prefixed with #',
      '#a',
    ],
    ['a timeout that cannot be counted', { typeId: 'MFA', timeoutSeconds: 1e17 }, 'timeoutSeconds', /.+/],
  ];
  for (const [what, body, field, reason, value] of refused) {
    it(`refuse ${what}`, async () => {
      expectField(await post(body), field, reason, value);
    });
  }

  it('are found by filter, and by role attribute', async () => {
    const attribute = unique('attribute');
    const mac = await create({ typeId: 'MAC', macAddresses: ['00'], roleAttributes: [attribute] });
    const mfa = await create({ typeId: 'MFA', promptOnWake: true, roleAttributes: [attribute, 'other'] });
    const find = async (query: string) => idsOf(expectStatus(await controller.admin.get(`${PATH}?${query}`), 200));
    expect(await find(`roleFilter=${encodeURIComponent(`#${attribute}`)}`)).to.deep.equal([mac, mfa].sort());
    expect(
      await find(`roleFilter=${encodeURIComponent(`#${attribute}`)}&filter=${encodeURIComponent('typeId = "MAC"')}`),
    ).to.deep.equal([mac]);
    expect(
      await find(`filter=${encodeURIComponent(`promptOnWake = true and anyOf(roleAttributes) = "${attribute}"`)}`),
    ).to.deep.equal([mfa]);
    expect(await find(`roleFilter=${encodeURIComponent(`@${mac}`)}`)).to.deep.equal([mac]);
    expectStatus(await controller.admin.get(`${PATH}?filter=${encodeURIComponent('criteria = "a"')}`), 400);
  });

  it('come in six types, with the systems that can meet them', async () => {
    const answer = expectStatus(await controller.admin.get(`${MANAGEMENT}/posture-check-types`), 200);
    expect([idsOf(answer), totalOf(answer)]).to.deep.equal([
      ['DOMAIN', 'MAC', 'MFA', 'OS', 'PROCESS', 'PROCESS_MULTI'],
      6,
    ]);
    for (const item of itemsOf(answer)) {
      expect(item).to.include({ name: item.id, version: '1' });
      expect(item['operatingSystems']).to.be.an('array').and.deep.include({ type: 'Windows', versions: [] });
      expect(entityOf(await controller.admin.get(`${MANAGEMENT}/posture-check-types/${item.id}`))).to.deep.equal(item);
    }
    expect(
      idsOf(
        await controller.admin.get(`${MANAGEMENT}/posture-check-types?filter=${encodeURIComponent('name = "MFA"')}`),
      ),
    ).to.deep.equal(['MFA']);
    expectNotFound(
      await controller.admin.get(`${MANAGEMENT}/posture-check-types/nope`),
      'postureCheckType with id nope not found',
    );
    expectStatus(await (await controller.newCaller()).client.get(`${MANAGEMENT}/posture-check-types`), 200);
  });
});
