/**
 * docs/operations: the commands of the pages are run, and the configurations are given to the programs that they are
 * for.
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parseConnectionUrl } from '../../db/postgres/connection-url.js';
import { ServerClient, serversOf } from '../../db/postgres/servers.js';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { ADMIN } from '../support/controller.js';
import { blockOf, folder, names, rowsOf, textOf } from '../support/operations-pages.js';
import { blocksOf, openShell, placeShim, withoutNews } from '../support/page.js';
import type { Block, Shell } from '../support/page.js';
import { until } from '../support/poll.js';
import { startCollector } from '../support/collector.js';
import type { Collector } from '../support/collector.js';
import { NO_PROMETHEUS, PROMTOOL } from '../support/prometheus.js';
import { addressAt, freePort } from '../support/ports.js';
import { itUnless } from '../support/unless.js';
import { IS_ROOT, ProcessShop, nobody } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { MANAGEMENT } from '../support/paths.js';
import { startSystemPostgres, systemBinaries } from './system-postgres.js';
import type { SystemPostgres } from './system-postgres.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

async function endProcess(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await until('the process ends', () => child.exitCode !== null || child.signalCode !== null);
}

/** The status that a client at that address gets for a small request on a new connection. */
function statusFrom(localAddress: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const path = `${MANAGEMENT}/version`;
    const options = { host: '127.0.0.1', port, path, localAddress, rejectUnauthorized: false, agent: false };
    request(options, (response) => {
      resolve(response.resume().statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('the commands of docs/operations', function commands() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  const key = newMasterKey();
  const ended: (() => Promise<void>)[] = [];
  const outputs = new Map<string, string>();
  let home: string;
  let server: SystemPostgres;
  let embedded: ControllerProcess;
  let embeddedPort: number;
  let metricsPort: number;
  let collector: Collector;
  let shell: Shell;
  const urlOf = (database: string, port = server.port) =>
    `postgresql://edge:p%40ss%2Fw%3Ard@127.0.0.1:${port}/${database}`;

  /** Settings that hold once a page has made a file. */
  const ofFile = (name: string, settings: (file: string) => Readonly<Record<string, string>>) => {
    const file = join(home, name);
    return existsSync(file) ? settings(file) : {};
  };
  const startEmbedded = async () => {
    embedded = shop.start(join(home, 'data'), {
      env: {
        ...addressAt(embeddedPort),
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        ...ofFile('edge-metrics-token', (file) => ({
          EDGE_METRICS_LISTEN: `0.0.0.0:${metricsPort}`,
          EDGE_METRICS_TOKEN_FILE: file,
        })),
        ...ofFile('edge-traces-headers', (file) => ({
          EDGE_TRACES_ENDPOINT: collector.url,
          EDGE_TRACES_HEADERS_FILE: file,
        })),
      },
    });
    await embedded.ready();
  };
  const startOn = (url: string, more: Readonly<Record<string, string>> = {}) =>
    shop.start(join(shop.place(), 'data'), {
      env: { DATABASE_URL: url, EDGE_MASTER_KEY: key, EDGE_ADMIN_PASSWORD: ADMIN.password, ...more },
    });
  before(async () => {
    server = await startSystemPostgres(systemBinaries(), 'C.UTF-8');
    home = shop.place();
    symlinkSync(join(root, 'deploy'), join(home, 'deploy'));
    embeddedPort = await freePort();
    metricsPort = await freePort();
    collector = await startCollector();
    await startEmbedded();
    const place = join(home, 'blocks');
    mkdirSync(place);
    const PATH = [placeShim(place), systemBinaries().directory, dirname(PROMTOOL), process.env['PATH'] ?? ''].join(':');
    shell = openShell({
      cwd: home,
      place,
      env: {
        PATH,
        EDGE_URL: `https://localhost:${embeddedPort}`,
        METRICS_URL: `https://localhost:${metricsPort}/metrics`,
        DATABASE_URL: urlOf('edge'),
        RESTORED_URL: urlOf('restored'),
        SUPERUSER: `postgresql://operator:p%40ss%2Fw%3Ard@127.0.0.1:${server.port}/`,
      },
    });
  });
  after(async () => {
    await shell.close();
    for (const end of ended) await end();
    await shop.end();
    collector.close();
    await server.stop();
  });

  const runBlock = async ({ language, notes, text }: Block): Promise<string> => {
    if (language === 'sql') {
      const psql = `psql -qX -v ON_ERROR_STOP=1 "\${SUPERUSER}${notes[0] ?? 'postgres'}"`;
      return (await shell.run(`${psql} <<'END'\n${text}\nEND`)).stdout;
    }
    if (notes.includes('elsewhere')) {
      await run('/bin/sh', ['-nc', text]);
      return '';
    }
    if (notes.includes('stopped')) await embedded.stop();
    const { stdout, stderr } = await shell.run(text);
    if (notes.includes('stopped')) await startEmbedded();
    expect(withoutNews(stderr)).to.equal('');
    return stdout;
  };
  const pagesRun = new Set<string>();
  const runPage = (name: string) => {
    pagesRun.add(name);
    for (const block of blocksOf(join(folder, name)).filter(({ language }) => ['sh', 'sql'].includes(language))) {
      const hindrance = block.notes.includes('promtool') ? NO_PROMETHEUS : undefined;
      itUnless(hindrance, `${name}, line ${block.line}`, async () => {
        outputs.set(name, `${outputs.get(name) ?? ''}${await runBlock(block)}`);
      });
    }
  };

  const writeBlock = (name: string, language: string): string => {
    const file = join(home, `${name}.${language}`);
    writeFileSync(file, blockOf(name, language));
    return file;
  };

  runPage('running.md');
  it('make a master key', () => {
    expect(Buffer.from(readFileSync(join(home, 'master.key'), 'utf8'), 'base64')).to.have.length(32);
  });

  runPage('database.md');
  it('encode a password', () => {
    expect(outputs.get('database.md')).to.equal('p%40ss%2Fw%3Ard\n');
  });

  it('lead to a database in each form of DATABASE_URL', async () => {
    const [{ unix_socket_directories: socket } = {}] = await server.query('SHOW unix_socket_directories');
    const forms = rowsOf('database.md').filter(([, url = '']) => url.startsWith('`postgresql:'));
    expect(forms).to.have.length(7);
    const near = `127.0.0.1:${server.port}`;
    for (const [what = '', form = ''] of forms.filter(([name = '']) => !/left out|IPv6|TLS/.test(name))) {
      const here = form
        .slice(1, -1)
        .replace('db2.example.com:5432', `127.0.0.1:${await freePort()}`)
        .replace('db1.example.com:5432', near)
        .replace('5432', String(server.port))
        .replace('%2Fvar%2Frun%2Fpostgresql', encodeURIComponent(String(socket)))
        .replace('/var/run/postgresql', String(socket));
      const config = serversOf(parseConnectionUrl(here));
      await config.servers?.find(5_000);
      const client = new ServerClient(config);
      await client.connect();
      const { rows } = await client.query('SELECT current_user AS user, current_database() AS database');
      await client.end();
      expect(rows, what).to.deep.equal([{ user: 'edge', database: 'edge' }]);
    }
  });

  it('a controller opens as many connections as the table says', async () => {
    const rows = rowsOf('database.md')
      .map((cells) => cells.map(parseFloat))
      .filter(([pool = NaN]) => pool > 0);
    for (const [pool = 0, ...wanted] of rows) {
      expect(wanted, `pool of ${pool}`).to.deep.equal([1, 2, 4, 8].map((workers) => workers * (pool + 6)));
    }
    expect(rows).to.have.length(4);
    const controller = startOn(urlOf('edge'));
    await controller.ready();
    expect(controller.log().find(({ wanted }) => wanted !== undefined)?.['wanted']).to.equal(26);
    await controller.stop();
  });

  it('through PgBouncer with the settings of the page', async () => {
    const port = await freePort();
    const [place, owner] = [shop.place(), IS_ROOT ? nobody() : undefined];
    const [users, ini] = [join(place, 'userlist.txt'), join(place, 'pgbouncer.ini')];
    writeFileSync(users, '"edge" "p@ss/w:rd"\n');
    const settings = blockOf('poolers.md', 'ini')
      .replace('port=5432', `port=${server.port}`)
      .replace('6432', String(port))
      .replace('/etc/pgbouncer/userlist.txt', users)
      .replace('/var/run/postgresql', '');
    writeFileSync(ini, settings);
    await run('chmod', ['-R', 'a+rX', place]);
    const pooler = spawn('/usr/sbin/pgbouncer', ['-q', ini], { stdio: 'ignore', ...owner });
    ended.push(() => endProcess(pooler));
    const controller = startOn(urlOf('edge', port), { EDGE_NAME: 'pooled' });
    await shop.login(await controller.ready());
    const warnings = controller.log().filter(({ level, outage }) => level !== 'info' && outage !== 'unreachable');
    expect(warnings).to.deep.equal([]);
    await controller.stop();
  });

  runPage('several-controllers.md');
  it('haproxy passes TLS and addresses of clients through', async () => {
    const [bind, one, two] = [await freePort(), await freePort(), await freePort()];
    const controller = startOn(urlOf('edge'), {
      EDGE_LISTEN: `127.0.0.1:${one}`,
      EDGE_ADVERTISE: `ctrl.example.com:${bind}`,
      EDGE_PROXY_PROTOCOL_FROM: '127.0.0.1',
      EDGE_LOG_REQUESTS: 'all',
    });
    await until('it is ready', () => controller.log().some(({ msg }) => msg === 'controller is ready'), 30_000);
    const file = join(home, 'haproxy.cfg');
    const ca = join(home, 'balanced-ca.pem');
    const settings = blockOf('several-controllers.md', 'haproxy')
      .replace('bind :1280', `bind 127.0.0.1:${bind}`)
      .replace('10.0.0.21:1280', `127.0.0.1:${one}`)
      .replace('10.0.0.22:1280', `127.0.0.1:${two}`)
      .replace('/etc/haproxy/edge-ca.pem', ca);
    writeFileSync(file, settings);
    const [row] = await server.query("SELECT cert_pem FROM pki_entities WHERE purpose = 'root'", 'edge');
    writeFileSync(ca, String(row?.['cert_pem']));
    await run('haproxy', ['-c', '-f', file]);
    const haproxy = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    ended.push(() => endProcess(haproxy));
    // The second server is not there: new connections must not meet it, however soon they come.
    const ask = () => statusFrom('127.0.0.2', bind).catch(() => 0);
    await until('it answers through haproxy', async () => (await ask()) === 200, 20_000);
    expect(await Promise.all(Array.from({ length: 10 }, ask))).to.deep.equal(Array.from({ length: 10 }, () => 200));
    const lines = controller.log().filter(({ msg }) => msg === 'request');
    expect(new Set(lines.map(({ address }) => address))).to.deep.equal(new Set(['127.0.0.2']));
    await controller.stop();
  });
  runPage('upgrades.md');
  it('say which releases can work with the schema', () => {
    expect(outputs.get('upgrades.md')).to.match(/Works with every release that knows the migration \d{4}-/);
  });

  runPage('console.md');
  it('set what is a setting', async () => {
    const { stdout } = await shell.run('printf %s "$EDGE_SPA"');
    expect(readConfig({ env: { EDGE_SPA: stdout } }).spa).to.deep.equal(
      readConfig({ env: {}, file: writeBlock('console.md', 'yaml') }).spa,
    );
  });

  runPage('health-and-logs.md');
  it('are answered by a healthy controller', () => {
    const lines = (outputs.get('health-and-logs.md') ?? '').trim().split('\n');
    const [live, ready, checks] = lines.map((line) => JSON.parse(line) as unknown);
    expect([live, ready]).to.deep.equal([{ status: 'ok' }, { status: 'ok' }]);
    const ids = (checks as { data: { checks: { id: string }[] } }).data.checks.map(({ id }) => id);
    const rows = rowsOf('health-and-logs.md').filter(([, , readyz = '']) => /^(200|503)$/.test(readyz));
    expect(rows.map(([id]) => id)).to.deep.equal(ids.map((id) => `\`${id}\``));
  });

  runPage('metrics.md');
  it('read metrics of a controller that is ready', () => {
    expect(outputs.get('metrics.md')).to.match(/^edge_ready 1\n/);
  });
  it('have every alert in the table, and a setting as its examples say', () => {
    const rules = readFileSync(join(root, 'deploy/prometheus/edge-controller.rules.yml'), 'utf8');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const told = [...textOf('metrics.md').matchAll(/`(Edge[A-Z]\w+)`/g)].map(([, name]) => name);
    expect(told).to.have.members(alerts);
    for (const page of ['metrics.md', 'traces.md']) {
      const file = join(home, `${page}.yml`);
      writeFileSync(file, blockOf(page, 'yaml'));
      readConfig({ file, env: {} });
    }
  });

  runPage('traces.md');
  it('trace a request', async () => {
    const trace = (await shell.run('echo "$TRACE"')).stdout.trim();
    await until('the span', () => collector.spans.some(({ traceId }) => traceId === trace), 20_000);
    expect(collector.headers()?.authorization).to.match(/^Bearer \w{48}$/);
  });

  it('log in for a snapshot', async () => {
    const { token = '' } = await shop.login(`https://localhost:${embeddedPort}`);
    await shell.run(`TOKEN='${token}' EDGE_URL='https://localhost:${embeddedPort}'`);
  });
  runPage('routers.md');
  it('show this controller, and that there is no router', () => {
    const [controllers, routers, check] = (outputs.get('routers.md') ?? '')
      .split(/\n|(?<=\})(?=\{)/)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { readonly data: readonly unknown[] });
    expect(controllers?.data).to.have.length(1);
    expect(routers?.data).to.deep.equal([]);
    expect(check).to.deep.equal({ errors: null, success: true, values: null });
  });
  runPage('audit.md');
  it('ask for refused logins', () => {
    const { data } = JSON.parse(outputs.get('audit.md') ?? '{}') as { data?: { kind: string }[] };
    expect(data?.filter(({ kind }) => kind !== 'login.failed')).to.deep.equal([]);
  });
  runPage('backup.md');
  it('restore a snapshot to a network that starts', async () => {
    expect(outputs.get('backup.md')).to.match(/^{"data":{},.*\n(?:{.*\n)*The network of \S+ is restored/);
    const restored = shop.start(join(home, 'data-restored'));
    await shop.login(await restored.ready());
    await restored.stop();
  });
  it('lead to a network that starts, and to the same data directory', async () => {
    const restored = startOn(urlOf('restored'), { EDGE_NAME: 'restored' });
    await shop.login(await restored.ready());
    await restored.stop();
    expect(existsSync(join(home, 'data-damaged/postgres'))).to.equal(true);
    await shop.login(`https://localhost:${embeddedPort}`);
  });

  let runningSession = '';
  it('find an administrator who is logged in', async () => {
    runningSession = (await shop.login(`https://localhost:${embeddedPort}`)).token ?? '';
    await shell.run(`TOKEN='${runningSession}'; unset DATABASE_URL`);
  });
  runPage('troubles.md');
  it('set the password of the default administrator and end its sessions', async () => {
    const url = `https://localhost:${embeddedPort}`;
    expect(outputs.get('troubles.md')).to.match(
      /^{"data":{},.*\n{"data":{"endTime":.*\nThe password of Default Admin is set[^]*Default Admin can log in \(/,
    );
    const [, password = ''] = /^ {2}password {2}(\S+)$/m.exec(outputs.get('troubles.md') ?? '') ?? [];
    const old = await shop.client(url).post(`${MANAGEMENT}/authenticate?method=password`, ADMIN);
    expect(old.status).to.equal(403);
    await shop.login(url, password);
    const before = shop.client(url, runningSession);
    expect((await before.get(`${MANAGEMENT}/identities`)).status).to.equal(401);
  });

  it('are all run, here or by a suite of their own', () => {
    const own = ['command-line.md', 'events.md', 'failover.md', 'network-files.md'];
    const withCommands = names.filter((name) =>
      blocksOf(join(folder, name)).some(({ language }) => ['sh', 'sql'].includes(language)),
    );
    expect([...pagesRun, ...own].sort()).to.deep.equal(withCommands.sort());
  });
});
