/**
 * What posture costs those who use services: one identity with a policy that asks for a check, and its twin whose
 * policy asks for none. Slices of both take turns, so that other work on the machine meets both.
 */
import { join } from 'node:path';
import pg from 'pg';
import { runningConnection } from '../../../db/embedded/supervisor.js';
import type { CasePlan } from '../case.js';
import type { LoadGenerator } from '../load.js';
import type { Closers } from '../measure.js';
import { median } from '../median.js';
import type { Size } from '../options.js';
import { OwnController } from '../own-controller.js';
import { showProgress } from '../progress.js';
import { seed } from '../seed.js';
import { CLIENT, MANAGEMENT, requestBytes } from '../world.js';
import type { World } from '../world.js';
import { treeCpuMsOf } from './cpu.js';

const SLICES = 12;
/** Sessions that are made in one slice. */
const CREATIONS = 400;
const READ_SECONDS = 0.6;
const CONNECTIONS = 16;

export interface Side {
  /** The median of its slices. */
  readonly rate: number;
  /** Of controller and PostgreSQL together, over all slices. */
  readonly cpuUs: number;
}

export interface RatioRow {
  readonly size: Size;
  readonly name: string;
  readonly plain: Side;
  readonly guarded: Side;
  readonly errors: number;
}

/** One of the two identities, with API sessions enough for all slices. */
interface Twin {
  readonly tokens: readonly string[];
}

export async function measureRatios(
  sizes: readonly Size[],
  load: LoadGenerator,
  closers: Closers,
  onRow: (row: RatioRow) => void,
): Promise<RatioRow[]> {
  const rows: RatioRow[] = [];
  for (const size of sizes) {
    const inner: Closers = [];
    const close = async () => {
      for (const closer of inner.splice(0).reverse()) await closer();
    };
    closers.push(close);
    showProgress(`filling: ${size.identities} identities, ${size.services} services`);
    const own = await OwnController.start((stop) => inner.push(stop));
    const world = await seed({ label: 'controller', ...size, url: own.url, ...credentialsOf(own) });
    inner.push(
      () => world.admin.logOut(),
      () => world.client.logOut(),
    );
    const client = new pg.Client(runningConnection(join(own.dir, 'data')));
    await client.connect();
    inner.push(() => client.end());
    const [plain, guarded] = [await twin(world, client, false), await twin(world, client, true)];
    await own.settle();
    for (const { name, plan } of cases) {
      showProgress(`${name} at ${size.identities}x${size.services}`);
      const row = { size, name, ...(await inTurns(own, load, world, [plain, guarded], plan)) };
      rows.push(row);
      onRow(row);
    }
    await close();
  }
  return rows;
}

const credentialsOf = ({ username, password }: OwnController) => ({ username, password });

const cases: readonly { name: string; plan: (world: World, twin: Twin, slice: number) => Slice }[] = [
  {
    name: 'session create',
    plan: (world, { tokens }, slice) => ({
      mode: 'once',
      seconds: 60,
      requests: Array.from({ length: CREATIONS }, (_, index) => slice * CREATIONS + index).map((use) =>
        requestBytes(world, {
          method: 'POST',
          path: `${CLIENT}/sessions`,
          body: { serviceId: world.services[use % world.services.length]?.id, type: 'Dial' },
          token: tokens[Math.floor(use / world.services.length)],
        }),
      ),
    }),
  },
  reading('client services 10', '/services?limit=10'),
  reading('client services by name', '/services?limit=10&sort=name'),
  reading('service updates', '/current-api-session/service-updates'),
];

type Slice = Pick<CasePlan, 'mode' | 'requests'> & { readonly seconds: number };

function reading(name: string, path: string) {
  return {
    name,
    plan: (world: World, { tokens }: Twin): Slice => ({
      mode: 'cycle',
      seconds: READ_SECONDS,
      requests: tokens.map((token) => requestBytes(world, { method: 'GET', path: CLIENT + path, token })),
    }),
  };
}

/** The first slice of each is not counted: plans and caches come with it. */
async function inTurns(
  own: OwnController,
  load: LoadGenerator,
  world: World,
  twins: readonly [Twin, Twin],
  plan: (world: World, twin: Twin, slice: number) => Slice,
): Promise<{ plain: Side; guarded: Side; errors: number }> {
  const sides = twins.map(() => ({ rates: [] as number[], cpuMs: 0, completed: 0 }));
  let errors = 0;
  for (let slice = 0; slice <= SLICES; slice += 1) {
    for (const place of slice % 2 === 0 ? [0, 1] : [1, 0]) {
      const [side, twin] = [sides[place], twins[place]];
      if (side === undefined || twin === undefined) continue;
      const before = cpuOf(own);
      const result = await load.run(world.target, { ...plan(world, twin, slice), connections: CONNECTIONS });
      errors += result.errors;
      if (slice === 0) continue;
      side.rates.push(result.rate);
      side.cpuMs += cpuOf(own) - before;
      side.completed += result.completed;
    }
  }
  const [plain, guarded] = sides.map(({ rates, cpuMs, completed }) => ({
    rate: median(rates),
    cpuUs: (cpuMs * 1000) / Math.max(1, completed),
  }));
  if (plain === undefined || guarded === undefined) throw new Error('there are two sides');
  return { plain, guarded, errors };
}

/** The database server is a child of the controller. */
const cpuOf = ({ pid }: OwnController): number => treeCpuMsOf(pid);

const ADDRESS = '02fc00aa1234';

/** @param isGuarded  whether its policy asks for a check, which all its devices pass */
async function twin({ admin, services }: World, client: pg.Client, isGuarded: boolean): Promise<Twin> {
  const name = isGuarded ? 'bench-twin-guarded' : 'bench-twin';
  const identity = await admin.create(`${MANAGEMENT}/identities`, { name, type: 'Device', isAdmin: false });
  const authenticator = await admin.create(`${MANAGEMENT}/authenticators`, {
    identityId: identity,
    method: 'updb',
    username: name,
    password: 'never used',
  });
  const check = isGuarded
    ? [await admin.create(`${MANAGEMENT}/posture-checks`, { name, typeId: 'MAC', macAddresses: [ADDRESS] })]
    : [];
  await admin.create(`${MANAGEMENT}/service-policies`, {
    name,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${identity}`],
    serviceRoles: ['#all'],
    postureCheckRoles: check.map((id) => `@${id}`),
  });
  const count = Math.ceil(((SLICES + 1) * CREATIONS) / services.length);
  const { rows } = await client.query<{ token: string }>(
    `WITH made AS (
      INSERT INTO api_sessions (id, identity_id, authenticator_id, method, token_hash, ip_address)
      SELECT left(md5($1 || i), 22), $2, $3, 'password',
        sha256(convert_to(md5($1 || ' token-' || i)::uuid::text, 'UTF8')), '127.0.0.1'
      FROM generate_series(1, $4::int) i)
    SELECT md5($1 || ' token-' || i)::uuid::text AS token FROM generate_series(1, $4::int) i`,
    [name, identity, authenticator, count],
  );
  for (const id of check) {
    const reported = { os: null, mac: { checkId: id, at: '2026-01-01T00:00:00.000Z', addresses: [ADDRESS] } };
    await client.query(
      `INSERT INTO api_session_postures (api_session_id, reported)
      SELECT id, $2::jsonb FROM api_sessions WHERE identity_id = $1`,
      [identity, JSON.stringify({ ...reported, domain: null, processes: [] })],
    );
  }
  return { tokens: rows.map(({ token }) => token) };
}
