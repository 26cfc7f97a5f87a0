/**
 * Circuits over many routers on one controller: how fast they are made, what they take, and how long it takes to lead
 * those around a router that passed it when it is gone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ContentType } from '../../fabric/channel/content-types.js';
import { CreateTerminatorV2RequestSchema } from '../../generated/fabric/edge_pb.js';
import { ApiClient } from '../bench/api-client.js';
import type { Closers } from '../bench/measure.js';
import { say, showProgress } from '../bench/progress.js';
import type { Figure } from '../bench/routers/figures.js';
import { Fleet } from '../bench/routers/fleet.js';
import { MeasuredController } from '../bench/routers/measured.js';
import { childCpuSeconds, cpuSeconds, peakMiB, residentMiB } from '../bench/routers/processes.js';
import { seedRouters } from '../bench/routers/world.js';
import { CLIENT, MANAGEMENT } from '../bench/world.js';
import { CircuitNetwork, isHub, networkLinks, newAddress } from './circuit-network.js';
import type { ShownSession } from './circuit-network.js';
import { numbers } from './path-choice.js';

export interface CircuitScale {
  readonly routers: number;
  readonly links: number;
  readonly circuits: number;
  /** Circuits that are to pass the router which goes. */
  readonly passing: number;
}

const HOSTS = 50;
const IN_FLIGHT = 64;
const SYNC_MS = 300_000;
const MOVE_MS = 120_000;
/** Until reports are worked on. */
const SETTLE_MS = 5_000;
const MOST_MIB = 1_024;
const MOST_MOVE_S = 5;

interface Scene {
  readonly own: MeasuredController;
  readonly network: CircuitNetwork;
  readonly dialer: ShownSession;
}

export async function measureCircuits(scale: CircuitScale, closers: Closers): Promise<Figure[]> {
  const scene = await prepare(scale, closers);
  const { own } = scene;
  const figure = (name: string, value: number, unit: string, most?: number): Figure => ({
    part: 'circuits',
    name,
    value,
    unit,
    ...(most === undefined ? {} : { bound: { is: 'at most' as const, value: most } }),
  });
  const before = residentMiB(own.pid);
  const [cpu, database] = [cpuSeconds(own.pid), childCpuSeconds(own.pid)];
  const made = await makeCircuits(scene, scale);
  const each = (seconds: number) => (seconds * 1000) / Math.max(1, made.circuits);
  const figures = [
    figure('memory with links, no circuits', before, 'MiB'),
    figure('circuits made', made.circuits, ''),
    figure('circuits a second', made.circuits / made.seconds, ''),
    figure('controller for each', each(cpuSeconds(own.pid) - cpu), 'ms CPU'),
    figure('PostgreSQL for each', each(childCpuSeconds(own.pid) - database), 'ms CPU'),
  ];
  await delay(SETTLE_MS);
  figures.push(figure('memory with all circuits', residentMiB(own.pid), 'MiB', MOST_MIB));
  const moved = await loseRouter(scene, scale.passing);
  return [
    ...figures,
    figure('circuits that passed the router', moved.affected, ''),
    figure('of them on another path', moved.moved, ''),
    figure('until the last of them', moved.seconds, 's', MOST_MOVE_S),
    figure('controller meanwhile', moved.cpuSeconds, 's CPU'),
    figure('memory at most', peakMiB(own.pid), 'MiB', MOST_MIB),
  ];
}

async function prepare({ routers, links }: CircuitScale, closers: Closers): Promise<Scene> {
  const own = await MeasuredController.start((stop) => closers.push(stop));
  const anonymous = new ApiClient(own.url);
  const admin = await anonymous.loginToManage(own.username, own.password);
  const world = await seedRouters(admin, own.connection, { routers, apiSessions: 10, sites: 1 });
  const { serviceId } = world;
  await admin.call('PATCH', `${MANAGEMENT}/services/${serviceId}`, { terminatorStrategy: 'random' });
  await admin.create(`${MANAGEMENT}/service-policies`, {
    name: 'bench-bind',
    type: 'Bind',
    semantic: 'AnyOf',
    identityRoles: ['#bench-dial'],
    serviceRoles: [`@${serviceId}`],
  });
  const { password } = own;
  const identityId = await admin.create(`${MANAGEMENT}/identities`, {
    name: 'bench-client',
    type: 'Device',
    isAdmin: false,
    roleAttributes: ['bench-site-0', 'bench-dial'],
  });
  const login = { identityId, method: 'updb', username: 'bench-client', password };
  await admin.create(`${MANAGEMENT}/authenticators`, login);
  const client = await anonymous.login('bench-client', password);
  const session = async (type: string): Promise<ShownSession> => {
    const { token } = await client.call<{ token: string }>('POST', `${CLIENT}/sessions`, { serviceId, type });
    return { sessionToken: token, apiSessionToken: client.token ?? '' };
  };
  const [host, dialer] = [await session('Bind'), await session('Dial')];
  const fleet = new Fleet({ url: own.url, routers: world.fleet });
  closers.push(() => {
    fleet.close();
    for (const each of [anonymous, admin, client]) each.close();
  });
  const network = new CircuitNetwork(fleet, networkLinks(routers, links, numbers()));
  fleet.start();
  const isInStep = await fleet.allInStep(SYNC_MS, (inStep) => {
    showProgress(`${inStep} of ${routers} routers are in step`);
  });
  if (!isInStep) throw new Error('not all routers came in step');
  network.report();
  const hosts = fleet.members.filter(({ router }) => !isHub(router.number)).slice(0, HOSTS);
  for (const { link } of hosts)
    link?.sendTyped(ContentType.CreateTerminatorV2, CreateTerminatorV2RequestSchema, {
      address: newAddress(),
      ...host,
    });
  await delay(SETTLE_MS);
  say(`${routers} routers are in step, and hosts are known`);
  return { own, network, dialer };
}

async function makeCircuits({ network, dialer }: Scene, { routers, circuits }: CircuitScale) {
  const startedAt = performance.now();
  let [made, begun] = [0, 0];
  const lane = async () => {
    while (begun < circuits) {
      begun += 1;
      // All but hubs dial, in turns.
      const number = begun % routers;
      if (await network.dial(isHub(number) ? routers - 1 - number : number, dialer)) made += 1;
      if (begun % 500 === 0) showProgress(`${begun} of ${circuits} circuits`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  say(`${made} circuits in ${seconds.toFixed(1)} s`);
  return { circuits: made, seconds };
}

async function loseRouter({ own, network }: Scene, passing: number) {
  const { number, circuits } = network.busiest(passing);
  const cpu = cpuSeconds(own.pid);
  const startedAt = performance.now();
  network.lose(number);
  const isDone = () => [...circuits].every((id) => network.moved.has(id) || network.ended.has(id));
  while (!isDone() && performance.now() - startedAt < MOVE_MS) await delay(20);
  const seconds = (performance.now() - startedAt) / 1000;
  const moved = [...circuits].filter((id) => network.moved.has(id)).length;
  return { affected: circuits.size, moved, seconds, cpuSeconds: cpuSeconds(own.pid) - cpu };
}
