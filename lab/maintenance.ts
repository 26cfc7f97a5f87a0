/**
 * What a whole network costs where all of it is touched: start, snapshot, restore, import, migration, the end of a
 * policy over everything, and the sweep of sessions that ended. Each in a process of its own, as an operator
 * runs it, with its time and its memory.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { clusterProcesses } from '../db/embedded/processes.js';
import { runningConnection } from '../db/embedded/supervisor.js';
import { ApiClient } from './bench/api-client.js';
import { endOf, launchController } from './controller-process.js';
import { CLIENT, MANAGEMENT } from './bench/world.js';
import { idOf, WITH_SESSION } from './explain/scale.js';

const USAGE = `Usage: npm run maintenance -- --data DIR [options]

Measures what touches a whole network: of the embedded database that \`npm run explain -- --data DIR\` has filled.

  --data DIR     its data directory; it is started, and backed up, and nothing in it is changed
  --import N     identities that the import brings (100000)
  --only NAMES   of start, lists, backup, restore, ends, import, sweep, migrate. lists: first pages, twenty times each.
                 restore needs backup; what follows it changes
                 the restored network, or a copy where nothing is restored. ends: what takes access, one identity's and
                 everybody's. migrate is alone: it brings DIR to the schema of this release, and leaves it there
  --keep         leave the changed copy
  -h, --help     show this text and exit
`;

const MAIN = fileURLToPath(new URL('../commands/main.js', import.meta.url));
const PASSWORD = 'not a secret here';
const LOOK_MS = 500;
const SWEEP_MS = 3_600_000;

interface Cost {
  readonly seconds: number;
  /** Peak of the process, and of what the servers of its database have for themselves. */
  readonly mib: number;
  readonly databaseMib: number;
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const show = (what: string, { seconds, mib, databaseMib }: Cost, more = ''): void => {
  const memory = [mib, databaseMib].map((each) => `${String(each).padStart(6)} MiB`).join(' ');
  say(`${what.padEnd(34)} ${seconds.toFixed(1).padStart(8)} s ${memory}  ${more}`);
};

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
const kib = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

/** Looks at a process and its database until it is told to stop. */
function watchMemory(pid: number, dataDir: string): () => Omit<Cost, 'seconds'> {
  let own = 0;
  let database = 0;
  const look = () => {
    own = Math.max(own, kib(read(`/proc/${pid}/status`), 'VmHWM'));
    const servers = clusterProcesses(join(dataDir, 'postgres'));
    database = Math.max(
      database,
      servers.reduce((sum, server) => sum + kib(read(`/proc/${server}/status`), 'RssAnon'), 0),
    );
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    return { mib: Math.round(own / 1024), databaseMib: Math.round(database / 1024) };
  };
}

/** Runs a command of the server to its end. @throws Error with what it said when it fails */
async function run(args: readonly string[], dataDir: string): Promise<Cost> {
  const since = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', EDGE_DATA_DIR: dataDir, EDGE_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-4_000);
    });
  const memory = watchMemory(child.pid ?? 0, dataDir);
  const code = await new Promise((done) => child.once('close', done));
  const cost = { seconds: (performance.now() - since) / 1000, ...memory() };
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${said}`);
  return cost;
}

/** Keeps unused sessions: otherwise the controller would sweep those of an older filling during the measurement. */
const NOTHING_ENDS = { EDGE_API_SESSION_TIMEOUT: '365d' };

/** Starts a controller, and stops it after `work`, which gets its pid. */
async function started<T>(
  dataDir: string,
  work: (startMs: number, pid: number, url: string) => Promise<T>,
  env: Readonly<Record<string, string>> = NOTHING_ENDS,
): Promise<T> {
  let child: ChildProcess | undefined;
  try {
    const running = await launchController({
      logFile: join(tmpdir(), `edge-maintenance-${process.pid}.log`),
      env: { EDGE_DATA_DIR: dataDir, EDGE_ADMIN_PASSWORD: PASSWORD, ...env },
      onChild: (begun) => {
        child = begun;
      },
    });
    return await work(running.startMs, running.child.pid ?? 0, running.url);
  } finally {
    if (child !== undefined) await endOf(child);
  }
}

async function start(dataDir: string, what: string): Promise<void> {
  await started(dataDir, async (startMs, pid) => {
    const memory = watchMemory(pid, dataDir);
    await delay(5_000);
    show(what, { seconds: startMs / 1000, ...memory() }, 'to the first answer; memory 5 s later');
  });
}

function importFile(dir: string, count: number): string {
  const file = join(dir, 'import.yaml');
  const siteOf = (index: number) => `import-site-${Math.floor(index / 25)}`;
  const identities = Array.from(
    { length: count },
    (_, index) => `  - { name: import-${index}, type: Device, isAdmin: false, roleAttributes: [${siteOf(index)}] }`,
  );
  writeFileSync(file, ['identities:', ...identities, ''].join('\n'));
  return file;
}

const TIMES = 20;

/** Pages of ten with their total. */
const LISTS: readonly (readonly [what: string, path: string, query: Readonly<Record<string, string>>])[] = [
  ['identities', 'identities', {}],
  ['by name', 'identities', { sort: 'name' }],
  ['at nine tenths', 'identities', { offset: 'deep' }],
  ['name contains, a thirteenth, sorted', 'identities', { filter: 'name contains "lyon" sort by name' }],
  ['name contains, one', 'identities', { filter: 'name contains "000123-haifa"' }],
  ['name icontains, one', 'identities', { filter: 'name icontains "000123-HAIFA"' }],
  ['name contains, 110, sorted', 'identities', { filter: 'name contains "07-haifa-laptop" sort by name' }],
  ['a role attribute of a twentieth', 'identities', { filter: 'anyOf(roleAttributes) = "bench-dept-3"' }],
  ['a role attribute of 25', 'identities', { filter: 'anyOf(roleAttributes) = "bench-site-7"' }],
  ['roleFilter, 25', 'identities', { roleFilter: '#bench-site-7' }],
  ['a tag of a thirteenth', 'identities', { filter: 'tags.town = "lyon"' }],
  ['type, all', 'identities', { filter: 'type = "Device"' }],
  ['of a policy, a twentieth', `service-policies/${idOf('policy', 3)}/identities`, {}],
  ['of a service, a twentieth', `services/${idOf('service', 3)}/identities`, {}],
  ['role attributes', 'identity-role-attributes', {}],
  ['services', 'services', {}],
  ['authenticators', 'authenticators', {}],
  ['enrollments', 'enrollments', {}],
  ['API sessions', 'api-sessions', {}],
  ['sessions', 'sessions', {}],
];

async function lists(dataDir: string): Promise<void> {
  await started(dataDir, async (_, pid, url) => {
    const admin = await new ApiClient(url).loginToManage('admin', PASSWORD);
    const totalOf = async (path: string) => (await admin.send('GET', path)).meta.pagination?.totalCount ?? 0;
    const all = await totalOf(`${MANAGEMENT}/identities?limit=1`);
    for (const [what, path, { offset, ...query }] of LISTS) {
      const asked = {
        limit: '10',
        ...query,
        ...(offset === undefined ? {} : { offset: String(Math.floor(0.9 * all)) }),
      };
      const full = `${MANAGEMENT}/${path}?${new URLSearchParams(asked).toString()}`;
      const times: number[] = [];
      let total: number | undefined;
      for (let time = 0; time < TIMES; time += 1) {
        const since = performance.now();
        const { status, meta } = await admin.send('GET', full);
        if (status !== 200) throw new Error(`GET ${full} answered ${String(status)}`);
        times.push(performance.now() - since);
        total = meta.pagination?.totalCount;
      }
      const [first = 0] = times;
      times.sort((a, b) => a - b);
      const [median, longest] = [times[TIMES / 2] ?? 0, times.at(-1) ?? 0].map((ms) => ms.toFixed(1).padStart(8));
      say(`${what.padEnd(36)} ${median} ms, at first ${first.toFixed(1)}, at most ${longest?.trim()}, of ${total}`);
    }
    say(`${''.padEnd(36)} the controller has ${Math.round(kib(read(`/proc/${pid}/status`), 'VmRSS') / 1024)} MiB`);
    admin.close();
  });
}

/** Identity that loses its access. */
const ONE = 1_000;

/** Sessions whose policies have to be asked again. */
async function unchecked(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ left: string }>(
    `SELECT (SELECT count(*) FROM sessions
        WHERE granted_epoch < (SELECT for_all FROM model_epochs WHERE name = 'grants'))
      + (SELECT count(*) FROM narrowed_services n JOIN sessions t ON t.service_id = n.service_id
        WHERE NOT n.is_swept AND t.granted_epoch < n.epoch) AS left`,
  );
  return Number(rows[0]?.left);
}

/** Ends of access while a controller runs: of one identity, of who has a policy over one service, and over all. */
async function ends(dataDir: string): Promise<void> {
  await started(dataDir, async (_, pid, url) => {
    const database = new pg.Client({ ...runningConnection(dataDir), ssl: false });
    await database.connect();
    const admin = await new ApiClient(url).loginToManage('admin', PASSWORD);
    const timed = async (what: string, work: () => Promise<string>) => {
      const memory = watchMemory(pid, dataDir);
      const since = performance.now();
      const more = await work();
      const seconds = (performance.now() - since) / 1000;
      show(what, { seconds, ...memory() }, `${(seconds * 1_000).toFixed(0)} ms; ${more}`);
    };
    for (const kind of ['api-sessions', 'sessions'])
      await timed(`list of ten ${kind}`, async () => {
        const { meta } = await admin.send('GET', `${MANAGEMENT}/${kind}?limit=10`);
        return `of ${String(meta.pagination?.totalCount)}`;
      });
    const token = `api-session-${ONE / WITH_SESSION}`;
    const statusOf = async () => (await admin.send('GET', `${CLIENT}/current-api-session`, undefined, token)).status;
    const before = await statusOf();
    await timed('one identity disabled', async () => {
      await admin.call('POST', `${MANAGEMENT}/identities/${idOf('identity', ONE)}/disable`, { durationMinutes: 0 });
      return `its session: ${String(before)}, then ${String(await statusOf())}`;
    });
    for (const [over, serviceRole] of [
      ['one service', `@${idOf('service', 1)}`],
      ['everything', '#all'],
    ]) {
      const draft = { name: `over ${over}`, type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'] };
      const policy = await admin.create(`${MANAGEMENT}/service-policies`, { ...draft, serviceRoles: [serviceRole] });
      await timed(`policy over ${over} deleted`, async () => {
        await admin.call('DELETE', `${MANAGEMENT}/service-policies/${policy}`);
        return 'until the answer';
      });
      await timed('and its sessions checked', async () => {
        const count = await unchecked(database);
        const deadline = performance.now() + SWEEP_MS;
        while ((await unchecked(database)) > 0 && performance.now() < deadline) await delay(LOOK_MS);
        return `of ${count}, ${await unchecked(database)} left`;
      });
    }
    admin.close();
    await database.end();
  });
}

async function sweep(dataDir: string): Promise<void> {
  await started(
    dataDir,
    async (_, pid) => {
      const client = new pg.Client({ ...runningConnection(dataDir), ssl: false });
      await client.connect();
      const count = async () => {
        const { rows } = await client.query<{ api: string; sessions: string }>(
          'SELECT (SELECT count(*) FROM api_sessions) AS api, (SELECT count(*) FROM sessions) AS sessions',
        );
        return { api: Number(rows[0]?.api), sessions: Number(rows[0]?.sessions) };
      };
      await client.query(
        "UPDATE api_sessions SET last_activity_at = now() - interval '1 day' WHERE expires_at IS NULL",
      );
      const before = await count();
      const memory = watchMemory(pid, dataDir);
      const since = performance.now();
      let left = before;
      while (left.api > 0 && performance.now() - since < SWEEP_MS) {
        await delay(1_000);
        left = await count();
      }
      await client.end();
      show(
        'sweep',
        { seconds: (performance.now() - since) / 1000, ...memory() },
        `of ${JSON.stringify(before)}, ${JSON.stringify(left)} left`,
      );
    },
    {},
  );
}

/** Parts that change a network. */
const CHANGING = ['ends', 'import', 'sweep'];

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: 'string' },
      import: { type: 'string', default: '100000' },
      only: { type: 'string', default: 'start,lists,backup,restore,ends,import,sweep' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true || values.data === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  const dataDir = resolve(values.data);
  const wanted = new Set(values.only.split(','));
  const dir = mkdtempSync(join(tmpdir(), 'edge-maintenance-'));
  const copy = join(dir, 'data');
  const snapshot = join(dir, 'edge.snapshot.gz');
  say(`${''.padEnd(34)} ${'time'.padStart(10)} ${'process'.padStart(10)} ${'database'.padStart(10)}`);
  try {
    if (wanted.has('migrate')) show('migration', await run(['migrate'], dataDir));
    if (wanted.has('start')) {
      await start(dataDir, 'start, the first on these data');
      await start(dataDir, 'start');
    }
    if (wanted.has('lists')) await lists(dataDir);
    if (wanted.has('backup')) {
      const cost = await run(['backup', snapshot], dataDir);
      show('snapshot', cost, `${Math.round(statSync(snapshot).size / 1024 ** 2)} MiB`);
    }
    if (wanted.has('restore')) {
      mkdirSync(copy, { mode: 0o700 });
      copyFileSync(join(dataDir, 'master.key'), join(copy, 'master.key'));
      show('restore', await run(['restore', snapshot], copy));
      await start(copy, 'start after the restore');
    }
    if (!wanted.has('restore') && CHANGING.some((part) => wanted.has(part)))
      cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true });
    if (wanted.has('ends')) await ends(copy);
    if (wanted.has('import'))
      show(`import of ${values.import}`, await run(['import', importFile(dir, Number(values.import))], copy));
    if (wanted.has('sweep')) await sweep(copy);
  } finally {
    if (values.keep) say(`kept: ${dir}`);
    else rmSync(dir, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`maintenance: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  });
}
