/**
 * Dials of the field's own SDK, from the connection of an application to the first byte that comes back: the field's
 * router and its proxy between the two ends, whichever controller they are enrolled with.
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endOf } from '../../controller-process.js';
import { Histogram } from '../histogram.js';
import type { Closers } from '../measure.js';
import { showProgress } from '../progress.js';
import { MANAGEMENT } from '../world.js';
import type { CircuitTarget } from './circuits.js';
import type { Figure } from './figures.js';
import { cpuSeconds } from './processes.js';
import { freePort } from './reference.js';

const run = promisify(execFile);
const READY_MS = 60_000;
const FIRST_BYTE_MS = 20_000;
/** Dials for each number in flight. */
const DIALS: Readonly<Record<number, number>> = { 1: 300, 50: 3_000 };

export async function measureSdkDials(
  target: CircuitTarget,
  binary: string,
  closers: Closers,
  add: (figure: Figure) => void,
): Promise<void> {
  const { label, pid } = target;
  showProgress(`${label}: starting the field's router and proxy`);
  const port = await prepare(target, binary, closers);
  for (const [inFlight, dials] of Object.entries(DIALS)) {
    showProgress(`${label}: ${dials} dials, ${inFlight} in flight`);
    const cpu = cpuSeconds(pid);
    const startedAt = performance.now();
    const { histogram, failed } = await dialAll(port, Number(inFlight), dials);
    const seconds = (performance.now() - startedAt) / 1000;
    const part = 'dials';
    const what = `${label}, ${inFlight} in flight:`;
    add({ part, name: `${what} p50 to the first byte`, value: histogram.quantileMs(0.5), unit: 'ms' });
    add({ part, name: `${what} p99 to the first byte`, value: histogram.quantileMs(0.99), unit: 'ms' });
    add({ part, name: `${what} dials a second`, value: (dials - failed) / seconds, unit: '/s' });
    add({
      part,
      name: `${what} CPU of the controller for each`,
      value: ((cpuSeconds(pid) - cpu) * 1000) / dials,
      unit: 'ms',
    });
    if (failed > 0) add({ part, name: `${what} failed`, value: failed, unit: '', bound: { is: 'at most', value: 0 } });
  }
}

/** @returns the port of the proxy, which answers */
async function prepare(target: CircuitTarget, binary: string, closers: Closers): Promise<number> {
  const { admin, controlUrl } = target;
  const dir = mkdtempSync(join(tmpdir(), 'edge-dials-'));
  const children: ChildProcess[] = [];
  closers.push(async () => {
    for (const child of children) await endOf(child);
    rmSync(dir, { recursive: true, force: true });
  });
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir };
  const ziti = (...args: string[]) => run(binary, args, { cwd: dir, env });
  const start = (name: string, ...args: string[]) => {
    const log = openSync(join(dir, `${name}.log`), 'w', 0o600);
    children.push(spawn(binary, args, { cwd: dir, env, stdio: ['ignore', log, log] }));
    closeSync(log);
  };
  const word = `bench-dial-${randomBytes(4).toString('hex')}`;
  const make = (path: string, body: object) => admin.create(`${MANAGEMENT}/${path}`, body);
  const policy = (path: string, name: string, body: object) => make(path, { name, semantic: 'AnyOf', ...body });

  const routerId = await make('edge-routers', { name: word });
  const { enrollmentJwt } = await admin.call<{ enrollmentJwt: string }>(
    'GET',
    `${MANAGEMENT}/edge-routers/${routerId}`,
  );
  writeFileSync(join(dir, 'router.jwt'), enrollmentJwt);
  writeFileSync(join(dir, 'router.yml'), routerConfig(dir, new URL(controlUrl).port, await freePort()));
  await ziti('router', 'enroll', 'router.yml', '--jwt', 'router.jwt', '--keyAlg', 'EC');
  start('router', 'router', 'run', 'router.yml');

  const serviceId = await make('services', { name: word, encryptionRequired: true });
  await policy('edge-router-policies', word, { identityRoles: [`#${word}`], edgeRouterRoles: [`@${routerId}`] });
  await policy('service-edge-router-policies', word, {
    serviceRoles: [`@${serviceId}`],
    edgeRouterRoles: [`@${routerId}`],
  });
  // A proxy that may also host would dial itself.
  for (const [type, who] of [
    ['Bind', 'host'],
    ['Dial', 'client'],
  ])
    await policy('service-policies', `${word}-${type}`, {
      type,
      identityRoles: [`#${word}-${who}`],
      serviceRoles: [`@${serviceId}`],
    });
  for (const name of ['host', 'client']) {
    const id = await make('identities', {
      name: `${word}-${name}`,
      type: 'Device',
      isAdmin: false,
      roleAttributes: [word, `${word}-${name}`],
      enrollment: { ott: true },
    });
    const [enrollment] = await admin.call<{ jwt: string }[]>('GET', `${MANAGEMENT}/identities/${id}/enrollments`);
    writeFileSync(join(dir, `${name}.jwt`), enrollment?.jwt ?? '');
    await ziti('edge', 'enroll', '--keyAlg', 'EC', '--jwt', `${name}.jwt`, '--out', `${name}.json`);
  }
  await online(target, routerId, dir);
  // An application behind the host that sends back what comes.
  const echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    echo.close();
  });
  const config = await admin.call<{ id: string }[]>(
    'GET',
    `${MANAGEMENT}/config-types?filter=${encodeURIComponent('name = "host.v1"')}`,
  );
  const configId = await make('configs', {
    name: word,
    configTypeId: config[0]?.id,
    data: { protocol: 'tcp', address: '127.0.0.1', port: (echo.address() as AddressInfo).port },
  });
  await admin.call('PATCH', `${MANAGEMENT}/services/${serviceId}`, { configs: [configId] });
  start('host', 'tunnel', 'host', '-i', 'host.json');
  const port = await freePort();
  start('proxy', 'tunnel', 'proxy', `${word}:${port}`, '-i', 'client.json');
  await answers(port, dir);
  return port;
}

async function online({ admin, label }: CircuitTarget, routerId: string, dir: string): Promise<void> {
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; await delay(200)) {
    const { isOnline } = await admin.call<{ isOnline: boolean }>('GET', `${MANAGEMENT}/edge-routers/${routerId}`);
    if (isOnline) return;
  }
  throw new Error(`${label}: the field's router is not online; its log ends:\n${endOfLog(dir, 'router')}`);
}

async function answers(port: number, dir: string): Promise<void> {
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; await delay(500))
    if ((await firstByteMs(port)) !== undefined) return;
  throw new Error(
    `the proxy of the field does not answer; logs end:\n${endOfLog(dir, 'proxy')}\n${endOfLog(dir, 'host')}`,
  );
}

const endOfLog = (dir: string, name: string): string =>
  readFileSync(join(dir, `${name}.log`), 'utf8')
    .split('\n')
    .slice(-6)
    .join('\n');

async function dialAll(port: number, inFlight: number, dials: number) {
  const histogram = new Histogram();
  let [left, failed] = [dials, 0];
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const took = await firstByteMs(port);
      if (took === undefined) failed += 1;
      else histogram.add(took * 1000);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { histogram, failed };
}

/** From the connection of an application to the byte that came back; undefined when none did. */
function firstByteMs(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = connect({ host: '127.0.0.1', port });
    let took: number | undefined;
    socket.setTimeout(FIRST_BYTE_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('connect', () => socket.write('x'));
    socket.once('data', () => {
      took = performance.now() - startedAt;
      socket.destroy();
    });
    socket.on('close', () => {
      resolve(took);
    });
  });
}

const routerConfig = (dir: string, control: string, port: number): string => `v: 3
identity:
  cert: router.cert
  server_cert: router.server.chain.cert
  key: router.key
  ca: router.cas
ctrl:
  endpoint: tls:localhost:${control}
  endpointsFile: ${join(dir, 'router.endpoints')}
link:
  dialers: [{binding: transport}]
listeners:
  - binding: edge
    address: tls:127.0.0.1:${port}
    options: {advertise: "127.0.0.1:${port}"}
edge:
  db: ${join(dir, 'router.db')}
  csr:
    country: US
    province: NC
    locality: Charlotte
    organization: bench
    organizationalUnit: bench
    sans:
      dns: [localhost]
      ip: ["127.0.0.1"]
`;
