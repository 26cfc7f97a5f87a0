/**
 * deploy/kubernetes and deploy/helm: each file is read by what it is for, as far as that can be had. docs/deploy.md
 * says what no machine here can try.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../server/settings/config.js';
import { ProcessShop } from '../support/process.js';
import { itUnless } from '../support/unless.js';
import { chart, lackOf, programAt, root, run, textOf } from './deploy-files.js';

const helm = programAt('HELM', 'helm');
/** A helm that was built from source takes itself for one of an old Kubernetes. */
const TEMPLATE = ['template', '--kube-version', '1.30.0'];

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
