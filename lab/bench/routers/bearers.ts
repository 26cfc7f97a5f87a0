/**
 * Many routers under policies that let everybody use everything, and clients with access tokens: what each router is
 * told and what the controller holds must not grow with the sessions of these clients. A tenth of the sessions first,
 * then all of them, each time from a start of the controller on.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { ClientConfig } from 'pg';
import type { Frame } from '../../../fabric/channel/frame.js';
import { ApiClient } from '../api-client.js';
import { ensureNamed } from '../ensure.js';
import type { Closers } from '../measure.js';
import { say, showProgress } from '../progress.js';
import { MANAGEMENT } from '../world.js';
import type { Named } from '../world.js';
import type { Figure } from './figures.js';
import { Fleet } from './fleet.js';
import type { FleetRouter } from './fleet.js';
import type { MeasuredController } from './measured.js';
import { cpuSeconds, peakMiB, residentMiB } from './processes.js';
import { enrollAll } from './world.js';

export interface BearerScale {
  readonly routers: number;
  readonly apiSessions: number;
}

const IDENTITIES = 1_000;
const SERVICES = 50;
/** Of all sessions, how many there are at first. */
const FIRST_SHARE = 0.1;
const BATCH = 5_000;
const IN_STEP_MS = 300_000;
/** Until all that a router is told at first has come, and nothing is read any more. */
const SETTLE_MS = 15_000;
/** Sessions that end while routers are connected. */
const ENDS = 1_000;
const TOLD_MS = 60_000;
/** A heap breathes. */
const MEMORY_MIB = 64;

type Add = (figure: Figure) => void;

interface Held {
  readonly bytes: number;
  readonly memoryMiB: number;
}

export async function measureBearers(own: MeasuredController, scale: BearerScale, closers: Closers, add: Add) {
  const admin = await new ApiClient(own.url).loginToManage(own.username, own.password);
  closers.push(() => {
    admin.close();
  });
  const ensure = ensureNamed(admin);
  const everybody = (roles: object) => () => ({ semantic: 'AnyOf', ...roles });
  const all = ['#all'];
  const identities = await ensure('identities', 'bearer-', IDENTITIES, () => ({ type: 'Device', isAdmin: false }));
  await ensure('services', 'bearer-', SERVICES, () => ({ encryptionRequired: true }));
  const routers = await ensure('edge-routers', 'bearer-', scale.routers, () => ({}));
  await ensure('service-policies', 'bearer-', 1, everybody({ type: 'Dial', identityRoles: all, serviceRoles: all }));
  await ensure('edge-router-policies', 'bearer-', 1, everybody({ identityRoles: all, edgeRouterRoles: all }));
  await ensure('service-edge-router-policies', 'bearer-', 1, everybody({ serviceRoles: all, edgeRouterRoles: all }));
  const fleet = await enrollAll(admin, routers);
  const bench = new BearerBench(own, fleet, identities, closers, add);
  const first = await bench.hold(Math.round(scale.apiSessions * FIRST_SHARE));
  const then = await bench.hold(scale.apiSessions, first);
  await bench.end();
  say(`own: ${then.bytes} bytes to each router, ${first.bytes} with a tenth of the sessions`);
}

class BearerBench {
  #fleet: Fleet | undefined;
  #sessions: string[] = [];
  #bytes = 0;

  constructor(
    readonly own: MeasuredController,
    readonly routers: readonly FleetRouter[],
    readonly identities: readonly Named[],
    closers: Closers,
    readonly add: Add,
  ) {
    closers.push(() => {
      this.#fleet?.close();
    });
  }

  /** Opens sessions up to so many, starts the controller, lets all routers come, and looks. */
  async hold(count: number, before?: Held): Promise<Held> {
    const { own, routers, add } = this;
    const part = 'bearers';
    this.#fleet?.close();
    this.#sessions.push(...(await openBearerSessions(own.connection, this.identities, count - this.#sessions.length)));
    await own.killAndStart();
    this.#bytes = 0;
    const fleet = new Fleet({ url: own.url, routers });
    this.#fleet = fleet;
    for (const member of fleet.members)
      member.onFrame = ({ body }: Frame) => {
        this.#bytes += body.length;
      };
    fleet.start();
    const isDone = await fleet.allInStep(IN_STEP_MS, (inStep) => {
      showProgress(`${inStep} of ${routers.length} routers are in step`);
    });
    if (!isDone) throw new Error(`only ${fleet.inStep} routers came in step`);
    await delay(SETTLE_MS);
    const held = { bytes: Math.round(this.#bytes / routers.length), memoryMiB: residentMiB(own.pid) };
    const at = `${count.toLocaleString('en')} sessions:`;
    const bound = <T extends number>(value: T) => ({ is: 'at most', value }) as const;
    const most = before && { told: bound(Math.ceil(before.bytes * 1.02)), held: bound(before.memoryMiB + MEMORY_MIB) };
    add({
      part,
      name: `${at} told to each router`,
      value: held.bytes,
      unit: 'bytes',
      ...(most && { bound: most.told }),
    });
    add({
      part,
      name: `${at} memory of the controller`,
      value: held.memoryMiB,
      unit: 'MiB',
      ...(most && { bound: most.held }),
    });
    add({ part, name: `${at} its peak`, value: peakMiB(own.pid), unit: 'MiB' });
    add({ part, name: `${at} CPU of the controller so far`, value: cpuSeconds(own.pid), unit: 's' });
    return held;
  }

  /** Some sessions end: every router is told. */
  async end(): Promise<void> {
    const { own, routers, add } = this;
    const part = 'bearers';
    const ended = this.#sessions.slice(0, ENDS);
    const admin = await new ApiClient(own.url).loginToManage(own.username, own.password);
    const [before, cpu, startedAt] = [this.#bytes, cpuSeconds(own.pid), performance.now()];
    let last = startedAt;
    for (const id of ended) await admin.call('DELETE', `${MANAGEMENT}/api-sessions/${id}`);
    // Each is named to every router: 36 letters, and some bytes around them.
    const wanted = ended.length * routers.length * 36;
    for (const deadline = performance.now() + TOLD_MS; performance.now() < deadline; await delay(50)) {
      last = performance.now();
      if (this.#bytes - before >= wanted) break;
    }
    admin.close();
    add({ part, name: 'sessions that ended', value: ended.length, unit: '' });
    add({
      part,
      name: 'bytes of each to each router',
      value: (this.#bytes - before) / ended.length / routers.length,
      unit: 'bytes',
      bound: { is: 'at least', value: 36 },
    });
    add({ part, name: 'from the first to the last word of them', value: (last - startedAt) / 1000, unit: 's' });
    add({ part, name: 'CPU of the controller for them', value: cpuSeconds(own.pid) - cpu, unit: 's' });
    add({ part, name: 'memory of the controller after them', value: residentMiB(own.pid), unit: 'MiB' });
  }
}

/** As logins by OpenID Connect leave them. @returns their ids */
async function openBearerSessions(
  connection: ClientConfig,
  identities: readonly Named[],
  count: number,
): Promise<string[]> {
  const client = new pg.Client(connection);
  await client.connect();
  const ids: string[] = [];
  try {
    for (let made = 0; made < count; made += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, count - made) }, (_, index) => ({
        id: randomUUID(),
        identity: identities[(made + index) % identities.length]?.id ?? '',
        hash: randomBytes(32),
      }));
      await client.query(
        `WITH made AS (
          INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method,
            is_shared_with_routers, expires_at)
          SELECT id, identity, 'bench', hash, '127.0.0.1', 'password', false, now() + interval '1 day'
          FROM unnest($1::text[], $2::text[], $3::bytea[]) AS u (id, identity, hash) RETURNING id, token_hash)
        INSERT INTO token_families (api_session_id, client_id, scopes, authenticated_at, ends_at, refresh_hash)
        SELECT id, 'native', '{openid,offline_access}', now(), now() + interval '30 days', token_hash FROM made`,
        [rows.map(({ id }) => id), rows.map(({ identity }) => identity), rows.map(({ hash }) => hash)],
      );
      ids.push(...rows.map(({ id }) => id));
      showProgress(`own: ${ids.length} of ${count} sessions by OpenID Connect`);
    }
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
  return ids;
}
