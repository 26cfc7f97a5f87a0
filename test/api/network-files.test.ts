/**
 * Network files against whole controllers: what is exported, and that an import makes the same of an empty network,
 * through the database and through the API.
 */
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parse } from 'yaml';
import { schemaText } from '../../commands/network/files.js';
import { KIND_NAMES } from '../../domain/network-files/kind-names.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { MANAGEMENT } from '../support/paths.js';
import { exported, fillNetwork, imported, ODD_NAMES } from './network-files-support.js';
import type { Way } from './network-files-support.js';

type File = Record<string, Record<string, unknown>[]>;

const WAYS: readonly Way[] = ['database', 'API'];

describe('network files', () => {
  let source: TestController;
  let text: string;
  let file: File;
  before(async () => {
    source = await startTestController();
    await fillNetwork(source);
    text = await exported('database', source);
    file = parse(text) as File;
  });
  after(() => source.stop());
  const entity = (kind: string, name: string) => file[kind]?.find((each) => each['name'] === name);

  it('have every kind, and each of their entities by name', () => {
    expect(Object.keys(file)).to.deep.equal(KIND_NAMES);
    for (const kind of KIND_NAMES) expect(file[kind], kind).to.not.deep.equal([]);
    expect(entity('configs', 'own config')).to.deep.equal({
      name: 'own config',
      configType: 'own type',
      data: { port: 5432 },
      tags: { 'team "a"': 'payments', 'yes': true, 'count': 3, 'nothing': null },
    });
    expect(entity('servicePolicies', 'dial it'))
      .to.include({ type: 'Dial', semantic: 'AllOf' })
      .and.deep.include({
        identityRoles: ['#sales', '@berlin 1', '@laptop 17'],
        serviceRoles: ['#data', '@database'],
        postureCheckRoles: ['#checked', '@cards'],
      });
    expect(entity('identities', 'laptop 17')).to.deep.include({
      authPolicy: 'tokens only',
      serviceHostingCosts: { database: 11 },
      serviceHostingPrecedences: { database: 'failed' },
      serviceConfigs: [{ service: 'database', config: 'other config' }],
    });
    expect(entity('identities', 'the boss')).to.include({ isDefaultAdmin: true });
    expect(entity('identities', 'berlin 1')).to.deep.include({ type: 'Router', roleAttributes: ['tunneler'] });
    expect(entity('externalJwtSigners', 'login provider')).to.include({ enrollAuthPolicy: 'tokens only' });
    expect(entity('authPolicies', 'tokens only')?.['secondary']).to.deep.equal({
      requireTotp: true,
      requireExtJwtSigner: 'login provider',
    });
    expect(file['controllerSettings']?.[0]).to.include({ controller: 'global' });
    const services = (file['services'] ?? []).map(({ name }) => name);
    expect(services).to.include.members(ODD_NAMES);
    expect(services).to.deep.equal([...services].sort());
  });

  it('have no ids, no secrets, and nothing that every network has', async () => {
    const { rows } = await source.database.query(
      `SELECT id FROM services UNION SELECT id FROM identities UNION SELECT id FROM configs UNION SELECT id FROM routers
      UNION SELECT token::text FROM enrollments UNION SELECT jwt FROM enrollments
      UNION SELECT password_hash FROM authenticators UNION SELECT verification_token::text FROM cas`,
    );
    expect(rows.length).to.be.greaterThan(60);
    expect(rows.map(({ id }) => String(id)).filter((secret) => text.includes(secret))).to.deep.equal([]);
    expect(entity('configTypes', 'host.v1')).to.equal(undefined);
    expect(text).to.not.include('-system');
  });

  it('follow their JSON Schema, which their first line names', () => {
    expect(text.split('\n', 1)[0]).to.equal('# yaml-language-server: $schema=./network-files.schema.json');
    const validate = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(schemaText()) as object);
    expect(validate(file), JSON.stringify(validate.errors)).to.equal(true);
  });

  it('are the same from the API, page by page, and every time', async () => {
    expect(await exported('API', source)).to.equal(text);
    expect(await exported('database', source)).to.equal(text);
  });

  it('may have some kinds only', async () => {
    const only = parse(await exported('database', source, new Set(['services', 'configs']))) as File;
    expect(Object.keys(only)).to.deep.equal(['configs', 'services']);
  });

  for (const way of WAYS) {
    describe(`imported through the ${way}`, () => {
      let target: TestController;
      before(async () => {
        target = await startTestController();
      });
      after(() => target.stop());

      it('only say what would change in a dry run', async () => {
        const before = await exported('database', target);
        const { lines, summary } = await imported(way, target, text, { isDryRun: true });
        expect(lines).to.include.members([
          '+ service "database"',
          '+ identity "laptop 17"',
          '~ identity "the boss"',
          '    roleAttributes: [] → ["boss"]',
          '~ identity "berlin 1"',
        ]);
        expect(summary).to.match(/^\d+ to create, \d+ to change, 0 to delete, \d+ unchanged \(dry run/);
        expect(await exported('database', target)).to.equal(before);
      });

      it('make the same of an empty network', async () => {
        const { summary } = await imported(way, target, text);
        expect(summary).to.match(/^\d+ created, 2 changed, 0 deleted, 1 unchanged$/);
        expect(await exported('database', target)).to.equal(text);
      });

      it('change nothing the second time', async () => {
        const { lines } = await imported(way, target, text, { isPruning: true });
        expect(lines.filter((line) => /^[-+~]/.test(line))).to.deep.equal([]);
        expect(lines.at(-1)).to.match(/^0 created, 0 changed, 0 deleted, \d+ unchanged$/);
      });

      it('give an enrollment only where they ask for one, and leave those that are there', async () => {
        const asking = `identities:
  - { name: laptop 17, type: Device, isAdmin: false, enrollment: ott }
  - { name: new one, type: User, isAdmin: false, enrollment: ott }
  - { name: other one, type: User, isAdmin: false, enrollment: { updb: somebody } }
  - { name: plain one, type: User, isAdmin: false }
`;
        await imported(way, target, asking);
        const enrollmentsOf = async (name: string) => {
          const { rows } = await target.database.query(
            `SELECT e.method FROM enrollments e JOIN identities i ON i.id = e.identity_id WHERE i.name = $1`,
            [name],
          );
          return rows.map(({ method }) => method);
        };
        expect(await enrollmentsOf('laptop 17')).to.deep.equal([]);
        expect(await enrollmentsOf('new one')).to.deep.equal(['ott']);
        expect(await enrollmentsOf('other one')).to.deep.equal(['updb']);
        expect(await enrollmentsOf('plain one')).to.deep.equal([]);
      });

      it('show each field that changes, and put it back', async () => {
        const { lines, summary } = await imported(way, target, text, { only: new Set(['identities']) });
        expect(lines).to.include('    authPolicy: null → "tokens only"');
        expect(lines).to.include('    serviceConfigs: [] → [{"service":"database","config":"other config"}]');
        expect(summary).to.match(/^0 created, 1 changed/);
      });

      it('delete what they do not name when they are asked to, and keep what a network needs', async () => {
        const { lines, summary } = await imported(way, target, text, { isPruning: true });
        expect(lines.filter((line) => line.startsWith('-'))).to.deep.equal([
          '- identity "new one"',
          '- identity "other one"',
          '- identity "plain one"',
        ]);
        expect(summary).to.match(/^0 created, 0 changed, 3 deleted/);
        expect(await exported('database', target)).to.equal(text);
        const none = `identities:\nservicePolicies:\nauthPolicies:\n  - ${inFlow('authPolicies', 'tokens only')}\n`;
        const emptied = await imported(way, target, none, { isPruning: true });
        expect(emptied.lines).to.include.members([
          '  kept: identity "the boss" (the default administrator)',
          '  kept: identity "berlin 1" (of the router with this name, and goes with it)',
          '  kept: auth policy "Default" (the policy of identities that name no other)',
        ]);
        const left = parse(await exported('database', target)) as File;
        expect(left['identities']?.map(({ name }) => name)).to.deep.equal(['berlin 1', 'the boss']);
        expect(left['servicePolicies']).to.deep.equal([]);
        expect(left['services']).to.deep.equal(file['services']);
      });

      it('are heard of by a controller that runs meanwhile', async () => {
        await imported(way, target, text);
        const { data } = await target.admin.get(
          `${MANAGEMENT}/services?filter=${encodeURIComponent('name = "database"')}`,
        );
        const [service] = data as { id: string }[];
        const detail = await read(target, `services/${service?.id ?? ''}`);
        expect(detail).to.include({ name: 'database', terminatorStrategy: 'sticky' });
        expect(await exported('API', target)).to.equal(text);
      });
    });
  }

  const inFlow = (kind: string, name: string) => JSON.stringify(entity(kind, name));
});
