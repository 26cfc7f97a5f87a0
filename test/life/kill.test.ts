/**
 * kill -9 at random moments while clients create entities: whatever was answered 201 is there afterwards, totals are
 * right, and no start needs help. EDGE_TEST_SEED repeats a run's choices (not its timing), EDGE_TEST_KILLS says how
 * many there are.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { until } from '../support/poll.js';
import { ProcessShop, START_DEADLINE_MS, serverPid, serverProcesses, within } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { MANAGEMENT } from '../support/paths.js';
import { amount } from '../support/unless.js';

const KINDS = ['identities', 'services', 'configs'] as const;
type Kind = (typeof KINDS)[number];
const VICTIMS = ['controller', 'controller and server', 'server', 'controller while it starts'] as const;
/** Each victim comes at least once. */
const ROUNDS = Number(process.env['EDGE_TEST_KILLS'] ?? amount(6, 12));
const CONNECTIONS = 4;
/** Entities of each kind that a round makes before it kills, so that there is something to lose. */
const EACH_ROUND = 4;

/** Deterministic numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const seed = Number(process.env['EDGE_TEST_SEED'] ?? randomInt(1_000_000_000));

describe(`kill -9, ${ROUNDS} rounds (EDGE_TEST_SEED=${seed})`, function () {
  this.timeout(600_000);
  const random = randomFrom(seed);
  const shop = new ProcessShop();
  const dataDir = shop.dataDir();
  const acknowledged: Record<Kind, string[]> = { identities: [], services: [], configs: [] };
  /** Answers that a client could not make sense of: neither done nor "try again". */
  const strange: string[] = [];
  const fewest = () => Math.min(...KINDS.map((kind) => acknowledged[kind].length));
  let serial = 0;
  let token = '';
  let controller: ControllerProcess;

  const start = () => {
    controller = shop.start(dataDir, {
      env: { EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_LOG_LEVEL: 'info', EDGE_LOG_REQUESTS: 'none' },
    });
  };
  after(() => shop.end());

  const bodyOf = (kind: Kind, number: number): object => {
    const name = `${kind}-${number}`;
    if (kind === 'identities')
      return { name, type: 'Device', isAdmin: false, roleAttributes: ['a', `r${number % 7}`], tags: { number } };
    if (kind === 'configs')
      return { name, configTypeId: 'NH5p4FpGR', data: { protocol: 'tcp', address: 'one.example', port: 1 + number } };
    const config = acknowledged.configs.at(-1);
    return {
      name,
      encryptionRequired: true,
      roleAttributes: [`s${number % 5}`],
      configs: config === undefined ? [] : [config],
    };
  };

  /** One connection that creates until the test stops it. */
  const stream = async (client: Client, halt: { now: boolean }): Promise<void> => {
    while (!halt.now) {
      const kind = KINDS[serial % KINDS.length] as Kind;
      const answer = await client.post(`${MANAGEMENT}/${kind}`, bodyOf(kind, (serial += 1))).catch(() => undefined);
      if (answer === undefined) {
        await pause(5);
        continue;
      }
      if (answer.status === 201) acknowledged[kind].push((answer.data as { id: string }).id);
      else if (answer.status === 503) await pause(20);
      else strange.push(`${answer.status} ${answer.text}`);
    }
  };
  const pause = (ms: number) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    });

  const killServer = () => {
    const pid = serverPid(dataDir);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  };

  const round = async (victim: (typeof VICTIMS)[number]): Promise<void> => {
    if (victim === 'controller while it starts') {
      await controller.stop();
      start();
      // The moment of the kill is what this test is about.
      await pause(random() * 900);
      controller.kill('SIGKILL');
      await controller.ended;
      start();
      await controller.ready();
      return;
    }
    const url = await controller.ready();
    const clients = Array.from({ length: CONNECTIONS }, () => shop.client(url, token));
    const halt = { now: false };
    const streams = clients.map((client) => stream(client, halt));
    const earlier = fewest();
    try {
      await until('creates are acknowledged', () => fewest() >= earlier + EACH_ROUND, START_DEADLINE_MS);
      await pause(50 + random() * 500);
      if (victim !== 'controller') killServer();
      if (victim === 'server') {
        const before = acknowledged.identities.length;
        await until(
          'creates are acknowledged again',
          () => acknowledged.identities.length > before + 3,
          START_DEADLINE_MS,
        );
      } else {
        controller.kill('SIGKILL');
        await controller.ended;
        start();
      }
    } finally {
      halt.now = true;
      await within('the streams end', START_DEADLINE_MS, Promise.all(streams));
      clients.forEach((client) => {
        client.close();
      });
    }
    await controller.ready();
  };

  it('loses nothing that was acknowledged and needs no help to start', async () => {
    start();
    token = (await shop.login(await controller.ready())).token ?? '';
    const begun = performance.now();
    for (let number = 0; number < ROUNDS; number += 1) {
      const victim = VICTIMS[number < VICTIMS.length ? number : Math.floor(random() * VICTIMS.length)] ?? 'controller';
      await round(victim).catch((error: unknown) => {
        throw new Error(`round ${number + 1} (${victim}): ${(error as Error).message}`);
      });
    }
    const counts = KINDS.map((kind) => `${acknowledged[kind].length} ${kind}`).join(', ');
    console.log(
      `      ${ROUNDS} rounds in ${((performance.now() - begun) / 1000).toFixed(1)} s; acknowledged: ${counts}`,
    );
    expect(strange.slice(0, 3)).to.deep.equal([]);
    // Enough to lose some.
    expect(fewest()).to.be.greaterThan(10);
  });

  it('has every acknowledged entity, by list and by id', async () => {
    // The session of the first minute still holds.
    const admin = shop.client(await controller.ready(), token);
    for (const kind of KINDS) {
      const answer = expectStatus(await admin.get(`${MANAGEMENT}/${kind}?limit=-1`), 200);
      const present = new Set((answer.data as { id: string }[]).map(({ id }) => id));
      expect(
        acknowledged[kind].filter((id) => !present.has(id)),
        kind,
      ).to.deep.equal([]);
      const last = acknowledged[kind].at(-1) ?? '';
      expectStatus(await admin.get(`${MANAGEMENT}/${kind}/${last}`), 200);
    }
  });

  it('tells totals that equal the real counts', async () => {
    const admin = shop.client(await controller.ready(), token);
    const database = new pg.Client({
      host: join(dataDir, 'postgres'),
      port: 5432,
      user: 'edge',
      database: 'edge',
      ssl: false,
    });
    await database.connect();
    try {
      for (const kind of [
        ...KINDS,
        'config-types',
        'auth-policies',
        'api-sessions',
        'authenticators',
        'enrollments',
        'service-policies',
        'identity-types',
      ]) {
        const answer = await admin.get(`${MANAGEMENT}/${kind}?limit=1`);
        const {
          rows: [row],
        } = await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${kind.replace('-', '_')}`);
        expect(expectStatus(answer, 200).meta.pagination?.totalCount, kind).to.equal(row?.n);
      }
    } finally {
      await database.end();
    }
  });

  it('leaves one server, and none once it is stopped', async () => {
    expect(serverPid(dataDir)).to.be.a('number');
    expect(await controller.stop()).to.deep.equal({ code: 0, signal: null });
    expect(serverProcesses(dataDir)).to.deep.equal([]);
  });
});
