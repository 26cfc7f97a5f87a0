/**
 * What further controllers on one database cost: CPU of a request at the controller that answers it, at each of the
 * others, which hear of changes, and in PostgreSQL. One to four controllers, each in a process of its own.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { clusterProcesses } from '../db/embedded/processes.js';
import { ApiClient, PARALLEL, forEachParallel } from './bench/api-client.js';
import { cpuSeconds } from './bench/routers/processes.js';
import { MANAGEMENT } from './bench/world.js';
import { onStage, runScript, stopwatch } from './drill/run.js';
import { SharingControllers } from './sharing-controllers.js';
import { PostgresServers } from '../test/support/postgres-servers.js';
import type { Stage } from '../test/support/stage.js';

const USAGE = `Usage: npm run bench:controllers -- [options]

Starts a PostgreSQL and more and more controllers on it, and sends requests to the first of them: what each request
costs that one, the others and PostgreSQL, in milliseconds of CPU. Ends everything that it started.

  --controllers N,N  how many, one after the other (1,2,4)
  --identities N     there are (2000)
  --times N          requests of each kind (2000)
  -h, --help         show this text and exit
`;
const DEADLINE_MS = 900_000;
/** Until the others have heard of the last change. */
const SETTLE_MS = 2_000;

interface Case {
  readonly name: string;
  readonly send: (admin: ApiClient, index: number) => Promise<unknown>;
}

interface Running {
  readonly pids: number[];
  readonly admin: ApiClient;
}

class Controllers {
  readonly #pids: number[] = [];
  #admin: ApiClient | undefined;

  constructor(private readonly sharing: SharingControllers) {}

  async grow(count: number): Promise<Running> {
    const { username, password } = this.sharing.credentials;
    while (this.#pids.length < count) {
      const { url, child } = await this.sharing.start(`many-${this.#pids.length}`);
      this.#pids.push(child.pid ?? 0);
      this.#admin ??= await new ApiClient(url).loginToManage(username, password);
    }
    if (this.#admin === undefined) throw new Error('no controller was asked for');
    return { pids: this.#pids, admin: this.#admin };
  }
}

function casesOf(ids: readonly string[], policies: readonly string[]): Case[] {
  const at = (list: readonly string[], index: number) => list[index % list.length] ?? '';
  return [
    { name: 'identity by id', send: (admin, index) => admin.call('GET', `${MANAGEMENT}/identities/${at(ids, index)}`) },
    {
      name: 'identity patched',
      send: (admin, index) =>
        admin.call('PATCH', `${MANAGEMENT}/identities/${at(ids, index)}`, { tags: { floor: String(index) } }),
    },
    {
      name: 'identity created',
      send: (admin, index) =>
        admin.create(`${MANAGEMENT}/identities`, {
          name: `made-${ids.length}-${index}-${randomBytes(4).toString('hex')}`,
          type: 'Device',
          isAdmin: false,
        }),
    },
    {
      name: 'service policy patched',
      send: (admin, index) =>
        admin.call('PATCH', `${MANAGEMENT}/service-policies/${at(policies, index)}`, {
          identityRoles: [`#group-${index % 50}`],
        }),
    },
  ];
}

async function seed(admin: ApiClient, identities: number) {
  const made = async (path: string, count: number, body: (index: number) => object) => {
    const ids: string[] = [];
    await forEachParallel(
      Array.from({ length: count }, (_, index) => index),
      async (index) => {
        ids.push(await admin.create(`${MANAGEMENT}/${path}`, body(index)));
      },
    );
    return ids;
  };
  const ids = await made('identities', identities, (index) => ({
    name: `many-${index}`,
    type: 'Device',
    isAdmin: false,
    roleAttributes: [`group-${index % 50}`],
  }));
  const policies = await made('service-policies', PARALLEL, (index) => ({
    name: `many-${index}`,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`#group-${index}`],
    serviceRoles: ['#all'],
  }));
  return { ids, policies };
}

async function measure(stage: Stage, counts: readonly number[], identities: number, times: number): Promise<void> {
  const say = stopwatch();
  say('starting PostgreSQL and a controller');
  const server = await new PostgresServers(stage).primary({ fsync: 'on', max_connections: '300' });
  const controllers = new Controllers(new SharingControllers(stage, server.url));
  const { admin: first } = await controllers.grow(1);
  const { ids, policies } = await seed(first, identities);
  const databaseCpu = () => clusterProcesses(server.dataDir).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  process.stdout.write(`${'CPU of a request, ms'.padEnd(26)}controllers   answering  each other  PostgreSQL\n`);
  for (const count of counts) {
    const { pids, admin } = await controllers.grow(count);
    for (const { name, send } of casesOf(ids, policies)) {
      const run = (amount: number) =>
        forEachParallel(
          Array.from({ length: amount }, (_, index) => index),
          async (index) => {
            await send(admin, index);
          },
        );
      say(`${name}, ${count} controllers`);
      await run(Math.ceil(times / 5));
      await delay(SETTLE_MS);
      const before = { own: pids.map(cpuSeconds), database: databaseCpu() };
      await run(times);
      await delay(SETTLE_MS);
      const [own = 0, ...others] = pids.map((pid, index) => cpuSeconds(pid) - (before.own[index] ?? 0));
      const each = others.length === 0 ? 0 : others.reduce((sum, cpu) => sum + cpu, 0) / others.length;
      const cells = [own, each, databaseCpu() - before.database].map((cpu) => ((cpu * 1_000) / times).toFixed(3));
      process.stdout.write(
        `${name.padEnd(26)}${String(count).padStart(11)}${cells.map((cell) => cell.padStart(12)).join('')}\n`,
      );
    }
  }
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      controllers: { type: 'string', default: '1,2,4' },
      identities: { type: 'string', default: '2000' },
      times: { type: 'string', default: '2000' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return;
  }
  const counts = values.controllers.split(',').map(Number);
  const [identities, times] = [Number(values.identities), Number(values.times)];
  if (![...counts, identities, times].every((value) => Number.isInteger(value) && value > 0))
    throw new Error('numbers are whole and greater than 0');
  await onStage({ keeps: false, deadlineMs: DEADLINE_MS }, (stage) => measure(stage, counts, identities, times));
}

runScript(import.meta.url, main);
