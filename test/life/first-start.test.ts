/** First starts of the real command: what they make, what they print once, and what a later start may not change. */
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, existsSync, chmodSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { until } from '../support/poll.js';
import { ProcessShop, START_DEADLINE_MS, isAlive, serverPid, serverProcesses, within } from '../support/process.js';
import type { ControllerProcess, Exit, LogLine } from '../support/process.js';
import { MANAGEMENT } from '../support/paths.js';

const STOPPED: Exit = { code: 0, signal: null };

const bitsOf = (file: string): number => statSync(file).mode & 0o777;

/** The moments of a first start on an embedded database, in order. */
const MOMENTS: Readonly<Record<string, (dataDir: string, controller: ControllerProcess) => boolean>> = {
  'the directory is locked': (dataDir) =>
    existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('controller.lock.')),
  'a cluster is in the making': (dataDir) => existsSync(join(dataDir, 'postgres.new', 'PG_VERSION')),
  'the cluster is in its place': (dataDir) => existsSync(join(dataDir, 'postgres')),
  'the server answers': (_, controller) => controller.log().some(({ msg }) => msg === 'embedded PostgreSQL is ready'),
  'the schema is made': (_, controller) =>
    controller.log().some(({ msg }) => msg === 'database schema brought up to date'),
  'the keys are made': (_, controller) => controller.log().some(({ msg }) => msg.startsWith('new network')),
};

describe('a first start', function () {
  this.timeout(600_000);
  let shop: ProcessShop;
  beforeEach(() => {
    shop = new ProcessShop();
  });
  afterEach(() => shop.end());

  it('makes a private data directory and tells the new password once, on stderr only', async () => {
    const dataDir = join(shop.place(), 'made', 'on the way', 'data');
    const first = shop.start(dataDir, { env: { EDGE_LOG_LEVEL: 'debug' } });
    const url = await first.ready();
    await until('the notice is printed', () => first.stderr().includes('This is shown once'));
    const password = /password {2}(\S+)/.exec(first.stderr())?.[1] ?? '';
    expect(password).to.have.length.of.at.least(20);
    expect(first.stderr().split(password)).to.have.length(2);
    expect(readFileSync(join(dataDir, 'admin-password'), 'utf8')).to.equal(`${password}\n`);
    await shop.login(url, password);
    expect(bitsOf(dataDir)).to.equal(0o700);
    expect(readdirSync(dataDir)).to.include.members(['master.key', 'admin-password', 'postgres', 'postgres.log']);
    for (const name of ['master.key', 'admin-password', 'postgres.log'])
      expect(bitsOf(join(dataDir, name)), name).to.equal(0o600);
    expect(bitsOf(join(dataDir, 'postgres'))).to.equal(0o700);
    expect(await first.stop()).to.deep.equal(STOPPED);
    expect(first.stdout()).not.to.include(password);
    expect(first.stdout()).not.to.include(readFileSync(join(dataDir, 'master.key'), 'utf8').trim());

    const second = shop.start(dataDir);
    await shop.login(await second.ready(), password);
    expect(await second.stop()).to.deep.equal(STOPPED);
    expect(second.stderr()).to.equal('');
    expect(second.stdout()).not.to.include(password);
  });

  it('uses a given password, and neither prints nor keeps it', async () => {
    const dataDir = join(shop.place(), 'data');
    const controller = shop.start(dataDir, {
      env: { EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_ADMIN_USERNAME: 'the boss' },
    });
    await shop.login(await controller.ready(), ADMIN.password, 'the boss');
    await controller.stop();
    expect(controller.stderr()).to.equal('');
    expect(controller.stdout()).not.to.include(ADMIN.password);
    expect(existsSync(join(dataDir, 'admin-password'))).to.equal(false);
  });

  it('does not take a password that is set later, and says so once', async () => {
    const dataDir = join(shop.place(), 'data');
    const warnings = ({ log }: { log: () => readonly LogLine[] }) =>
      log()
        .filter(({ level }) => level === 'warn')
        .map(({ msg }) => msg);
    for (const workers of ['1', '2']) {
      const first = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_WORKERS: workers } });
      await first.ready();
      await first.stop();
      expect(warnings(first)).to.deep.equal([]);
    }
    const shared = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: 'another one', EDGE_WORKERS: '2' } });
    await shared.ready();
    await shared.stop();
    expect(warnings(shared)).to.have.length(1);
    const second = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: 'another one' } });
    const url = await second.ready();
    await shop.login(url, ADMIN.password);
    const answer = await shop
      .client(url)
      .post(`${MANAGEMENT}/authenticate?method=password`, { username: 'admin', password: 'another one' });
    expect(answer.status).to.equal(403);
    expect(warnings(second)).to.deep.equal([
      'EDGE_ADMIN_PASSWORD is not the password of the default administrator: it is used at the first start only. ' +
        'Change the password with PATCH /edge/management/v1/current-identity/authenticators/{id}, ' +
        'and remove the setting',
    ]);
    expect(second.stdout()).not.to.include('another one');
  });

  it('closes an open data directory that is empty, and leaves one with files of others as it is', async () => {
    const place = shop.place();
    const [empty, foreign] = [join(place, 'empty'), join(place, 'foreign')];
    for (const directory of [empty, foreign]) {
      mkdirSync(directory);
      chmodSync(directory, 0o755);
    }
    writeFileSync(join(foreign, 'thesis.txt'), 'ours');
    await shop.start(empty).ready();
    expect(bitsOf(empty)).to.equal(0o700);

    const refused = shop.start(foreign);
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.match(
      /^edge-controller: The data directory \S+foreign is open to other users and holds files .* not .*chmod 700.*\n$/,
    );
    expect(bitsOf(foreign)).to.equal(0o755);
    expect(readdirSync(foreign)).to.deep.equal(['thesis.txt']);
  });

  it('that was killed at any moment is completed by the next one', async () => {
    for (const [moment, hasCome] of Object.entries(MOMENTS)) {
      const dataDir = join(shop.place(), 'data');
      const env = { EDGE_ADMIN_PASSWORD: ADMIN.password };
      const killed = shop.start(dataDir, { env });
      await until(moment, () => hasCome(dataDir, killed), START_DEADLINE_MS);
      killed.kill('SIGKILL');
      await killed.ended;
      const next = shop.start(dataDir, { env });
      const url = await next.ready().catch((error: unknown) => {
        throw new Error(`killed when ${moment}: ${(error as Error).message}`);
      });
      const admin = await shop.login(url);
      expect(
        expectStatus(await admin.get(`${MANAGEMENT}/identities`), 200).meta.pagination?.totalCount,
        `killed when ${moment}`,
      ).to.equal(1);
      await next.stop();
      expect(serverProcesses(dataDir)).to.deep.equal([]);
    }
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends on ${signal} while it is under way, leaving nothing running and nothing broken`, async () => {
      // Before node runs our code, a signal ends it as it ends any process: the first moment is the lock's.
      for (const [moment, hasCome] of Object.entries(MOMENTS).filter(
        (_, index) => index % 2 === (signal === 'SIGTERM' ? 0 : 1),
      )) {
        const dataDir = join(shop.place(), 'data');
        const env = { EDGE_ADMIN_PASSWORD: ADMIN.password };
        const stopped = shop.start(dataDir, { env });
        await until(moment, () => hasCome(dataDir, stopped), START_DEADLINE_MS);
        stopped.kill(signal);
        expect(
          await within('it ends', 20_000, stopped.ended),
          `${signal} when ${moment}: ${stopped.stderr()}`,
        ).to.deep.equal(STOPPED);
        expect(stopped.stderr()).to.equal('');
        expect(stopped.log().at(-1)?.msg).to.equal('stopped');
        expect(serverProcesses(dataDir)).to.deep.equal([]);
        const next = shop.start(dataDir, { env });
        await shop.login(await next.ready());
        await next.stop();
      }
    });
  }
});

describe('a start on a data directory in use', function () {
  this.timeout(300_000);
  const shop = new ProcessShop();
  after(() => shop.end());

  it('is refused in one sentence while the first controller goes on', async () => {
    const dataDir = join(shop.place(), 'data');
    const first = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: ADMIN.password } });
    const url = await first.ready();
    const admin = await shop.login(url);
    const second = shop.start(dataDir);
    expect(await second.ended).to.deep.equal({ code: 1, signal: null });
    expect(second.stderr()).to.equal(
      `edge-controller: The data directory ${dataDir} is in use by another controller (process ${first.pid}). ` +
        'Stop that one first, or give this one a data directory of its own; several controllers can only share a ' +
        'database through DATABASE_URL.\n',
    );
    expectStatus(await admin.post(`${MANAGEMENT}/identities`, { name: 'after', type: 'User', isAdmin: false }), 201);
  });

  it('two at once: one serves, the other is refused', async () => {
    const dataDir = join(shop.place(), 'data');
    const both = [shop.start(dataDir), shop.start(dataDir)];
    const outcomes = await Promise.all(
      both.map(async (controller) =>
        Promise.race([controller.ready().catch(() => 'ended'), controller.ended.then(() => 'ended')]),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'ended')).to.have.length(1);
    expect(outcomes.filter((outcome) => outcome.startsWith('https://'))).to.have.length(1);
  });
});

describe('SIGINT', function () {
  this.timeout(300_000);
  const shop = new ProcessShop();
  after(() => shop.end());

  it('twice ends the controller and its server in good order', async () => {
    const dataDir = join(shop.place(), 'data');
    const controller = shop.start(dataDir);
    await controller.ready();
    const server = serverPid(dataDir) ?? 0;
    expect(server).to.be.greaterThan(0);
    controller.kill('SIGINT');
    controller.kill('SIGINT');
    expect(await within('it ends', 25_000, controller.ended)).to.deep.equal(STOPPED);
    expect(isAlive(server)).to.equal(false);
    expect(controller.log().filter(({ msg }) => msg === 'stopped')).to.have.length(1);
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).to.match(/database system is shut down\s*$/);
  });
});

describe('a stop while a client dawdles', function () {
  this.timeout(300_000);
  const shop = new ProcessShop();
  after(() => shop.end());

  it('waits for the request, and no more once it is told again', async () => {
    const controller = shop.start(join(shop.place(), 'data'));
    const { hostname, port } = new URL(await controller.ready());
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.write(
      'POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nhost: x\r\ncontent-type: ' +
        'application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n{',
    );
    await once(socket, 'data'); // 100: it is being read
    controller.kill('SIGINT');
    const since = performance.now();
    await until('it stops', () => controller.log().some(({ msg }) => msg === 'stopping'));
    // npm passes Ctrl-C on a second time within moments: that counts once.
    controller.kill('SIGINT');
    await until('a second has passed', () => performance.now() - since > 1_000);
    expect(isAlive(controller.pid)).to.equal(true);
    controller.kill('SIGINT');
    expect(await within('it ends', 20_000, controller.ended)).to.deep.equal(STOPPED);
    expect(controller.log().map(({ msg }) => msg)).to.include('stopping at once');
    socket.destroy();
  });
});

describe('an embedded network whose master key file is lost', function () {
  this.timeout(300_000);
  const shop = new ProcessShop();
  after(() => shop.end());

  it('is refused with the place where the key belongs, and served again once it is back', async () => {
    const dataDir = join(shop.place(), 'data');
    const first = shop.start(dataDir);
    await first.ready();
    await first.stop();
    const file = join(dataDir, 'master.key');
    const key = readFileSync(file);
    rmSync(file);
    const refused = shop.start(dataDir);
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.equal(
      `edge-controller: The master key of this network is missing: ${file} does not exist. Put it back, ` +
        `or set EDGE_MASTER_KEY.\n`,
    );
    expect(existsSync(file)).to.equal(false);
    expect(serverProcesses(dataDir)).to.deep.equal([]);
    writeFileSync(file, key, { mode: 0o600 });
    await shop.start(dataDir).ready();
  });
});
