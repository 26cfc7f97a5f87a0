/** Servers that replicate: a failover by hand, a former primary that comes back, a synchronous standby that is gone. */
import type { Answer } from '../../bench/api-client.js';
import { endOf } from '../../controller-process.js';
import { until } from '../../../test/support/poll.js';
import type { Forwarder, PostgresServer } from '../../../test/support/postgres-servers.js';
import { LOGIN, OWN_SESSION, pause } from '../sessions.js';
import { storedAt } from './ground.js';
import type { Controller, Ground } from './ground.js';
import { CLEAN, inSeconds, of, rowOf, underLoad } from './load.js';
import type { Row } from './load.js';

const PROMOTION_MS = 3_000;
const STALE_MS = 4_000;
const GONE_MS = 8_000;
/** Shorter than the standby is gone, so that it is seen how a change that waits for it is answered. */
const HANDLER_TIMEOUT = '4s';
const IDENTITIES = '/edge/management/v1/identities';
const never = new AbortController().signal;

interface Site {
  readonly controller: Controller;
  readonly name: Forwarder;
}

/** Two controllers, each with a name that leads to the primary. The two rows are one story. */
export async function failover(ground: Ground): Promise<Row[]> {
  const { primary, standby } = await ground.replicated();
  const start = async (name: string): Promise<Site> => {
    const forwarder = await ground.servers.forwarder(primary.port);
    const url = primary.url.replace(/:\d+\//, `:${forwarder.port}/`);
    return { controller: await ground.controller(`failover-${name}`, { DATABASE_URL: url }), name: forwarder };
  };
  const sites = [await start('a'), await start('b')] as const;
  const measured = await underLoad(
    {
      targets: sites.map(({ controller }) => controller),
      createsPerSecond: 200,
      connections: 4,
      credentials: ground.credentials,
      stored: () => storedAt({ connectionString: standby.url }),
    },
    async () => {
      primary.signal('SIGKILL');
      await pause(PROMOTION_MS, never);
      await standby.promote();
      for (const { name } of sites) name.pointTo(standby.port);
    },
  );
  const delay = inSeconds(measured.seconds * 1000);
  const event = `kill -9 of the primary; synchronous standby promoted by hand, ${delay} later`;
  const rows = [rowOf(event, measured), await formerPrimary(ground, sites, primary, standby)];
  await Promise.all(sites.map(({ controller }) => endOf(controller.child)));
  await primary.stop();
  await standby.stop();
  return rows;
}

/** One controller is led to it for a while: what it answered then would be old. A session ends on the other. */
async function formerPrimary(
  { credentials }: Ground,
  [here, there]: readonly [Site, Site],
  former: PostgresServer,
  next: PostgresServer,
): Promise<Row> {
  const session = await here.controller.client.login(credentials.username, credentials.password);
  const token = session.token ?? '';
  for (const { controller } of [here, there]) await controller.client.send('GET', OWN_SESSION, undefined, token);
  former.demote();
  await former.start();
  here.name.pointTo(former.port);
  const end = await there.controller.client.send('DELETE', OWN_SESSION, undefined, token);
  if (end.status !== 200) throw new Error(`the session cannot be ended: ${end.status}`);

  const { admin, client } = here.controller;
  const answers: Answer[] = [];
  for (let serial = 0, over = performance.now() + STALE_MS; performance.now() < over; serial += 1) {
    answers.push(
      ...(await Promise.all([
        client.send('GET', OWN_SESSION, undefined, token),
        admin.send('GET', OWN_SESSION),
        admin.send('GET', `${IDENTITIES}?limit=5`),
        admin.send('GET', `${IDENTITIES}?limit=-1`),
        client.send('POST', LOGIN, credentials),
        admin.send('POST', IDENTITIES, { name: `stale-${serial}`, type: 'User', isAdmin: false }),
      ])),
    );
    await pause(20, never);
  }
  const ready = await client.send('GET', '/readyz');
  here.name.pointTo(next.port);
  const pointedAt = performance.now();
  await until('it is ready again', async () => (await client.send('GET', '/readyz')).status === 200, 20_000);
  const healedMs = performance.now() - pointedAt;
  const accepted = (await client.send('GET', OWN_SESSION, undefined, token)).status === 401 ? 0 : 1;
  const believed = answers.filter(({ status }) => status !== 503).length;
  return {
    ...CLEAN,
    event: `the former primary is back as a standby, and a name leads to it for ${STALE_MS / 1000} s`,
    saw:
      `${of(answers.length - believed, answers.length)} requests 503, ${believed} answered from it; ` +
      `readyz ${ready.status}; a session that ended meanwhile is ${accepted ? 'accepted' : 'refused'} afterwards`,
    healed: `${inSeconds(healedMs)} after it`,
    accepted,
    believed,
  };
}

export async function standbyGone(ground: Ground): Promise<Row[]> {
  const { primary, standby } = await ground.replicated();
  const controller = await ground.controller('replicated', {
    DATABASE_URL: primary.url,
    EDGE_LIMIT_HANDLER_TIMEOUT: HANDLER_TIMEOUT,
  });
  const rows: Row[] = [];
  for (const writers of [8, 30]) {
    const measured = await underLoad(
      {
        targets: [controller],
        createsPerSecond: 200,
        connections: writers,
        credentials: ground.credentials,
        stored: () => storedAt({ connectionString: primary.url }),
      },
      async () => {
        await standby.stop();
        await pause(GONE_MS, never);
        await standby.start();
      },
    );
    rows.push(rowOf(`synchronous standby gone for ${GONE_MS / 1000} s, ${writers} writers`, measured));
  }
  await endOf(controller.child);
  await standby.stop();
  await primary.stop();
  return rows;
}
