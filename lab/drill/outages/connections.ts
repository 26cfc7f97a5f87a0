/** How a controller comes to its connections: starts, how many it opens, a pooler that does not fit, a limit. */
import { setMaxListeners } from 'node:events';
import { endOf } from '../../controller-process.js';
import { pause } from '../sessions.js';
import { storedAt } from './ground.js';
import type { Controller, Ground } from './ground.js';
import { CLEAN, inSeconds, rowOf, underLoad } from './load.js';
import type { Row } from './load.js';

const POOL = '20';
const LIMIT = 10;
const WRITERS = 20;
const LISTERS = 12;
const BUSY_MS = 3_000;
const LIMITED_MS = 4_000;
const IDENTITIES = '/edge/management/v1/identities';
const CONNECTIONS = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = 'started'";
const never = new AbortController().signal;

export async function starts(ground: Ground): Promise<Row[]> {
  const env = { DATABASE_URL: await ground.database('started'), EDGE_DATABASE_POOL_SIZE: POOL };
  const first = await ground.controller('started', env);
  await endOf(first.child);
  const later = await ground.controller('started', env);
  const most = await mostConnections(ground, later);
  await endOf(later.child);
  // It counts them itself at the start.
  const announced = /"wanted":(\d+)/.exec(ground.stage.logOf('controller-started'))?.[1] ?? 'unknown';
  return [
    {
      ...CLEAN,
      event: 'first start on an external database, and a later one',
      saw: `ready after ${inSeconds(first.startMs)}, and after ${inSeconds(later.startMs)}`,
    },
    {
      ...CLEAN,
      event: `connections of one controller, pool ${POOL}`,
      saw: `${most} under writes and lists of one identity; ${announced} at most`,
    },
  ];
}

/** As PostgreSQL counts them, while everything that opens some is in use. */
async function mostConnections(ground: Ground, { admin }: Controller): Promise<number> {
  const primary = await ground.primary();
  const halt = AbortSignal.timeout(BUSY_MS);
  setMaxListeners(0, halt);
  const lane = async (act: () => Promise<unknown>) => {
    while (!halt.aborted) await act();
  };
  const identity = (serial: number) => ({ name: `busy-${serial}`, type: 'User', isAdmin: false });
  let serial = 0;
  const busy = [
    ...Array.from({ length: WRITERS }, () => lane(() => admin.send('POST', IDENTITIES, identity((serial += 1))))),
    ...Array.from({ length: LISTERS }, (_, index) =>
      lane(() => admin.send('GET', `${IDENTITIES}?limit=${index % 2 === 0 ? 50 : -1}`)),
    ),
  ];
  let most = 0;
  while (!halt.aborted) {
    const [row] = await primary.query<{ count: number }>(CONNECTIONS);
    most = Math.max(most, row?.count ?? 0);
    await pause(50, halt);
  }
  await Promise.all(busy);
  return most;
}

/** A controller that started behind it would not hear of sessions that end. */
export async function transactionPooler(ground: Ground): Promise<Row[]> {
  const event = 'start through a pooler in transaction mode';
  const url = await ground.servers.pooler(await ground.primary(), 'transaction');
  const startedAt = performance.now();
  try {
    const controller = await ground.controller('pooled', { DATABASE_URL: url });
    await endOf(controller.child);
    return [{ ...CLEAN, event, saw: 'it started', unexpected: { 'the controller started': 1 } }];
  } catch (error) {
    if (!(error as Error).message.includes('a pooler in transaction mode')) throw error;
    return [{ ...CLEAN, event, saw: `refused after ${inSeconds(performance.now() - startedAt)}, with what to do` }];
  }
}

export async function connectionLimit(ground: Ground): Promise<Row[]> {
  const primary = await ground.primary();
  await primary.query(`CREATE ROLE limited LOGIN PASSWORD 'limited' CONNECTION LIMIT ${LIMIT}`);
  await primary.query('CREATE DATABASE limited OWNER limited');
  const controller = await ground.controller('limited', {
    DATABASE_URL: `postgresql://limited:limited@127.0.0.1:${primary.port}/limited`,
    EDGE_DATABASE_POOL_SIZE: POOL,
  });
  const measured = await underLoad(
    {
      targets: [controller],
      createsPerSecond: 200,
      connections: WRITERS,
      credentials: ground.credentials,
      // As the superuser, who is not limited.
      stored: () => storedAt({ connectionString: primary.url.replace(/[^/]*$/, 'limited') }),
    },
    () => pause(LIMITED_MS, never),
  );
  await endOf(controller.child);
  return [rowOf(`role with CONNECTION LIMIT ${LIMIT}, pool ${POOL}, ${WRITERS} writers`, measured)];
}
