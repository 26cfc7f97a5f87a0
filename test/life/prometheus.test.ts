/**
 * deploy/prometheus and deploy/grafana against a real Prometheus that reads a real controller: what they name exists,
 * and what they ask is understood.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { startLogged } from '../api/server-support.js';
import type { LoggedController } from '../api/server-support.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { expectStatus } from '../support/client.js';
import { askMetrics } from '../support/metrics.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { NO_PROMETHEUS, PROMTOOL, startPrometheus } from '../support/prometheus.js';
import type { Prometheus } from '../support/prometheus.js';
import { describeUnless } from '../support/unless.js';

const run = promisify(execFile);
const deploy = fileURLToPath(new URL('../../../deploy', import.meta.url));
const RULES = join(deploy, 'prometheus/edge-controller.rules.yml');
const EXAMPLE = join(deploy, 'prometheus/prometheus.example.yml');
const TOKEN = 'a-token-for-this-prometheus';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { alert: string; expr: string; annotations: Readonly<Record<string, string>> }[];
  }[];
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly description?: string;
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets?: readonly { expr: string; refId: string }[];
}
interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { name: string; query: unknown }[] };
}

const alerts = (parse(readFileSync(RULES, 'utf8')) as Rules).groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(readFileSync(join(deploy, 'grafana/edge-controller.json'), 'utf8')) as Dashboard;
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
/** As Grafana fills in its variables. */
const filled = (expr: string) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
const asked = [
  ...alerts.map(({ alert, expr }) => ({ what: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ what: title, expr: filled(expr) }))),
];
const namesIn = (expr: string) => [
  ...new Set([...expr.replaceAll(/"[^"]*"/g, '').matchAll(/\b(?:edge|process|nodejs)_\w+\b/g)].map(([name]) => name)),
];

describe('the dashboard', () => {
  it('shows something in every panel, each in a place of its own', () => {
    expect(panels).to.have.length.greaterThan(30);
    for (const { title, targets = [] } of panels) expect(targets, title).not.to.have.length(0);
    for (const { title, description = '' } of panels) expect(description, title).to.match(/^[A-Z0-9].{20,}[.?]$/);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).to.equal(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).to.equal(24);
  });

  it('names only variables that it has', () => {
    const variables = new Set(dashboard.templating.list.map(({ name }) => name));
    const named = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !variables.has(name) && !name.startsWith('__'))).to.deep.equal([]);
  });
});

describeUnless(NO_PROMETHEUS, 'Prometheus', function prometheus() {
  this.timeout(300_000);
  const place = mkdtempSync(join(tmpdir(), 'edge-prometheus-'));
  let database: TestDatabase;
  let controller: LoggedController;
  let running: Prometheus;
  let config: string;
  let address: string;

  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, { EDGE_METRICS_LISTEN: '127.0.0.1:0', EDGE_METRICS_TOKEN: TOKEN });
    const admin = await controller.login();
    expectStatus(await admin.get(`${M}/identities`), 200);
    address = String(controller.log.find(({ msg }) => msg === 'metrics are served')?.['address']);
    writeFileSync(join(place, 'token'), TOKEN);
    writeFileSync(join(place, 'ca.pem'), await rootOf(controller.url));
    writeFileSync(join(place, 'edge-controller.rules.yml'), readFileSync(RULES));
    const text = readFileSync(EXAMPLE, 'utf8')
      .replaceAll('15s', '2s')
      .replace('/etc/prometheus/edge-ca.pem', join(place, 'ca.pem'))
      .replace('/etc/prometheus/edge-metrics-token', join(place, 'token'))
      .replace('ctrl1.example.com:9464', address)
      .replace(/\n.*ctrl2.example.com:9464/, '');
    config = join(place, 'prometheus.yml');
    writeFileSync(config, text);
    running = await startPrometheus(config, place);
  });
  after(async () => {
    await running.stop();
    await controller.stop();
    await database.close();
    rmSync(place, { recursive: true, force: true });
  });

  const query = async (expr: string) =>
    (
      await running.ask<{ result: { metric: Record<string, string>; value: [number, string] }[] }>('query', {
        query: expr,
      })
    ).result;

  it('takes the example of its configuration, and the rules', async () => {
    expect((await run(PROMTOOL, ['check', 'config', config])).stdout).to.match(/SUCCESS/);
    expect((await run(PROMTOOL, ['check', 'rules', RULES])).stdout).to.include(`${alerts.length} rules found`);
  });

  it('fires each alert when it should, and none for a controller that is well', async () => {
    const file = join(deploy, 'prometheus/edge-controller.rules.test.yml');
    expect((await run(PROMTOOL, ['test', 'rules', file])).stdout).to.include('SUCCESS');
    const tested = readFileSync(file, 'utf8');
    for (const { alert } of alerts) expect(tested, alert).to.include(`alertname="${alert}"`);
  });

  it('has nothing against the names and kinds of our metrics', async () => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const { text } = await askMetrics(`https://${address}/metrics`, { headers });
    const ours = text
      .split('\n')
      .filter((line) => /^(# \w+ )?edge_/.test(line))
      .join('\n');
    const child = run(PROMTOOL, ['check', 'metrics']);
    child.child.stdin?.end(`${ours}\n`);
    expect(await child).to.deep.equal({ stdout: '', stderr: '' });
  });

  it('reads the controller by the example', async () => {
    await until('it was read', async () => (await query('up == 1')).length === 1, 30_000);
    await until(
      'it was read twice',
      async () => (await query('count_over_time(edge_ready[5m]) > 1')).length === 1,
      30_000,
    );
    const build = await until('it is known', async () => (await query('edge_build_info'))[0], 30_000);
    expect(build.metric).to.include({ job: 'edge-controller', instance: address });
  });

  it('has every metric that an alert or a panel names', async () => {
    // A reading that takes too long, on a busy machine, leaves nothing known for a moment.
    for (const name of new Set(asked.flatMap(({ expr }) => namesIn(expr))))
      await until(`there is ${name}`, async () => (await query(`count({__name__="${name}"})`)).length > 0, 30_000);
  });

  it('understands every alert and every panel, and each panel shows something', async () => {
    for (const { alert, expr } of alerts) expect(await query(expr), alert).to.be.an('array');
    // Shares of nothing are no number, and the best of none are none.
    const mayBeEmpty = ['Failing operations'];
    for (const { title, targets = [] } of panels)
      for (const { expr } of targets)
        if (!mayBeEmpty.includes(title))
          await until(`${title}: ${expr}`, async () => (await query(filled(expr))).length > 0, 30_000);
  });

  it('runs the rules, and none fires for a controller that has just started', async () => {
    interface Loaded {
      groups: { rules: { name: string; health: string; state: string; lastError?: string }[] }[];
    }
    const loaded = async () => (await running.ask<Loaded>('rules')).groups.flatMap(({ rules }) => rules);
    await until('all were run', async () => (await loaded()).every(({ health }) => health === 'ok'), 30_000);
    const rules = await loaded();
    expect(rules.map(({ name }) => name)).to.deep.equal(alerts.map(({ alert }) => alert));
    expect(rules.filter(({ state }) => state === 'firing').map(({ name }) => name)).to.deep.equal([]);
  });
});

/** The root of the network, as the page has it: of what the controller publishes. */
function rootOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request(`${url}/.well-known/est/cacerts`, { rejectUnauthorized: false, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const child = execFile(
          'openssl',
          ['pkcs7', '-inform', 'DER', '-print_certs'],
          { encoding: 'utf8' },
          (error, stdout) => {
            if (error === null) resolve(stdout);
            else reject(new Error(error.message));
          },
        );
        child.stdin?.end(Buffer.from(text, 'base64'));
      });
    })
      .on('error', reject)
      .end();
  });
}
