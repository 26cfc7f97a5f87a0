/** A router of the field, as its users run it: it enrolls, comes online, comes back after a crash, and leaves. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { make, read } from '../support/entities.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { describeStock } from '../support/unless.js';

const run = promisify(execFile);
/** A router that lost its controller tries again after up to a minute. */
const BACK_MS = 120_000;

interface Shown {
  readonly isOnline: boolean;
  readonly syncStatus: string;
  readonly hostname: string;
  readonly supportedProtocols: Record<string, string>;
  readonly versionInfo?: { version: string };
  readonly interfaces: unknown[];
}

describeStock('a stock router', (binary) => {
  const shop = new ProcessShop();
  const place = shop.place();
  const dataDir = join(place, 'data');
  const children: ChildProcess[] = [];
  let controller: ControllerProcess;
  let admin: Client;
  let port = 0;
  let id = '';

  const start = async () => {
    controller = shop.start(dataDir, {
      env: {
        ...addressAt(port),
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_LOG_LEVEL: 'info',
        EDGE_LOG_REQUESTS: 'none',
      },
    });
    admin = await shop.login(await controller.ready());
  };
  const shown = () => read<Shown>({ admin }, `edge-routers/${id}`);
  const online = () =>
    until(
      'the router is online',
      async () => {
        const found = await shown();
        return found.isOnline && found.syncStatus === 'SYNC_DONE' ? found : undefined;
      },
      BACK_MS,
    );
  const logged = (msg: string, more: Record<string, unknown> = {}) =>
    controller
      .log()
      .some((line) => line.msg === msg && Object.entries(more).every(([key, value]) => line[key] === value));

  before(async () => {
    port = await freePort();
    await start();
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const child of children) if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await shop.end();
  });

  it('enrolls', async () => {
    id = await make({ admin }, 'edge-routers', { name: 'stock', isTunnelerEnabled: true });
    const { enrollmentJwt } = await read<{ enrollmentJwt: string }>({ admin }, `edge-routers/${id}`);
    writeFileSync(join(place, 'r.jwt'), enrollmentJwt);
    writeFileSync(join(place, 'r.yml'), configOf(port, await freePort()));
    await run(binary, ['router', 'enroll', 'r.yml', '--jwt', 'r.jwt', '--keyAlg', 'EC'], { cwd: place });
    expect(await shown()).to.deep.include({ isVerified: true, isOnline: false, syncStatus: 'SYNC_UNKNOWN' });
  });

  it('comes online, and says where it is reached and what it runs', async () => {
    const child = spawn(binary, ['router', 'run', 'r.yml', '--log-formatter', 'json'], { cwd: place });
    children.push(child);
    const log = createWriteStream(join(place, 'r.log'));
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    const found = await online();
    expect(found.hostname).to.equal('127.0.0.1');
    expect(found.supportedProtocols['tls']).to.match(/^tls:\/\/127\.0\.0\.1:\d+$/);
    expect(found.versionInfo?.version).to.match(/^v2\./);
    await until('its interfaces are known', async () => (await shown()).interfaces.length > 0);
    expect(logged('router connected', { routerId: id })).to.equal(true);
    expect(logged('a router advertises hosts that are not in its certificate', {})).to.equal(false);
  });

  it('has no complaint about what it was told', () => {
    const complaints = readFileSync(join(place, 'r.log'), 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          return [JSON.parse(line) as { level: string; msg: string }];
        } catch {
          return [];
        }
      })
      .filter(({ level, msg }) => level === 'error' && /data model|api session|sync|certificate|unmarshal/i.test(msg));
    expect(complaints).to.deep.equal([]);
  });

  it('comes back after the controller was killed', async () => {
    controller.kill('SIGKILL');
    await controller.ended;
    await start();
    await online();
  });

  it('comes back after the controller was stopped, which leaves nothing online', async () => {
    await controller.stop();
    await start();
    await online();
  });

  it('is cut while it is disabled, and comes back', async () => {
    expectStatus(await admin.patch(`${MANAGEMENT}/edge-routers/${id}`, { disabled: true }), 200);
    await until('it is cut', async () => !(await shown()).isOnline);
    await until('it is refused', () => logged('router refused', { routerId: id, reason: 'it is disabled' }), BACK_MS);
    expectStatus(await admin.patch(`${MANAGEMENT}/edge-routers/${id}`, { disabled: false }), 200);
    await online();
  });

  it('is cut when it is deleted, and stays out', async () => {
    expectStatus(await admin.delete(`${MANAGEMENT}/edge-routers/${id}`), 200);
    await until('it is cut', () => logged('router disconnected', { reason: 'the router was deleted' }));
    await until(
      'it is refused',
      () => logged('router refused', { reason: 'there is no router with this id' }),
      BACK_MS,
    );
  });
});

const configOf = (controllerPort: number, port: number): string => `v: 3
identity:
  cert: r.cert
  server_cert: r.server.cert
  key: r.key
  ca: r.ca
ctrl:
  endpoint: tls:localhost:${controllerPort}
  endpointsFile: r.endpoints
link:
  dialers: [{ binding: transport }]
listeners:
  - { binding: edge, address: "tls:127.0.0.1:${port}", options: { advertise: "127.0.0.1:${port}" } }
edge:
  db: r.db
  csr:
    country: US
    province: NC
    locality: Charlotte
    organization: Suite
    organizationalUnit: Tests
    sans: { dns: [localhost], ip: ["127.0.0.1"] }
`;
