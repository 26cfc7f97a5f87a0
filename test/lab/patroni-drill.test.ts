/** The drill of docs/operations/failover.md: it passes, it leaves nothing behind, and the page shows what it runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { haproxyConfig, patroniConfig } from '../../lab/drill/configs.js';
import { faultsOf } from '../../lab/drill/events.js';
import type { EventResult } from '../../lab/drill/events.js';
import { MissingPrograms, findPrograms } from '../support/programs.js';
import { until } from '../support/poll.js';
import { textOf } from '../support/proc.js';
import { DrillRun } from './drill-run.js';

const DRILL = fileURLToPath(new URL('../../lab/drill.js', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../docs/operations/failover.md', import.meta.url));
const COLUMNS = 100;
const LONGEST_MS = 330_000;

describe('npm run drill:patroni', function patroniDrill() {
  this.timeout(LONGEST_MS + 30_000);
  let run: DrillRun | undefined;
  afterEach(() => run?.end());
  const start = (...args: readonly string[]): DrillRun => (run = new DrillRun(DRILL, ...args));

  it('loses nothing and lets nobody in, whatever happens to the leader', async () => {
    const drill = start('--json', 'PLACE/figures.json');
    await drill.ended(LONGEST_MS);
    const { output } = drill;
    expect(drill.exitCode, `${output.stderr}${output.stdout}`).to.equal(0);
    for (const line of output.stdout.split('\n')) expect(line.length, line).to.be.at.most(COLUMNS);
    console.log(
      output.stdout
        .split('\n')
        .slice(0, 6)
        .map((line) => `      ${line}`)
        .join('\n'),
    );
    const results = JSON.parse(readFileSync(join(drill.place, 'figures.json'), 'utf8')) as EventResult[];
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
    drill.expectNothingLeft();
  });

  it('ends all that it started when it is interrupted', async () => {
    const drill = start();
    await until('its servers run', () => drill.output.stderr.includes('waiting for a leader') || undefined, 60_000);
    const isServer = (pid: string) => textOf(`/proc/${pid}/comm`).startsWith('postgres');
    await until('a cluster is being made', () => drill.processes().some(isServer), 60_000);
    drill.interrupt();
    await drill.ended(30_000);
    expect(drill.exitCode).to.equal(130);
    drill.expectNothingLeft();
  });

  it('is content with refusals, and with nothing else', () => {
    const result: EventResult = {
      event: 'e',
      creates: 9,
      refused: 5,
      gapSeconds: 3,
      healedSeconds: 3,
      clusterSeconds: 3,
      lost: 0,
      unacknowledged: 1,
      reads: 9,
      refusedReads: 5,
      staleReads: 0,
      looks: 9,
      notReadyLooks: 5,
      unexpected: {},
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
      name,
      address: `10.0.0.${11 + index}:5432`,
      restAddress: `10.0.0.${11 + index}:8008`,
      dataDir: '/var/lib/postgresql/15/edge',
    }));
    const plan = {
      etcd: members.map(({ address }) => address.replace('5432', '2379')),
      binDir: '/usr/lib/postgresql/15/bin',
      superuserPassword: 'PASSWORD-1',
      replicationPassword: 'PASSWORD-2',
      networks: ['10.0.0.0/24'],
    };
    const [one] = members;
    expect(page).to.include(`\`\`\`yaml\n${one === undefined ? '' : patroniConfig(plan, one)}\`\`\``);
    expect(page).to.include(`\`\`\`haproxy\n${haproxyConfig('127.0.0.1:5433', members)}\`\`\``);
  });
});
