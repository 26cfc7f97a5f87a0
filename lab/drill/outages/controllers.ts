/** Two controllers behind a TCP balancer that never tries a second one: restarts, a kill, and sessions that end. */
import { ApiClient } from '../../bench/api-client.js';
import { OWN_SESSION, pause } from '../sessions.js';
import type { Pace } from '../streams.js';
import { SOCKETS, storedAt } from './ground.js';
import type { Controller, Ground, Pair } from './ground.js';
import { CLEAN, of, rowOf, underLoad, whole } from './load.js';
import type { Load, Row } from './load.js';

const BEFORE_RESTART_MS = 1_000;
const ENDED_EACH_WAY = 20;
/** A session that is accepted so long after its end is a fault. */
const GRACE_MS = 1_000;
const never = new AbortController().signal;

const loadOn = ({ databaseUrl }: Pair, admins: readonly ApiClient[], pace: Pace): Load => ({
  ...pace,
  targets: admins.map((admin) => ({ name: 'balancer', admin })),
  stored: () => storedAt({ connectionString: databaseUrl }),
});

/** On connections that are kept, and on a new one for each request. */
export async function rollingRestart(ground: Ground): Promise<Row[]> {
  const pair = await ground.pair();
  const {
    admin: { token },
  } = pair.controllers()[0];
  const { url } = pair.balancer;
  const clients = [new ApiClient(url, token, SOCKETS), new ApiClient(url, token, { ...SOCKETS, keepAlive: false })];
  const measured = await underLoad(loadOn(pair, clients, { createsPerSecond: 100, connections: 4 }), async () => {
    await pair.restart(0);
    await pair.restart(1);
  });
  const { tally } = measured;
  const failed = tally.refusedNames.length + tally.refusedReads + tally.staleReads;
  return [
    rowOf(
      'rolling restart of two controllers, lame duck 2 s',
      measured,
      `${of(failed, tally.creates + tally.reads)} requests failed, half of them on new connections`,
    ),
  ];
}

export async function controllerKilled(ground: Ground): Promise<Row[]> {
  const pair = await ground.pair();
  const client = new ApiClient(pair.balancer.url, pair.controllers()[0].admin.token, SOCKETS);
  const load = loadOn(pair, [client], { createsPerSecond: 200, connections: 16 });
  const measured = await underLoad({ ...load, allowsCuts: true }, async () => {
    pair.controllers()[0].child.kill('SIGKILL');
    await pause(BEFORE_RESTART_MS, never);
    await pair.restart(0);
  });
  const { tally } = measured;
  const requests = tally.creates + tally.reads + tally.looks;
  return [
    rowOf(
      'kill -9 of one of two controllers, started again',
      measured,
      `${of(tally.cuts, requests)} requests cut, ${whole(tally.refused)} creates 503`,
    ),
  ];
}

/** Accepted by both controllers, then ended on one: how long until the other refuses it. */
export async function sessionEnds(ground: Ground): Promise<Row[]> {
  const pair = await ground.pair();
  const [a, b] = pair.controllers();
  const both = [await endSessions(ground, a, b), await endSessions(ground, b, a)];
  const times = both.flatMap(({ times }) => times).sort((x, y) => x - y);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const accepted = both.reduce((sum, one) => sum + one.accepted, 0);
  return [
    {
      ...CLEAN,
      event: `${2 * ENDED_EACH_WAY} sessions end on one controller, and are used on the other`,
      saw:
        `refused ${median.toFixed(1)} ms after the end (median), ${(times.at(-1) ?? 0).toFixed(1)} ms at most; ` +
        `${accepted} accepted after ${GRACE_MS / 1000} s`,
      accepted,
    },
  ];
}

interface Ends {
  readonly times: number[];
  readonly accepted: number;
}

async function endSessions({ credentials }: Ground, here: Controller, there: Controller): Promise<Ends> {
  const times: number[] = [];
  let accepted = 0;
  for (let count = 0; count < ENDED_EACH_WAY; count += 1) {
    const session = await here.client.login(credentials.username, credentials.password);
    const use = async () => (await there.client.send('GET', OWN_SESSION, undefined, session.token)).status;
    if ((await use()) !== 200) throw new Error(`${there.name} refuses a new session`);
    await session.call('DELETE', OWN_SESSION);
    const endedAt = performance.now();
    session.close();
    while ((await use()) !== 401 && performance.now() - endedAt < GRACE_MS) {
      /* asked again at once */
    }
    times.push(performance.now() - endedAt);
    if ((await use()) !== 401) accepted += 1;
  }
  return { times, accepted };
}
