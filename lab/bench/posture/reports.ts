/**
 * Endpoints that report once a minute, to two controllers in turn: what a report costs, and what it writes. First
 * reports that say what is known already, then ones that all change something.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { CLIENT, requestBytes } from '../world.js';
import type { Closers } from '../measure.js';
import { showProgress } from '../progress.js';
import { cpuMsOf, treeCpuMsOf } from './cpu.js';
import { reportOf, startNetwork, tokenOf } from './network.js';
import type { PostureNetwork } from './network.js';
import { runPaced } from './paced.js';
import type { PacedResult } from './paced.js';
import { STATISTICS_MS, factsOf } from './tables.js';
import type { DatabaseFacts } from './tables.js';

const SECONDS_OF_A_ROUND = 60;

export interface ReportPhase {
  readonly name: string;
  readonly result: PacedResult;
  /** Of both controllers, for each report; without what they do at rest. */
  readonly controllerCpuUs: number;
  readonly postgresCpuUs: number;
  readonly before: DatabaseFacts;
  readonly after: DatabaseFacts;
}

interface Cpu {
  readonly controllers: number;
  readonly postgres: number;
}

const cpuOf = ({ controllerPids, postgresPid }: PostureNetwork): Cpu => ({
  controllers: controllerPids.reduce((sum, pid) => sum + cpuMsOf(pid), 0),
  postgres: treeCpuMsOf(postgresPid),
});

/** What STATISTICS_MS without reports take. */
async function restOf(network: PostureNetwork): Promise<Cpu> {
  const from = cpuOf(network);
  await delay(STATISTICS_MS);
  const to = cpuOf(network);
  return { controllers: to.controllers - from.controllers, postgres: to.postgres - from.postgres };
}

/** @param rounds  of a minute, of each kind */
export async function measureReports(
  { endpoints, rounds }: { readonly endpoints: number; readonly rounds: number },
  closers: Closers,
  onPhase: (phase: ReportPhase) => void,
): Promise<ReportPhase[]> {
  showProgress(`filling: ${endpoints} endpoints`);
  const network = await startNetwork(endpoints, closers);
  const perSecond = endpoints / SECONDS_OF_A_ROUND;
  const phases: ReportPhase[] = [];
  showProgress('at rest');
  const atRest = await restOf(network);
  const phase = async (name: string, also: (round: number) => string): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      showProgress(`${name}, minute ${round + 1}`);
      const body = reportOf(network.checks, also(round));
      const before = await factsOf(network.client);
      const from = cpuOf(network);
      const result = await runPaced({
        targets: network.targets,
        perSecond,
        count: endpoints,
        requestFor: (index, target) =>
          requestBytes(
            { target },
            { method: 'POST', path: `${CLIENT}/posture-response-bulk`, body, token: tokenOf(index) },
          ),
      });
      // Activity and sessions are settled in the background: that belongs to the reports.
      await delay(STATISTICS_MS);
      const to = cpuOf(network);
      const each = (part: keyof Cpu) =>
        ((to[part] - from[part] - (atRest[part] / STATISTICS_MS) * (result.seconds * 1000 + STATISTICS_MS)) * 1000) /
        Math.max(1, result.good);
      const done = {
        name: `${name}, minute ${round + 1}`,
        result,
        controllerCpuUs: each('controllers'),
        postgresCpuUs: each('postgres'),
        before,
        after: await factsOf(network.client),
      };
      phases.push(done);
      onPhase(done);
    }
  };
  await phase('nothing new', () => '');
  await phase('a change each', (round) => `ff000000000${round % 10}`);
  return phases;
}
