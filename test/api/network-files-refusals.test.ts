/** Files that are refused: each says where and why, and nothing of it is kept. Against a whole controller. */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readEntries } from '../../commands/network/import-network.js';
import { MAX_FILE_BYTES } from '../../domain/network-files/yaml.js';
import { makeCa, makeLeaf } from '../support/certificates.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { exported, imported } from './network-files-support.js';
import type { How, Way } from './network-files-support.js';

const SERVICE = 'name: web, encryptionRequired: true';

/** What an import is refused with, without the folder of the file. */
async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return (error as Error).message.replaceAll(/[^\s]*\/(?=network\.yaml|other\.yaml)/g, '');
  }
  throw new Error('it was not refused');
}

/** The first line of the file, what it is refused with. */
const FORMS: readonly (readonly [what: string, text: string, message: string | RegExp])[] = [
  ['an unknown kind', 'services: []\ngadgets: []\n', 'network.yaml:2:1: gadgets: is no kind of entity'],
  [
    'an unknown field',
    `services:\n  - { ${SERVICE}, colour: red }\n`,
    'network.yaml:2:44: services[0].colour: is no field of this',
  ],
  [
    'an unknown field deep inside',
    'postureChecks:\n  - name: p\n    typeId: PROCESS\n    process: { osType: Linux, path: /x, hash: a }\n',
    'network.yaml:4:41: postureChecks[0].process.hash: is no field of this',
  ],
  [
    'a wrong type',
    'services:\n  - name: web\n    encryptionRequired: maybe\n',
    'network.yaml:3:25: services[0].encryptionRequired: must be boolean',
  ],
  ['a missing field', 'services:\n  - name: web\n', 'network.yaml:2:5: services[0]: lacks "encryptionRequired"'],
  [
    'a name that is no text',
    'services:\n  - { name: 12, encryptionRequired: true }\n',
    'network.yaml:2:13: services[0].name: must be string',
  ],
  [
    'a value that is not among those there are',
    `services:\n  - { ${SERVICE}, terminatorStrategy: best }\n`,
    /^network\.yaml:2:64: services\[0\]\.terminatorStrategy: must be one of "smartrouting"/,
  ],
  [
    'a number out of its range',
    'edgeRouters:\n  - { name: r, cost: 70000 }\n',
    'network.yaml:2:22: edgeRouters[0].cost: must be 65535 or less',
  ],
  [
    'a type of posture check that there is not',
    'postureChecks:\n  - { name: p, typeId: SMELL }\n',
    /^network\.yaml:2:24: postureChecks\[0\]\.typeId: must be one of "OS"/,
  ],
  [
    'a field of another type of posture check',
    'postureChecks:\n  - { name: p, typeId: MAC, macAddresses: [a], domains: [b] }\n',
    'network.yaml:2:48: postureChecks[0].domains: is no field of this',
  ],
  [
    'a name that is given twice',
    `services:\n  - { ${SERVICE} }\n  - { ${SERVICE} }\n`,
    'network.yaml:3:13: services[1].name: service "web" is there twice: the other is at network.yaml:2',
  ],
  [
    'a router of two kinds',
    'edgeRouters:\n  - name: r\ntransitRouters:\n  - name: r\n',
    'network.yaml:4:11: transitRouters[0].name: transit router "r" is there twice: the other is at network.yaml:2',
  ],
  [
    'a field that is given twice',
    `services:\n  - { ${SERVICE}, name: other }\n`,
    'network.yaml:2:44: services[0].name: is given more than once',
  ],
  ['no list', 'services: { web: 1 }\n', 'network.yaml:1:1: services: must be array or null'],
  ['no entity', 'services: [web]\n', 'network.yaml:1:12: services[0]: must be object'],
  ['no object', '- web\n', 'network.yaml:1:1: must be object'],
  ['nothing', '', 'network.yaml:1:1: must be object'],
  ['two documents', 'services: []\n---\nservices: []\n', /^network\.yaml:2:1: a file holds one document/],
  ['no YAML', 'services: [\n', /^network\.yaml:2:1: is no YAML: /],
  ['a tab for an indent', 'services:\n\t- name: web\n', /^network\.yaml:2:1: is no YAML: /],
  [
    'a tag',
    'services:\n  - name: !!str 12\n',
    'network.yaml:2:17: services[0].name: tags such as !!str are not taken: quote a text',
  ],
  [
    'a tag of its own',
    'services: !!js/function "() => 1"\n',
    'network.yaml:1:25: services: tags such as !!str are not taken: quote a text',
  ],
  ['an anchor', 'services: &all []\n', 'network.yaml:1:16: services: anchors are not taken: write the value out'],
  [
    'a merge key',
    `services:\n  - { ${SERVICE}, <<: { tags: {} } }\n`,
    'network.yaml:2:44: services[0]["<<"]: is no field of this',
  ],
  [
    'an endless number',
    'configs:\n  - { name: c, configType: host.v1, data: { port: .inf } }\n',
    'network.yaml:2:51: configs[0].data.port: is no value that a file may hold',
  ],
  [
    'a number that no double keeps',
    'configs:\n  - { name: c, configType: host.v1, data: { port: 12345678901234567890 } }\n',
    /^network\.yaml:2:51: configs\[0\]\.data\.port: is a number that cannot be kept/,
  ],
  ['a NUL', 'services:\n  - { name: "a\\0", encryptionRequired: true }\n', /services\[0\]\.name: has a NUL/],
  [
    'too deep a value',
    `configs:\n  - { name: c, configType: host.v1, data: { a: ${'['.repeat(80)}${']'.repeat(80)} } }\n`,
    /^network\.yaml:2:\d+: configs\[0\]\.data\.a.*: it is nested deeper than 66 levels$/,
  ],
];

describe('network files that are refused for what they are', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'edge-files-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const refused = (text: string | Buffer, files = ['network.yaml']) => {
    writeFileSync(join(folder, 'network.yaml'), text);
    return refusal(() => readEntries({ files: files.map((file) => join(folder, file)), only: undefined }));
  };

  for (const [what, text, message] of FORMS) {
    it(`for ${what}`, async () => {
      const said = await refused(text);
      if (typeof message === 'string') expect(said).to.equal(message);
      else expect(said).to.match(message);
    });
  }

  it('for aliases that would unfold to gigabytes, without unfolding them', async () => {
    const lists = Array.from({ length: 12 }, (_, n) => `  - &a${n + 1} [${Array(10).fill(`*a${n}`).join(',')}]`);
    expect(await refused(`services:\n  - &a0 [x]\n${lists.join('\n')}\n`)).to.match(/anchors are not taken/);
    expect(await refused('services: [*nobody]\n')).to.match(/^network\.yaml:1:12: .*(aliases|alias)/i);
  });

  it('for a nesting that no reader gets through', async () => {
    expect(await refused('['.repeat(200_000))).to.match(/^network\.yaml:1:\d+: /);
  });

  it('for their size, their bytes, and for not being there', async () => {
    writeFileSync(join(folder, 'network.yaml'), '');
    truncateSync(join(folder, 'network.yaml'), MAX_FILE_BYTES + 1);
    const read = (...names: string[]) =>
      refusal(() => readEntries({ files: names.map((name) => join(folder, name)), only: undefined }));
    expect(await read('network.yaml')).to.equal(
      'network.yaml:1:1: the file has more than 32 MiB: split it into several',
    );
    expect(await refused(Buffer.from([0x61, 0xff, 0xfe]))).to.equal('network.yaml:1:1: the file is no text in UTF-8');
    expect(await read('nobody/network.yaml')).to.equal('network.yaml:1:1: there is no such file');
    mkdirSync(join(folder, 'empty'), { recursive: true });
    expect(await read('empty')).to.match(/this folder has no file that ends in \.yml or \.yaml$/);
  });

  it('for a name that two files have', async () => {
    const text = `services:\n  - { ${SERVICE} }\n`;
    writeFileSync(join(folder, 'other.yaml'), `\n${text}`);
    expect(await refused(text, ['network.yaml', 'other.yaml'])).to.equal(
      'other.yaml:3:13: services[0].name: service "web" is there twice: the other is at network.yaml:2',
    );
  });

  it('with all their faults at once, up to a number that can be read', async () => {
    const many = Array.from({ length: 30 }, (_, n) => `  - { name: s${n} }\n`).join('');
    const lines = (await refused(`services:\n${many}`)).split('\n');
    expect(lines).to.have.length(21);
    expect(lines.at(-1)).to.equal('and 10 more');
  });
});

describe('network files that a network refuses', () => {
  let controller: TestController;
  let before_: string;
  before(async () => {
    controller = await startTestController();
    await imported(
      'database',
      controller,
      `services:\n  - { name: there, encryptionRequired: true }
configTypes:\n  - { name: ports, target: router, schema: { type: object, required: [port] } }
configs:\n  - { name: in use, configType: ports, data: { port: 1 } }
edgeRouters:\n  - { name: router, configs: [in use] }
identities:\n  - { name: taken, type: User, isAdmin: false, externalId: x1 }
`,
    );
    before_ = await exported('database', controller);
  });
  after(() => controller.stop());

  /** The good half must not stay. */
  const GOOD = `services:\n  - { name: half, encryptionRequired: true }\n`;
  const refused = async (text: string, how: How = {}, way: Way = 'database') => {
    const message = await refusal(() => imported(way, controller, GOOD + text, how));
    expect(await exported('database', controller)).to.equal(before_);
    return message;
  };

  for (const way of ['database', 'API'] as const) {
    describe(`through the ${way}`, () => {
      const CASES: readonly (readonly [what: string, text: string, message: string | RegExp])[] = [
        [
          'a reference to what is nowhere',
          'servicePolicies:\n' +
            '  - { name: p, type: Dial, semantic: AnyOf, serviceRoles: ["#all"], identityRoles: ["@ghost"] }\n',
          'network.yaml:4:85: servicePolicies[0].identityRoles[0]: ' +
            'there is no identity "ghost", neither in the files nor in the network',
        ],
        [
          'a controller that there is not',
          'controllerSettings:\n  - { controller: nowhere }\n',
          'network.yaml:4:19: controllerSettings[0].controller: there is no controller "nowhere"',
        ],
        [
          'a selector that is none',
          'servicePolicies:\n  - { name: p, type: Dial, semantic: AnyOf, identityRoles: [sales] }\n',
          /^network\.yaml:4:45: servicePolicies\[0\]\.identityRoles: role entries must prefixed/,
        ],
        [
          '#all in company',
          'servicePolicies:\n  - { name: p, type: Dial, semantic: AnyOf, identityRoles: ["#all", "#b"] }\n',
          /servicePolicies\[0\]\.identityRoles: if using #all/,
        ],
        [
          'config data that breaks the type of the network',
          'configs:\n  - name: c\n    configType: ports\n    data: { port_: 1 }\n',
          /^network\.yaml:6:5: configs\[0\]\.data: .*port/,
        ],
        [
          'config data that breaks the type of the same file',
          'configTypes:\n  - { name: t, schema: { type: object, maxProperties: 0 } }\n' +
            'configs:\n  - { name: c, configType: t, data: { a: 1 } }\n',
          /^network\.yaml:6:31: configs\[0\]\.data/,
        ],
        [
          'a schema that is none',
          'configTypes:\n  - { name: t, schema: { type: 5 } }\n',
          /^network\.yaml:4:\d+: configTypes\[0\]\.schema/,
        ],
        [
          'another type of a config',
          'configs:\n  - { name: in use, configType: host.v1, data: {} }\n',
          'network.yaml:4:33: configs[0].configType: cannot be changed: it is "ports" in the network',
        ],
        [
          'a certificate that is no CA',
          `cas:\n  - name: c\n    isAuthEnabled: true\n    isAutoCaEnrollmentEnabled: true
    isOttCaEnrollmentEnabled: true\n    identityRoles: []\n    certPem: ${JSON.stringify(makeLeaf(makeCa()).pem)}\n`,
          /^network\.yaml:9:14: cas\[0\]\.certPem: certificate is not a CA$/,
        ],
        [
          'a signer without keys',
          'externalJwtSigners:\n  - { name: s, issuer: i, audience: a, enabled: true }\n',
          /^network\.yaml:4:5: externalJwtSigners\[0\]: .*jwksEndpoint or certPem is required/,
        ],
        [
          'a role attribute that looks like a selector',
          'identities:\n  - { name: i, type: User, isAdmin: false, roleAttributes: ["#x"] }\n',
          /^network\.yaml:4:44: identities\[0\]\.roleAttributes: role attributes may not be prefixed/,
        ],
        [
          'a policy that does neither',
          'servicePolicies:\n  - { name: p, type: Invalid, semantic: AnyOf }\n',
          /^network\.yaml:4:\d+: servicePolicies\[0\]\.type: /,
        ],
      ];
      for (const [what, text, message] of CASES) {
        it(`for ${what}`, async () => {
          const said = await refused(text, { isDryRun: what.length % 2 === 0 }, way);
          if (typeof message === 'string') expect(said).to.equal(message);
          else expect(said).to.match(message);
        });
      }

      it('for a reference to what the same import would delete', async () => {
        const text = `edgeRouters:\n  - { name: other, configs: [in use] }\nconfigs: []\n`;
        expect(await refused(text, { isPruning: true }, way)).to.equal(
          'network.yaml:4:30: edgeRouters[0].configs[0]: refers to the config "in use", which --prune would delete',
        );
      });
    });
  }

  it('for what only the database knows, all of it', async () => {
    const text = 'identities:\n  - { name: i, type: User, isAdmin: false, externalId: x1 }\n';
    expect(await refused(text)).to.match(
      /^network\.yaml:4:\d+: identities\[0\]\.externalId: .*x1.*\nNothing was changed\.$/,
    );
  });

  it('for what may not be deleted, all of it', async () => {
    expect(
      await refused('configTypes: []\n', { isPruning: true, only: new Set(['services', 'configTypes']) }),
    ).to.match(/^the config type "ports" cannot be deleted: .*\nNothing was changed\.$/);
  });

  describe('through the API, where each change is one of its own', () => {
    it('from the refusal on, and say what is done already', async () => {
      const text = `${GOOD}identities:\n  - { name: i, type: User, isAdmin: false, externalId: x1 }\n`;
      const message = await refusal(() => imported('API', controller, text));
      expect(message).to.match(/^network\.yaml:4:\d+: identities\[0\].*\n1 of the changes were made before\./);
      expect(await exported('database', controller, new Set(['services']))).to.include('name: half');
    });
  });
});
