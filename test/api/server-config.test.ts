/** The configuration: defaults, file, environment, faults reported all at once, and what is shown of it. */
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { printConfig, readConfig } from '../../server/settings/config-reader.js';
import { ConfigError, SETTINGS } from '../../server/settings/config.js';
import type { Settings } from '../../server/settings/config.js';
import { routersReach } from '../../server/settings/control-settings.js';
import { SETTING_CASES } from '../cases/settings.js';

const keys = Object.keys(SETTINGS) as (keyof Settings)[];

const faultOf = (sources: Parameters<typeof readConfig>[0]): string => {
  try {
    readConfig(sources);
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('the configuration was taken');
};

describe('the configuration', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'edge-controller-test-'));
  });
  after(() => {
    rmSync(dir, { recursive: true, force: true });
  });
  let serial = 0;
  const fileWith = (content: string) => {
    const file = join(dir, `${(serial += 1)}.yml`);
    writeFileSync(file, content);
    return file;
  };
  /** `a.b: v` as the YAML it means. */
  const yamlOf = (path: string, value: unknown) =>
    stringify(path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value));

  it('has a case here for every setting, each with a variable and a place of its own, and a sentence', () => {
    expect(Object.keys(SETTING_CASES)).to.have.members(keys);
    const items = keys.map((key) => SETTINGS[key]);
    expect(new Set(items.map(({ env }) => env)).size).to.equal(items.length);
    expect(new Set(items.map(({ path }) => path)).size).to.equal(items.length);
    for (const { env, about } of items) {
      expect(env).to.match(/^(EDGE_[A-Z_]+|DATABASE_URL)$/);
      expect(about).to.match(/^\S.*\.$/);
    }
  });

  it('has hosts in one form, however they were written', () => {
    const config = readConfig({
      env: {
        EDGE_ADVERTISE: '[::ffff:10.0.0.1]:443',
        EDGE_LISTEN: '[0:0::1]:0443',
        EDGE_TLS_NAMES: 'Ctrl.Example.,::FFFF:a00:2',
      },
    });
    expect(config).to.deep.include({
      advertise: '10.0.0.1:443',
      listen: '[::1]:443',
      tlsNames: ['ctrl.example', '10.0.0.2'],
    });
    expect(() => readConfig({ env: { EDGE_TLS_NAMES: '*.example' } })).to.throw(/EDGE_TLS_NAMES/);
  });

  it('says where routers reach the controller', () => {
    const reach = (env: Readonly<Record<string, string>>) =>
      routersReach(readConfig({ env: { EDGE_ADVERTISE: 'ctrl.example:443', ...env } }));
    expect(reach({})).to.equal('ctrl.example:443');
    expect(reach({ EDGE_CONTROL_LISTEN: '0.0.0.0:6262' })).to.equal('ctrl.example:6262');
    expect(reach({ EDGE_ADVERTISE: '[::1]:443', EDGE_CONTROL_LISTEN: '[::]:6262' })).to.equal('[::1]:6262');
    expect(reach({ EDGE_CONTROL_LISTEN: '0.0.0.0:0', EDGE_CONTROL_ADVERTISE: 'r.example:80' })).to.equal(
      'r.example:80',
    );
    expect(reach({ EDGE_CONTROL_ADVERTISE: 'r.example:80' })).to.equal('r.example:80');
  });

  it('refuses an address for routers that they cannot know, or that is taken', () => {
    expect(faultOf({ env: { EDGE_CONTROL_LISTEN: '0.0.0.0:0' } })).to.match(/any free port.*set control\.advertise/);
    expect(faultOf({ env: { EDGE_CONTROL_LISTEN: '127.0.0.1:1280' } })).to.match(/as listen is: give it another port/);
  });

  it('refuses metrics that anybody could read by mistake, and settings of them that do not fit', () => {
    const fault = (env: Readonly<Record<string, string>>) =>
      faultOf({ env: { EDGE_METRICS_LISTEN: '0.0.0.0:9464', ...env } });
    expect(fault({})).to.match(/metrics\.listen is 0\.0\.0\.0:9464, which others reach: set metrics\.token/);
    expect(fault({ EDGE_METRICS_OPEN: 'true', EDGE_METRICS_TLS: 'files' })).to.match(/set both metrics\.certFile and/);
    expect(fault({ EDGE_METRICS_TLS: 'off', EDGE_METRICS_CLIENT_CA_FILE: '/ca' })).to.match(/clientCaFile needs TLS/);
    expect(fault({ EDGE_METRICS_OPEN: 'true', EDGE_METRICS_KEY_FILE: '/k' })).to.match(/but metrics\.tls is network/);
    const both = { EDGE_METRICS_TOKEN: '0123456789abcdef', EDGE_METRICS_TOKEN_FILE: '/t' };
    expect(fault(both)).to.match(/are both set: leave one out/);
    for (const host of ['127.0.0.1', '[::1]', 'localhost'])
      expect(readConfig({ env: { EDGE_METRICS_LISTEN: `${host}:9464` } }).metricsOpen).to.equal(false);
    for (const env of [{ EDGE_METRICS_OPEN: 'true' }, { EDGE_METRICS_TOKEN_FILE: '/t' }])
      expect(readConfig({ env: { EDGE_METRICS_LISTEN: '0.0.0.0:9464', ...env } }).metricsListen).to.be.a('string');
  });

  it('is complete without anything, and safe: local, no foreign origins', () => {
    const config = readConfig({ env: {} });
    expect(config).to.include({
      listen: '127.0.0.1:1280',
      databaseUrl: null,
      adminPassword: null,
      masterKey: null,
      sessionTimeout: 1800,
      maxLimit: 500,
      maxBodyBytes: 1_048_576,
    });
    expect(config.corsOrigins).to.deep.equal([]);
    expect(readConfig({ env: {}, file: fileWith('') })).to.deep.equal(config);
    expect(readConfig({ env: {}, file: fileWith('# nothing yet\n') })).to.deep.equal(config);
  });

  for (const key of keys) {
    const { env, path } = SETTINGS[key];
    const { text, means, refuses } = SETTING_CASES[key];

    it(`reads ${path} from ${env}, which wins over the file`, () => {
      const other = readConfig({ env: {} })[key];
      expect(other).not.to.deep.equal(means);
      expect(readConfig({ env: { [env]: text } })[key]).to.deep.equal(means);
      expect(readConfig({ env: {}, file: fileWith(yamlOf(path, text)) })[key]).to.deep.equal(means);
      expect(readConfig({ env: { [env]: text }, file: fileWith(yamlOf(path, refuses)) })[key]).to.deep.equal(means);
    });

    if (refuses === '-') continue;
    it(`refuses ${refuses === '' ? 'an empty text' : `'${refuses}'`} for ${path}, naming the place`, () => {
      expect(faultOf({ env: { [env]: refuses } })).to.match(
        new RegExp(`^The configuration has a fault:\\n  environment variable ${env}: \\S`),
      );
      const file = fileWith(yamlOf(path, refuses));
      expect(faultOf({ env: {}, file })).to.match(
        new RegExp(`^The configuration has a fault:\\n  ${path.replaceAll('.', '\\.')} in ${file}: \\S`),
      );
    });
  }

  it('takes numbers, flags and lists from YAML as they are', () => {
    const config = readConfig({
      env: {},
      file: fileWith(
        'docs: false\nedge: { api: { maxLimit: 900 } }\ncors: { origins: [https://a.example, ' +
          'https://b.example:8443] }\n',
      ),
    });
    expect(config).to.deep.include({
      docs: false,
      maxLimit: 900,
      corsOrigins: ['https://a.example', 'https://b.example:8443'],
    });
  });

  it('refuses YAML of the wrong kind for a setting', () => {
    for (const content of [
      'docs: 5',
      'listen: [a, b]',
      'edge: { api: { maxLimit: [5] } }',
      'name: { first: x }',
      'cors: { origins: { a: b } }',
      'edge: { api: { sessionTimeout: true } }',
      'edge: 5',
    ]) {
      expect(faultOf({ env: {}, file: fileWith(content) }), content).to.match(/^The configuration has a fault:\n  \S/);
    }
  });

  it('takes a section whose settings are all commented out', () => {
    expect(
      readConfig({ env: {}, file: fileWith('database:\n  # url: postgresql://db/edge\nedge:\n  api:\n') }),
    ).to.deep.equal(readConfig({ env: {} }));
  });

  it('refuses more time for the headers than for the whole request', () => {
    const env = { EDGE_LIMIT_HEADERS_TIMEOUT: '40s', EDGE_LIMIT_REQUEST_TIMEOUT: '30s' };
    expect(faultOf({ env })).to.match(/limits\.headersTimeout \(40s\) is longer than limits\.requestTimeout \(30s\)/);
    expect(readConfig({ env: { ...env, EDGE_LIMIT_REQUEST_TIMEOUT: '40s' } })).to.include({ headersTimeout: 40 });
  });

  it('lists every fault at once', () => {
    const file = fileWith('listen: nowhere\nedge: { api: { maxLimit: lots } }\nwizard: true\n');
    const lines = faultOf({ env: { EDGE_LOG_LEVEL: 'loud', EDGE_DOCS: 'maybe' }, file }).split('\n');
    expect(lines[0]).to.equal('The configuration has 5 faults:');
    expect(lines).to.have.lengthOf(6);
    for (const place of ['EDGE_LOG_LEVEL', 'EDGE_DOCS', 'listen in', 'edge.api.maxLimit in', 'wizard in']) {
      expect(
        lines.filter((line) => line.includes(place)),
        place,
      ).to.have.lengthOf(1);
    }
  });

  it('names an unknown setting and the one that was probably meant', () => {
    for (const [content, meant] of [
      ['sessionTimeout: 30m', 'edge.api.sessionTimeout'],
      ['edge: { sessionTimeout: 30m }', 'edge.api.sessionTimeout'],
      ['Listen: x', 'listen'],
      ['listn: x', 'listen'],
      ['edge: { api: { sesionTimeout: 30m } }', 'edge.api.sessionTimeout'],
      ['adminPasword: x', 'admin.password'],
      ['completely: { different: 1 }', ''],
    ] as const) {
      const fault = faultOf({ env: {}, file: fileWith(content) });
      expect(fault).to.contain('no such setting; the settings are in docs/configuration.md');
      if (meant === '') expect(fault).not.to.contain('did you mean');
      else expect(fault).to.contain(`(did you mean ${meant}?)`);
    }
  });

  it('says why a file cannot be read', () => {
    expect(faultOf({ env: {}, file: join(dir, 'nope.yml') })).to.match(
      /^The configuration file cannot be read: .*nope\.yml/,
    );
    for (const [content, line, column, reason] of [
      ['a: b: c', 1, 4, 'a colon and a space'],
      ['listen: 0.0.0.0:1\nlisten: 0.0.0.0:2', 2, 1, 'given twice'],
      ['a: 1\n---\nb: 2', 2, 1, 'several documents'],
      ['a:\n\tb: 1', 2, 1, 'use spaces'],
    ] as const) {
      const file = fileWith(content);
      expect(faultOf({ env: {}, file }))
        .to.match(new RegExp(`^The configuration file cannot be read: ${file}, line ${line}, column ${column}: `))
        .and.contain(reason);
    }
    for (const content of ['- a', 'text', '5'])
      expect(faultOf({ env: {}, file: fileWith(content) })).to.contain('must hold settings');
  });

  it('never repeats a secret that it refuses', () => {
    expect(faultOf({ env: { EDGE_ADMIN_PASSWORD: 'pw4', DATABASE_URL: 'mysql://user:hunter2@db/x' } })).not.to.match(
      /pw4|hunter2/,
    );
  });

  it('quotes nothing of a file that is not YAML, for it may be a secret', () => {
    for (const value of [
      '"hunter2',
      '"a\\hunter2"',
      '*hunter2',
      '!hunter2 x',
      '!<hunter2> x',
      '|hunter2',
      '[hunter2',
      '@hunter2',
      '`hunter2',
      'a: hunter2: b',
      '"a" hunter2',
      '"a"hunter2',
      '} hunter2',
      '&hunter2 *hunter2',
      '\n%hunter2',
    ])
      for (const content of [
        `admin:\n  password: ${value}\n`,
        `password: ${value}`,
        `%hunter2 ${value}\n---\na: ${value}`,
      ]) {
        const fault = faultOf({ env: {}, file: fileWith(content) });
        expect(fault, content).to.match(
          /^The configuration (file cannot be read: .+\.yml, line \d, column \d+: |has a)/,
        );
        expect(fault, content).not.to.contain('hunter2');
      }
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...'bcdefgh'.split('').map((name, i) => {
        const before = 'abcdefgh'[i] ?? '';
        return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`;
      }),
    ].join('\n');
    for (const content of [bomb, `a: ${'['.repeat(100_000)}`])
      expect(faultOf({ env: {}, file: fileWith(content) })).to.contain('nested too deeply, or has too many aliases');
  });

  it('does not tell the prototype of an object from a setting', () => {
    const fault = faultOf({ env: {}, file: fileWith('constructor: 5\n__proto__: { listen: x }\n') });
    expect(fault).to.contain('constructor in');
    expect(readConfig({ env: Object.create(null) as Record<string, string> }).listen).to.equal('127.0.0.1:1280');
  });

  it('is printed as a file that gives the same settings again, without its secrets', () => {
    const secret = new Set(keys.filter((key) => (SETTINGS[key] as { isSecret?: boolean }).isSecret === true));
    expect([...secret]).to.have.members([
      'databaseUrl',
      'databaseReplicas',
      'adminPassword',
      'masterKey',
      'oldMasterKeys',
      'metricsToken',
    ]);
    const env = Object.fromEntries(
      keys.filter((key) => !secret.has(key)).map((key) => [SETTINGS[key].env, SETTING_CASES[key].text]),
    );
    const config = readConfig({ env });
    expect(readConfig({ env: {}, file: fileWith(printConfig(config)) })).to.deep.equal(config);
    expect(readConfig({ env: {}, file: fileWith(printConfig(readConfig({ env: {} }))) })).to.deep.equal(
      readConfig({ env: {} }),
    );
  });
});
