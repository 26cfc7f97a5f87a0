/** Posture checks by the field's own command line. Needs the `ziti` binary: see test/support/stock-binary.ts. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { CommandLine } from '../support/command-line.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { makeService } from '../support/make.js';
import { CLIENT } from '../support/paths.js';
import { describeStock } from '../support/unless.js';
import { ZitiShop } from '../support/ziti.js';

/** It takes hashes of 128 digits alone, and signers of 40. */
const HASH = 'ab'.repeat(64);
const HASH_WITH_COLONS = Array.from({ length: 64 }, () => 'CD').join(':');
const SIGNER = '12'.repeat(20);
const OTHER_SIGNER = '34'.repeat(20);

interface Shown {
  readonly hashes: readonly string[];
  readonly signerFingerprints?: readonly string[];
}
/** It sends sets in any order. */
const inOrder = <T extends Shown>(process: T) => ({
  ...process,
  hashes: [...process.hashes].sort(),
  ...(process.signerFingerprints === undefined ? {} : { signerFingerprints: [...process.signerFingerprints].sort() }),
});

describeStock('posture checks by the command line', (binary) => {
  let controller: TestController;
  let ziti: ZitiShop;
  let cli: CommandLine;

  before(async () => {
    controller = await startReachable();
    ziti = new ZitiShop(binary, controller);
    cli = await CommandLine.login(ziti, controller);
  });
  after(async () => {
    await ziti.close();
    await controller.stop();
  });

  const create = async (type: string, ...args: string[]) => {
    const name = unique('check');
    return { name, id: await cli.create('posture-check', type, name, ...args) };
  };
  const shown = async (id: string) => read(controller, `posture-checks/${id}`);
  const update = async (type: string, idOrName: string, ...args: string[]) =>
    cli.edge('update', 'posture-check', type, idOrName, ...args);

  const process = (more: object) => ({ osType: 'Linux', path: '/usr/bin/agent', hashes: [], ...more });
  const processOf = async (id: string) =>
    inOrder((await read<{ process: Shown }>(controller, `posture-checks/${id}`)).process);
  interface Round {
    readonly type: string;
    readonly made: readonly string[];
    readonly shown: object;
    readonly changes: readonly (readonly [args: readonly string[], shown: object])[];
  }
  const rounds: readonly Round[] = [
    {
      type: 'mac',
      made: ['-m', '02:FC:00:AA:12:34,02-fc-00-aa-12-35', '-a', 'b,a', '-t', 'place=office'],
      shown: {
        typeId: 'MAC',
        macAddresses: ['02fc00aa1234', '02fc00aa1235'],
        roleAttributes: ['a', 'b'],
        tags: { place: 'office' },
      },
      changes: [
        [['-m', '02:FC:00:AA:12:36'], { macAddresses: ['02fc00aa1236'], roleAttributes: ['a', 'b'] }],
        [['-a', 'c'], { macAddresses: ['02fc00aa1236'], roleAttributes: ['c'] }],
        [['-a', ''], { roleAttributes: [] }],
        [['-t', 'place=home'], { tags: { place: 'home' } }],
      ],
    },
    {
      type: 'os',
      made: ['-o', 'Windows:>=10.0.19045 <11:>=11.0.22631', '-o', 'Linux,macOS:~14.1', '--tags-json', '{"a":true}'],
      shown: {
        typeId: 'OS',
        operatingSystems: [
          { type: 'Linux', versions: [] },
          { type: 'Windows', versions: ['>=10.0.19045 <11', '>=11.0.22631'] },
          { type: 'macOS', versions: ['~14.1'] },
        ],
        tags: { a: true },
      },
      changes: [[['-o', 'Android:13.x'], { operatingSystems: [{ type: 'Android', versions: ['13.x'] }] }]],
    },
    {
      type: 'domain',
      made: ['-d', 'corp.example.org,lab.example.org'],
      shown: { typeId: 'DOMAIN', domains: ['corp.example.org', 'lab.example.org'], roleAttributes: [] },
      changes: [[['-d', 'other.example.org'], { domains: ['other.example.org'] }]],
    },
    {
      type: 'mfa',
      made: ['-s', '60', '-u', '-w', '--ignore-legacy'],
      shown: {
        typeId: 'MFA',
        timeoutSeconds: 60,
        promptOnWake: true,
        promptOnUnlock: true,
        ignoreLegacyEndpoints: true,
      },
      changes: [
        [['-s', '90'], { timeoutSeconds: 90, promptOnWake: true }],
        [['-s', '-1', '-t', 'a=b'], { timeoutSeconds: -1, tags: { a: 'b' } }],
      ],
    },
  ];
  for (const { type, made, shown: expected, changes } of rounds) {
    it(`${type}: is made, changed by name, renamed and deleted`, async () => {
      const { id, name } = await create(type, ...made);
      expect(await shown(id)).to.deep.include({ name, ...expected });
      for (const [args, after] of changes) {
        await update(type, name, ...args);
        expect(await shown(id)).to.deep.include({ name, ...after });
      }
      await update(type, id, '-n', `${name}-new`);
      expect(await shown(id)).to.deep.include({ name: `${name}-new`, ...changes.at(-1)?.[1] });
      expect(await cli.edge('delete', 'posture-check', `${name}-new`)).to.equal(
        `delete of posture-check with id ${id}: OK\n`,
      );
      expect(await cli.list('posture-checks', `id = "${id}"`)).to.deep.equal([]);
    });
  }

  it('mfa: without flags is a code for the whole session', async () => {
    const { id } = await create('mfa');
    expect(await shown(id))
      .to.deep.include({ timeoutSeconds: -1 })
      .and.not.have.property('promptOnWake');
  });

  it('process: keeps with an update what is not named, the hashes above all', async () => {
    const hashes = [HASH, HASH_WITH_COLONS.toLowerCase().replaceAll(':', '')];
    const name = unique('check');
    const given = ['-s', `${HASH},${HASH_WITH_COLONS}`, '-f', SIGNER];
    await cli.edge('create', 'posture-check', 'process', name, 'Linux', '/usr/bin/agent', ...given);
    const [{ id } = { id: '' }] = await cli.list('posture-checks', `name = "${name}"`);
    const full = { hashes, signerFingerprint: SIGNER };
    expect(await processOf(id)).to.deep.equal(process(full));
    const steps: readonly (readonly [args: readonly string[], left: object])[] = [
      [['-p', 'C:\\agent.exe'], { ...full, path: 'C:\\agent.exe' }],
      [['-o', 'Windows'], { ...full, path: 'C:\\agent.exe', osType: 'Windows' }],
      [['-f', OTHER_SIGNER], { hashes, signerFingerprint: OTHER_SIGNER, path: 'C:\\agent.exe', osType: 'Windows' }],
      [['-o', 'Linux', '-p', '/usr/bin/agent', '-s', HASH], { hashes: [HASH], signerFingerprint: OTHER_SIGNER }],
    ];
    for (const [args, left] of steps) {
      await update('process', name, ...args);
      expect(await processOf(id)).to.deep.equal(process(left));
    }
  });

  it('process-multi: takes systems, paths, hashes and signers, several of each', async () => {
    const { id } = await create(
      'process-multi',
      'AllOf',
      'Linux,Windows',
      '/usr/bin/agent,C:\\agent.exe',
      ...[...['-s', `${HASH}|${HASH_WITH_COLONS},${HASH}`, '-f', `${SIGNER}|${OTHER_SIGNER},${SIGNER}`]],
    );
    const shownMulti = await read<{ processes: readonly Shown[] }>(controller, `posture-checks/${id}`);
    expect(shownMulti).to.include({ typeId: 'PROCESS_MULTI', semantic: 'AllOf' });
    expect(shownMulti.processes.map(inOrder)).to.deep.equal([
      {
        osType: 'Linux',
        path: '/usr/bin/agent',
        hashes: [HASH, 'cd'.repeat(64)],
        signerFingerprints: [SIGNER, OTHER_SIGNER],
      },
      { osType: 'Windows', path: 'C:\\agent.exe', hashes: [HASH], signerFingerprints: [SIGNER] },
    ]);
    const { id: plain } = await create('process-multi', 'AnyOf', 'Linux,macOS', '/a,/b');
    expect(await shown(plain)).to.deep.include({
      semantic: 'AnyOf',
      processes: [
        { osType: 'Linux', path: '/a', hashes: [], signerFingerprints: [] },
        { osType: 'macOS', path: '/b', hashes: [], signerFingerprints: [] },
      ],
    });
  });

  it('are listed with filters, as tables and as CSV, with their types and role attributes', async () => {
    const attribute = unique('attribute');
    const { id: mac } = await create('mac', '-m', '02fc00aa1234', '-a', attribute);
    const { id: mfa } = await create('mfa', '-w', '-a', attribute);
    const has = `anyOf(roleAttributes) = "${attribute}"`;
    expect((await cli.list('posture-checks', `${has} sort by typeId`)).map(({ id }) => id)).to.deep.equal([mac, mfa]);
    expect((await cli.list('posture-checks', `${has} and promptOnWake = true`)).map(({ id }) => id)).to.deep.equal([
      mfa,
    ]);
    expect(await cli.list('posture-checks', `${has} skip 1 limit 1`)).to.have.length(1);
    expect(await cli.edge('list', 'posture-checks', `${has} and typeId = "MAC"`)).to.contain('02f...234');
    expect((await cli.rows('posture-checks', `${has} and typeId = "MFA"`)).join()).to.contain('Prompt On Wake,true');
    expect(await cli.rows('posture-check-role-attributes', `id = "${attribute}"`)).to.deep.equal([attribute]);
    expect((await cli.list('posture-check-types')).map(({ id }) => id)).to.deep.equal([
      ...['DOMAIN', 'MAC', 'MFA', 'OS', 'PROCESS', 'PROCESS_MULTI'],
    ]);
  });

  it('are deleted several at a time, and by a filter', async () => {
    const attribute = unique('attribute');
    const made = [];
    for (const address of ['02fc00aa1234', '02fc00aa1235', '02fc00aa1236'])
      made.push(await create('mac', '-m', address, '-a', attribute));
    await cli.edge('delete', 'posture-check', made[0]?.name ?? '', made[1]?.id ?? '');
    const has = `anyOf(roleAttributes) = "${attribute}"`;
    expect(await cli.list('posture-checks', has)).to.have.length(1);
    await cli.edge('delete', 'posture-check', 'where', has);
    expect(await cli.list('posture-checks', has)).to.deep.equal([]);
  });

  it('are refused with the field and what is wrong with it', async () => {
    const { name } = await create('mfa');
    const twice = await cli.refusalOf('create', 'posture-check', 'mfa', name);
    expect(twice).to.contain('INVALID_FIELD - name').and.to.contain('name must be unique');
    const range = await cli.refusalOf('create', 'posture-check', 'os', unique('check'), '-o', 'Linux:newest');
    expect(range).to.contain('operatingSystems.0.versions.0').and.to.contain('range of semantic versions');
    const none = await cli.refusalOf('create', 'posture-check', 'os', unique('check'));
    expect(none).to.contain('operatingSystems in body is required');
  });

  it('decide once a service policy of the command line names them', async () => {
    const { id: check } = await create('domain', '-d', 'corp.example.org');
    const caller = await controller.newCaller();
    const service = await makeService(controller, { encryptionRequired: true });
    const policy = unique('policy');
    const roles = ['--identity-roles', `@${caller.id}`, '--service-roles', `@${service}`];
    await cli.create('service-policy', policy, 'Dial', ...roles, '--posture-check-roles', `@${check}`);
    expect((await cli.list('service-policy', 'posture-checks', policy)).map(({ id }) => id)).to.deep.equal([check]);
    const isPassing = async () => {
      const { data } = expectStatus(await caller.client.get(`${CLIENT}/services/${service}`), 200);
      return (data as { postureQueries: { isPassing: boolean }[] }).postureQueries.map((query) => query.isPassing);
    };
    expect(await isPassing()).to.deep.equal([false]);
    const report = { typeId: 'DOMAIN', id: check, domain: 'corp.example.org' };
    expectStatus(await caller.client.post(`${CLIENT}/posture-response`, report), 201);
    expect(await isPassing()).to.deep.equal([true]);
    await cli.edge('update', 'service-policy', policy, '--posture-check-roles', '#none-of-them');
    expect(await isPassing()).to.deep.equal([true]);
    await cli.edge('delete', 'posture-check', check);
    expect(await cli.list('service-policy', 'posture-checks', policy)).to.deep.equal([]);
  });
});
