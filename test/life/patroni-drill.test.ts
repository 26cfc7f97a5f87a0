/** The drill of docs/operations/failover.md: it passes, it leaves nothing behind, and the page shows what it runs. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { haproxyConfig, patroniConfig } from '../../scripts/drill/configs.js';
import { faultsOf } from '../../scripts/drill/events.js';
import type { EventResult } from '../../scripts/drill/events.js';
import { MissingPrograms, findPrograms } from '../../scripts/drill/programs.js';
import { until } from '../support/poll.js';

const DRILL = fileURLToPath(new URL('../../scripts/drill.js', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../docs/operations/failover.md', import.meta.url));
const COLUMNS = 100;
const LONGEST_MS = 330_000;

describe('npm run drill:patroni', function patroniDrill() {
  this.timeout(LONGEST_MS + 30_000);
  let place: string;
  let drill: ChildProcess | undefined;
  let output: { stdout: string; stderr: string };

  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'edge-drills-'));
    chmodSync(place, 0o755);
  });
  afterEach(async () => {
    const left = drill;
    if (left !== undefined && left.exitCode === null && left.signalCode === null) {
      left.kill('SIGTERM');
      await until('the drill ends', () => left.exitCode !== null || left.signalCode !== null, 30_000);
    }
    rmSync(place, { recursive: true, force: true });
  });

  const start = (...args: readonly string[]): ChildProcess => {
    const texts = output = { stdout: '', stderr: '' };
    const env = { ...process.env, TMPDIR: place };
    const child = drill = spawn(process.execPath, [DRILL, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.setEncoding('utf8').on('data', (text: string) => { texts.stdout += text; });
    child.stderr.setEncoding('utf8').on('data', (text: string) => { texts.stderr += text; });
    return child;
  };
  const ended = (child: ChildProcess, deadlineMs: number) =>
    until('the drill ends', () => child.exitCode !== null || child.signalCode !== null, deadlineMs);

  const expectNothingLeft = () => {
    expect(readdirSync(place).filter((name) => name.startsWith('edge-drill-'))).to.deep.equal([]);
    expect(processesIn(place).map((pid) => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))).to.deep.equal([]);
  };

  it('loses nothing and lets nobody in, whatever happens to the leader', async () => {
    const file = join(place, 'figures.json');
    const child = start('--json', file);
    await ended(child, LONGEST_MS);
    expect(child.exitCode, `${output.stderr}${output.stdout}`).to.equal(0);
    for (const line of output.stdout.split('\n')) expect(line.length, line).to.be.at.most(COLUMNS);
    console.log(output.stdout.split('\n').slice(0, 6).map((line) => `      ${line}`).join('\n'));
    const results = JSON.parse(readFileSync(file, 'utf8')) as EventResult[];
    expect(results).to.have.length(4);
    const [switchover, kill, rejoin] = results;
    expect(switchover?.refused, 'the leader did change').to.be.greaterThan(0);
    expect(kill?.refused, 'the leader did go').to.be.greaterThan(0);
    expect(kill?.notReadyLooks, '/readyz says so').to.be.greaterThan(0);
    expect(rejoin?.refused, 'a member that comes back costs nothing').to.equal(0);
    for (const { event, lost, staleReads, sessions, reads } of results) {
      expect({ lost, staleReads }, event).to.deep.equal({ lost: 0, staleReads: 0 });
      expect(reads, event).to.be.greaterThan(0);
      expect(sessions.ended, event).to.be.greaterThan(0);
      const { standing, ended: over } = sessions;
      expect(sessions, event).to.deep.equal({ standing, stood: standing, ended: over, refused: over, wrong: [] });
    }
    expectNothingLeft();
  });

  it('ends all that it started when it is interrupted', async () => {
    const child = start();
    await until('its servers run', () => output.stderr.includes('waiting for a leader') || undefined, 60_000);
    const isServer = (pid: string) => textOf(`/proc/${pid}/comm`).startsWith('postgres');
    await until('a cluster is being made', () => processesIn(place).some(isServer), 60_000);
    child.kill('SIGINT');
    await ended(child, 30_000);
    expect(child.exitCode).to.equal(130);
    expectNothingLeft();
  });

  it('is content with refusals, and with nothing else', () => {
    const result: EventResult = {
      event: 'e', creates: 9, refused: 5, gapSeconds: 3, healedSeconds: 3, clusterSeconds: 3, lost: 0,
      unacknowledged: 1, reads: 9, refusedReads: 5, staleReads: 0, looks: 9, notReadyLooks: 5, unexpected: {},
      sessions: { standing: 2, stood: 2, ended: 3, refused: 3, wrong: [] },
    };
    const { sessions } = result;
    const faultsWith = (change: Partial<EventResult>) => faultsOf([{ ...result, ...change }]);
    expect(faultsWith({})).to.deep.equal([]);
    expect(faultsWith({ lost: 1 })).to.deep.equal(['e: 1 acknowledged creates are lost']);
    expect(faultsWith({ staleReads: 2 })).to.deep.equal(['e: 2 reads did not find what was acknowledged']);
    const wrong = { ...sessions, wrong: ['on B'] };
    expect(faultsWith({ sessions: wrong })).to.deep.equal(['e: an ended session was accepted on B']);
    expect(faultsWith({ sessions: { ...sessions, stood: 1 } })).to.deep.equal(['e: 1 of 2 sessions did not stand']);
    expect(faultsWith({ unexpected: { 'create: 500': 4 } })).to.deep.equal(['e: unexpected, 4 x create: 500']);
  });

  it('names the Debian packages that it lacks', () => {
    const missing = /^missing Debian packages: etcd-server patroni haproxy\. /;
    expect(() => findPrograms('')).to.throw(MissingPrograms, missing);
  });

  it('runs the configuration that the page shows', () => {
    const page = readFileSync(PAGE, 'utf8');
    const members = ['one', 'two', 'three'].map((name, index) => ({
      name, address: `10.0.0.${11 + index}:5432`, restAddress: `10.0.0.${11 + index}:8008`,
      dataDir: '/var/lib/postgresql/15/edge',
    }));
    const plan = {
      etcd: members.map(({ address }) => address.replace('5432', '2379')), binDir: '/usr/lib/postgresql/15/bin',
      superuserPassword: 'PASSWORD-1', replicationPassword: 'PASSWORD-2', networks: ['10.0.0.0/24'],
    };
    const [one] = members;
    expect(page).to.include(`\`\`\`yaml\n${one === undefined ? '' : patroniConfig(plan, one)}\`\`\``);
    expect(page).to.include(`\`\`\`haproxy\n${haproxyConfig('127.0.0.1:5433', members)}\`\`\``);
  });
});

/** The pids of processes whose command line names the place, or whose working directory is in it. */
const processesIn = (place: string): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(place) || linkOf(pid).includes(place));

function textOf(file: string): string {
  try { return readFileSync(file, 'utf8'); } catch { return ''; }
}

function linkOf(pid: string): string {
  try { return readlinkSync(`/proc/${pid}/cwd`); } catch { return ''; }
}
