/**
 * Certificate authorities, configs, config types and the upkeep of the database by the field's own command line. Needs
 * the `ziti` binary: see test/support/stock-binary.ts.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { verifySnapshot } from '../../db/maintenance/restore.js';
import { expectStatus } from '../support/client.js';
import { makeCa, makeLeaf } from '../support/certificates.js';
import { CommandLine } from '../support/command-line.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { makeIdentity, makeService } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { describeStockCore } from '../support/unless.js';
import { ZitiShop } from '../support/ziti.js';

const PORT_SCHEMA = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] };

describeStockCore('the command line', (binary) => {
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

  /** @returns the name of a file that commands can read */
  const file = (content: string) => {
    const name = ziti.path(unique('file'));
    writeFileSync(name, content);
    return name;
  };

  describe('for certificate authorities', () => {
    const create = async (...args: string[]) => {
      const ca = makeCa();
      const name = unique('ca');
      const id = await cli.create('ca', name, file(ca.pem), ...args);
      return { id, name, ca, shown: async () => read<{ verificationToken: string }>(controller, `cas/${id}`) };
    };
    const CLAIM = ['-l', 'SAN_URI', '-m', 'SCHEME', '-x', 'spiffe', '-p', 'SPLIT', '-z', '/', '-d', '2'];
    const claim = {
      location: 'SAN_URI',
      matcher: 'SCHEME',
      matcherCriteria: 'spiffe',
      parser: 'SPLIT',
      parserCriteria: '/',
      index: 2,
    };

    it('makes one with all that it can have, and lists it', async () => {
      const { id, name, shown } = await create('-e', '-o', '-u', '-a', 'x,y', '-f', '[caName]', ...CLAIM, '-t', 'a=b');
      expect(await shown()).to.deep.include({
        name,
        isAuthEnabled: true,
        isOttCaEnrollmentEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isVerified: false,
        identityRoles: ['x', 'y'],
        identityNameFormat: '[caName]',
        externalIdClaim: claim,
        tags: { a: 'b' },
      });
      expect((await cli.rows('cas', `id = "${id}"`)).join('\n'))
        .to.contain('[AOE]')
        .and.to.contain('SAN_URI');
    });

    it('changes what is named, and nothing else', async () => {
      const { name, shown } = await create('-e', '-a', 'x', ...CLAIM);
      const steps: readonly (readonly [args: readonly string[], after: object])[] = [
        [['-e=false', '-o', '-u'], { isAuthEnabled: false, isOttCaEnrollmentEnabled: true, identityRoles: ['x'] }],
        [['-a', 'y,z'], { identityRoles: ['y', 'z'], isAutoCaEnrollmentEnabled: true }],
        [['-a', ''], { identityRoles: [] }],
        [['-d', '1'], { externalIdClaim: { ...claim, index: 1 } }],
        [['-f', '[caId]'], { identityNameFormat: '[caId]', externalIdClaim: { ...claim, index: 1 } }],
        [['-n', `${name}-new`], { name: `${name}-new`, identityNameFormat: '[caId]' }],
      ];
      for (const [index, [args, after]] of steps.entries()) {
        await cli.edge('update', 'ca', name, ...args);
        expect(await shown(), `step ${index}`).to.deep.include(after);
      }
    });

    it('verifies one by its key, and by a certificate that was made elsewhere', async () => {
      const byKey = await create('-e');
      const keys = ['--cacert', file(byKey.ca.pem), '--cakey', file(byKey.ca.privateKeyPem)];
      await cli.edge('verify', 'ca', byKey.name, ...keys);
      expect(await byKey.shown()).to.include({ isVerified: true });
      const byCertificate = await create('-e');
      const { verificationToken } = await byCertificate.shown();
      const proof = makeLeaf(byCertificate.ca, { commonName: verificationToken });
      await cli.edge('update', 'ca', byCertificate.name, '-v', '-c', file(proof.pem));
      expect(await byCertificate.shown()).to.include({ isVerified: true });
    });

    it('is told why one is not verified, and not made', async () => {
      const { name, ca, shown } = await create('-e');
      const stranger = makeCa();
      const keys = ['--cacert', file(stranger.pem), '--cakey', file(stranger.privateKeyPem)];
      expect(await cli.refusalOf('verify', 'ca', name, ...keys)).to.contain('CERTIFICATE_FAILED_VALIDATION');
      const unnamed = file(makeLeaf(ca).pem);
      expect(await cli.refusalOf('verify', 'ca', name, '--cert', unnamed)).to.contain('INVALID_COMMON_NAME');
      expect(await shown()).to.include({ isVerified: false });
      expect(await cli.refusalOf('create', 'ca', unique('ca'), file(ca.pem))).to.contain('already used as CA');
      expect(await cli.refusalOf('update', 'ca', name, '-l', 'NOWHERE')).to.contain('externalIdClaim.location');
    });

    it('deletes one by name, and by a filter', async () => {
      const [first, second] = [await create(), await create('-o')];
      await cli.edge('delete', 'ca', first.name);
      await cli.edge('delete', 'ca', 'where', `id = "${second.id}"`);
      expect(await cli.list('cas', `id in ["${first.id}", "${second.id}"]`)).to.deep.equal([]);
    });
  });

  describe('for config types and configs', () => {
    const type = async () => {
      const name = unique('type');
      return { name, id: await cli.create('config-type', name, JSON.stringify(PORT_SCHEMA), '-t', 'a=b') };
    };
    const data = (port: unknown) => JSON.stringify({ port });

    it('makes, shows, changes and deletes a type, with a schema or without', async () => {
      const { id, name } = await type();
      expect(JSON.parse(await cli.edge('show', 'config-type', name))).to.deep.equal(PORT_SCHEMA);
      expect(await read(controller, `config-types/${id}`)).to.deep.include({ schema: PORT_SCHEMA, tags: { a: 'b' } });
      await cli.edge('update', 'config-type', name, '-n', `${name}-new`);
      await cli.edge('update', 'config-type', `${name}-new`, '-d', '{"type":"object"}');
      expect(await read(controller, `config-types/${id}`)).to.deep.include({
        name: `${name}-new`,
        schema: { type: 'object' },
      });
      // The next release shows what configs of the type are for.
      expect(await cli.rows('config-types', `id = "${id}"`))
        .to.have.length(1)
        .and.to.satisfy(([row]: string[]) => [`${id},${name}-new,`, `${id},${name}-new,service`].includes(row ?? ''));
      await cli.edge('delete', 'config-type', `${name}-new`);
      const plain = await cli.create('config-type', unique('type'));
      expect(await read(controller, `config-types/${plain}`)).to.have.property('schema');
      const fromFile = await cli.create('config-type', unique('type'), '-f', file(JSON.stringify(PORT_SCHEMA)));
      expect(await read(controller, `config-types/${fromFile}`)).to.deep.include({ schema: PORT_SCHEMA });
      await cli.edge('delete', 'config-types', 'where', `id in ["${plain}", "${fromFile}"]`);
      expect(await cli.list('config-types', `id in ["${id}", "${plain}", "${fromFile}"]`)).to.deep.equal([]);
    });

    it('makes, shows, changes and deletes a config', async () => {
      const { name: typeName } = await type();
      const name = unique('config');
      const id = await cli.create('config', name, typeName, data(1), '--tags-json', '{"a":"b"}');
      expect(JSON.parse(await cli.edge('show', 'config', name))).to.deep.equal({ port: 1 });
      await cli.edge('update', 'config', name, '-d', data(2));
      await cli.edge('update', 'config', id, '-n', `${name}-new`);
      expect(await read(controller, `configs/${id}`)).to.deep.include({
        name: `${name}-new`,
        data: { port: 2 },
        tags: { a: 'b' },
      });
      await cli.edge('update', 'config', `${name}-new`, '-f', file(data(3)), '-t', 'c=d');
      expect(await read(controller, `configs/${id}`)).to.deep.include({ data: { port: 3 }, tags: { c: 'd' } });
      expect(await cli.rows('configs', `id = "${id}"`)).to.deep.equal([`${id},${name}-new,${typeName}`]);
      expect((await cli.list('config-type', 'configs', typeName)).map((config) => config.id)).to.deep.equal([id]);
      await cli.edge('delete', 'config', `${name}-new`);
      expect(await cli.list('configs', `id = "${id}"`)).to.deep.equal([]);
    });

    it('gives an identity another config for a service, and takes it back', async () => {
      const { name: typeName } = await type();
      const [usual, own] = [unique('config'), unique('config')];
      const usualId = await cli.create('config', usual, typeName, data(1));
      await cli.create('config', own, typeName, '-f', file(data(2)));
      const service = unique('service');
      const serviceId = await cli.create('service', service, '-c', usual);
      expect((await cli.list('config', 'services', usual)).map(({ id }) => id)).to.deep.equal([serviceId]);
      expect(await read(controller, `services/${serviceId}`)).to.deep.include({ configs: [usualId] });
      const identity = unique('identity');
      await makeIdentity(controller, { name: identity, type: 'Device' });
      await cli.edge('update', 'identity-configs', identity, service, own);
      expect(await cli.rows('identity', 'service-configs', identity)).to.deep.equal([`${service},${own}`]);
      await cli.edge('update', 'identity-configs', identity, service, own, '--remove');
      expect(await cli.rows('identity', 'service-configs', identity)).to.deep.equal([]);
    });

    it('is told what of a config or a schema is wrong, and what keeps one from being deleted', async () => {
      const { name: typeName } = await type();
      const bad = await cli.refusalOf('create', 'config', unique('config'), typeName, data('eighty'));
      expect(bad).to.contain('INVALID_FIELD - port').and.to.contain('Expected: integer, given: string');
      const nonsense = await cli.refusalOf('create', 'config-type', unique('type'), '{"type":"nonsense"}');
      expect(nonsense).to.contain('INVALID_FIELD - schema');
      const name = unique('config');
      await cli.create('config', name, typeName, data(1));
      expect(await cli.refusalOf('update', 'config', name, '-d', '{}')).to.contain('port is required');
      expect(await cli.refusalOf('delete', 'config-type', typeName)).to.contain('CAN_NOT_DELETE_REFERENCED_ENTITY');
      const service = unique('service');
      await cli.edge('create', 'service', service, '-c', name);
      await cli.edge('delete', 'config', name);
      const [left] = await cli.list('services', `name = "${service}"`);
      expect(left).to.deep.include({ configs: [] });
    });
  });

  it('lists more than a page when it asks for everything', async () => {
    const prefix = unique('all');
    for (let i = 0; i < 12; i += 1) await makeService(controller, { name: `${prefix}-${i}`, encryptionRequired: true });
    expect(await cli.list('services', `name contains "${prefix}"`)).to.have.length(10);
    expect(await cli.list('services', `name contains "${prefix}" limit none`)).to.have.length(12);
    const shown = await cli.edge('list', 'services', `name contains "${prefix}" limit none`);
    expect(shown).to.contain('results: 1-12 of 12');
  });

  describe('for the upkeep of the database', () => {
    const status = async () => cli.edge('db', 'check-integrity-status');
    const finished = async () =>
      until(
        'the check has finished',
        async () => {
          const text = await status();
          return text.includes('In Progress: false') && !text.includes('Finished At: <nil>');
        },
        60_000,
      );

    it('takes a snapshot that can be restored', async () => {
      const place = join(controller.dataDir, 'snapshots');
      const files = () => (existsSync(place) ? readdirSync(place) : []);
      const before = files();
      await cli.edge('db', 'snapshot');
      const [made = '', ...more] = files().filter((name) => !before.includes(name));
      expect(more).to.deep.equal([]);
      await verifySnapshot(join(place, made));
    });

    it('begins a check of its integrity and shows what comes of it', async () => {
      expect(await status())
        .to.contain('In Progress: false')
        .and.to.contain('Started At: <nil>');
      expect(await cli.edge('db', 'start-check-integrity')).to.equal('check integrity operation started\n');
      await finished();
      expect(await status())
        .to.contain('Fixing Errors: false')
        .and.to.contain('Too Many Errors: false')
        .and.to.contain('no data integrity errors found');
    });

    it('shows what is wrong, and repairs it when asked to', async () => {
      const { database } = controller;
      await makeService(controller, { encryptionRequired: true });
      await database.query(`UPDATE entity_counts SET total = total + 2 WHERE kind = 'services'`);
      await cli.edge('db', 'start-check-integrity');
      await finished();
      const found = await status();
      expect(found)
        .to.contain('the total of services is wrong by')
        .and.not.to.contain('no data integrity errors found');
      await cli.edge('db', 'start-check-integrity', '--fix-errors');
      await finished();
      expect(await status()).to.contain('Fixing Errors: true');
      await cli.edge('db', 'start-check-integrity');
      await finished();
      expect(await status()).to.contain('no data integrity errors found');
      expectStatus(await controller.admin.get(`${MANAGEMENT}/services?limit=1`), 200);
    });
  });
});
