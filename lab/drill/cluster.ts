/** An etcd, three Patroni members and an haproxy that leads to the leader, all on this machine. */
import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { clusterProcesses, signalProcess } from '../../db/embedded/processes.js';
import { haproxyConfig, patroniConfig } from './configs.js';
import type { ClusterPlan, MemberPlan } from './configs.js';
import type { Programs } from '../../test/support/programs.js';
import { freePorts } from '../../test/support/ports.js';
import { hasEnded } from '../../test/support/stage.js';
import type { Stage } from '../../test/support/stage.js';

const run = promisify(execFile);
const NAMES = ['one', 'two', 'three'] as const;
const START_MS = 60_000;
/** What Patroni calls a standby that follows, by version. */
const RUNNING = new Set(['running', 'streaming']);
const REST_MS = 2_000;
const USER = 'edge';
const DATABASE = 'edge';
const STREAMING = "SELECT count(*)::int AS count FROM pg_stat_replication WHERE state = 'streaming'";

/** One member as Patroni's `GET /cluster` has it. */
export interface MemberState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
  readonly lag?: number | string;
}

interface Passwords {
  readonly controller: string;
  readonly superuser: string;
  readonly replication: string;
}

export type Role = 'leader' | 'sync_standby';

interface Member extends MemberPlan {
  readonly configFile: string;
  patroni: ChildProcess;
}

export class PatroniCluster {
  private constructor(
    private readonly stage: Stage,
    private readonly programs: Programs,
    private readonly members: readonly Member[],
    private readonly proxyPort: number,
    private readonly passwords: Passwords,
  ) {}

  /** Through haproxy, as a controller is given it. */
  get url(): string {
    return `postgresql://${USER}:${this.passwords.controller}@127.0.0.1:${this.proxyPort}/${DATABASE}`;
  }

  /** @throws Error when it is not complete in time, with the end of the log of a member that ended */
  static async start(stage: Stage, programs: Programs, say: (text: string) => void): Promise<PatroniCluster> {
    const [etcdPort = 0, peerPort = 0, proxyPort = 0, ...ports] = await freePorts(3 + 2 * NAMES.length);
    const etcd = `127.0.0.1:${etcdPort}`;
    startEtcd(stage, programs.etcd, `http://${etcd}`, `http://127.0.0.1:${peerPort}`);
    const passwords = { controller: newPassword(), superuser: newPassword(), replication: newPassword() };
    const plan: ClusterPlan = {
      etcd: [etcd],
      binDir: programs.postgresBin,
      networks: ['127.0.0.1/32'],
      superuserPassword: passwords.superuser,
      replicationPassword: passwords.replication,
    };
    await waitUntil('etcd answers', async () => (await get(etcd, '/health')).ok);
    const plans = NAMES.map((name, index): MemberPlan => ({
      name,
      address: `127.0.0.1:${ports[2 * index] ?? 0}`,
      restAddress: `127.0.0.1:${ports[2 * index + 1] ?? 0}`,
      dataDir: stage.cluster(name),
    }));
    const members = plans.map((member): Member => {
      const configFile = stage.file(`${member.name}.yml`, patroniConfig(plan, member));
      return { ...member, configFile, patroni: stage.run(`patroni-${member.name}`, programs.patroni, [configFile]) };
    });
    const proxyFile = stage.file('haproxy.cfg', haproxyConfig(`127.0.0.1:${proxyPort}`, plans));
    stage.run('haproxy', programs.haproxy, ['-db', '-f', proxyFile]);
    const cluster = new PatroniCluster(stage, programs, members, proxyPort, passwords);
    say('waiting for a leader and two standbys');
    await cluster.complete();
    await cluster.makeDatabase();
    return cluster;
  }

  /** Waits for a leader and two members that follow it, one of them synchronously, and for haproxy to lead to it. */
  async complete(): Promise<void> {
    await waitUntil('the cluster is complete', async () => {
      const ended = this.members.find(({ patroni }) => hasEnded(patroni));
      if (ended !== undefined) throw new Ended(`Patroni ${ended.name} ended:\n${this.#endOfLog(ended.name)}`);
      const states = await this.states();
      const followers = states.filter(({ role, state }) => role !== 'leader' && RUNNING.has(state));
      if (!states.some(({ role }) => role === 'leader') || followers.length < NAMES.length - 1) return false;
      if (followers.filter(({ role }) => role === 'sync_standby').length !== 1) return false;
      const [streams] = await this.query<{ count: number }>('postgres', STREAMING);
      return streams?.count === NAMES.length - 1;
    });
  }

  /** As any member that answers sees it; empty when none does. */
  async states(): Promise<readonly MemberState[]> {
    for (const { restAddress, patroni } of this.members) {
      if (hasEnded(patroni)) continue;
      try {
        return ((await (await get(restAddress, '/cluster')).json()) as { members: MemberState[] }).members;
      } catch {
        /* the next one may answer */
      }
    }
    return [];
  }

  async nameOf(role: Role): Promise<string> {
    const found = (await this.states()).find((state) => state.role === role);
    if (found === undefined) throw new Error(`the cluster has no ${role}`);
    return found.name;
  }

  /** @returns the name of the new leader */
  async switchOver(): Promise<string> {
    const [leader, candidate] = [await this.nameOf('leader'), await this.nameOf('sync_standby')];
    const args = ['switchover', 'edge', '--leader', leader, '--candidate', candidate, '--force'];
    const switching = run(this.programs.patronictl, ['-c', this.#member(leader).configFile, ...args], {
      cwd: this.stage.place,
      env: this.stage.environment,
      timeout: START_MS,
      ...this.stage.account,
    });
    this.stage.adopt(switching.child);
    await switching;
    return candidate;
  }

  /** Kills the member in this role, its Patroni first, so that it is not started again. @returns its name */
  async kill(role: Role): Promise<string> {
    const member = this.#member(await this.nameOf(role));
    member.patroni.kill('SIGKILL');
    clusterProcesses(member.dataDir).forEach((pid) => {
      signalProcess(pid, 'SIGKILL');
    });
    return member.name;
  }

  /** Waits until another member has the role of `former`, and has taken it up. @returns its name */
  async successor(role: Role, former: string): Promise<string> {
    return waitUntil(`another member is the ${role}`, async () => {
      const next = (await this.states()).find((state) => state.role === role && state.name !== former)?.name;
      if (next === undefined) return undefined;
      const answer = await get(this.#member(next).restAddress, role === 'leader' ? '/primary' : '/synchronous');
      return answer.ok ? next : undefined;
    });
  }

  /** Starts the Patroni of a killed member and waits until it follows the leader. @returns whether it was rewound */
  async rejoin(name: string): Promise<boolean> {
    const member = this.#member(name);
    const log = `patroni-${name}`;
    const before = this.stage.logOf(log).length;
    member.patroni = this.stage.run(log, this.programs.patroni, [member.configFile]);
    await this.complete();
    return this.stage.logOf(log).slice(before).includes('running pg_rewind');
  }

  /** As the superuser, on the leader. */
  async query<R extends pg.QueryResultRow>(database: string, sql: string): Promise<R[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.proxyPort,
      user: 'postgres',
      password: this.passwords.superuser,
      database,
      connectionTimeoutMillis: REST_MS,
      query_timeout: 10_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<R>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private async makeDatabase(): Promise<void> {
    await this.query('postgres', `CREATE ROLE ${USER} LOGIN PASSWORD '${this.passwords.controller}'`);
    await this.query('postgres', `CREATE DATABASE ${DATABASE} OWNER ${USER}`);
  }

  #endOfLog(name: string): string {
    return this.stage.logOf(`patroni-${name}`).split('\n').slice(-12).join('\n');
  }

  #member(name: string): Member {
    const member = this.members.find((candidate) => candidate.name === name);
    if (member === undefined) throw new Error(`no member ${name}`);
    return member;
  }
}

const newPassword = (): string => randomBytes(15).toString('hex');

const get = (address: string, path: string): Promise<Response> =>
  fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(REST_MS) });

function startEtcd(stage: Stage, program: string, client: string, peer: string): void {
  stage.run('etcd', program, [
    '--name',
    'drill',
    '--data-dir',
    stage.directory('etcd'),
    '--listen-client-urls',
    client,
    '--advertise-client-urls',
    client,
    '--listen-peer-urls',
    peer,
    '--initial-advertise-peer-urls',
    peer,
    '--initial-cluster',
    `drill=${peer}`,
  ]);
}

/** Waiting has no use any more. */
class Ended extends Error {}

/** Polls; a probe that fails is asked again. @throws Error with the last failure when the time is up */
async function waitUntil<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
  let last: unknown;
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; await delay(100)) {
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      if (error instanceof Ended) throw error;
      last = error;
    }
  }
  throw new Error(`not within ${START_MS / 1000} s: ${what}`, { cause: last });
}
