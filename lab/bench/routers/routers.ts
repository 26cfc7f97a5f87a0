/**
 * Many routers on one controller, part by part: in step, at rest, beside the APIs, when a policy goes, when the
 * controller is killed; then circuits, dials of the field's own programs, changes beside tunnelers, and clients with
 * access tokens. Each part is bounded in time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ValidateSessionsRequestSchema } from '../../../generated/fabric/edge_pb.js';
import { ContentType } from '../../../fabric/channel/content-types.js';
import { ApiClient } from '../api-client.js';
import type { Closers } from '../measure.js';
import { UsageError } from '../options.js';
import { say, showProgress } from '../progress.js';
import { CLIENT, MANAGEMENT } from '../world.js';
import { measureBearers } from './bearers.js';
import { CircuitBench } from './circuits.js';
import type { CircuitTarget } from './circuits.js';
import type { Figure } from './figures.js';
import { Fleet } from './fleet.js';
import type { KnownSession } from './fleet.js';
import { MeasuredController } from './measured.js';
import { cpuSeconds, childCpuSeconds, peakMiB, residentMiB } from './processes.js';
import { startReference } from './reference.js';
import { RestProbe, restCases } from './rest.js';
import type { RestCase, RestFigure } from './rest.js';
import { measureSdkDials } from './sdk-dials.js';
import { measureTunnelers } from './tunnelers.js';
import { knowTokens, openSessions, seedRouters } from './world.js';
import type { RouterScale, RouterWorld } from './world.js';

export const PARTS = ['rest', 'policy', 'kill', 'circuits', 'dials', 'tunnelers', 'bearers'] as const;
export type Part = (typeof PARTS)[number];

export interface RouterOptions extends RouterScale {
  /** Services of each router with a tunneler. */
  readonly tunneled: number;
  /** Sessions in use when their policy is deleted. */
  readonly sessions: number;
  /** Of each case and each number of dials in flight. */
  readonly seconds: number;
  /** The field's program: the controller to compare with, its router and its SDK. */
  readonly reference: string | undefined;
  /** Empty: all parts. */
  readonly only: readonly string[];
}

const AT_REST_SECONDS = 20;
const SYNC_MS = 300_000;
const KILL_MS = 300_000;
const WATCHED_SECONDS = 30;
const POLICY_MS = 120_000;
/** Until what came before is over. */
const SETTLE_MS = 3_000;
/** Until what routers said of their sessions is worked on. */
const REPORT_MS = 20_000;
const IN_FLIGHT = [1, 50];
/** One dial after the other is bound by the turns of the connection, whoever answers: rates are compared with many. */
const COMPARED = 50;

/** Lines of these levels. */
const WARNINGS = /"level":(?:[4-9]0|"(?:warn|error|fatal)")/;

export function pickParts(only: readonly string[]): ReadonlySet<Part> {
  const picked = PARTS.filter((part) => only.length === 0 || only.some((term) => part.includes(term)));
  if (picked.length === 0) throw new UsageError(`no part is named so; there are: ${PARTS.join(', ')}`);
  return new Set(picked);
}

export async function measureRouters(
  options: RouterOptions,
  closers: Closers,
  onFigure: (figure: Figure) => void,
): Promise<Figure[]> {
  const parts = pickParts(options.only);
  const figures: Figure[] = [];
  const add = (figure: Figure) => {
    figures.push(figure);
    onFigure(figure);
  };
  const own = await MeasuredController.start((stop) => closers.push(stop));
  if (['rest', 'policy', 'kill'].some((part) => parts.has(part as Part))) {
    const bench = await RouterBench.prepare(own, options, closers, add);
    await bench.run(parts);
  }
  if (parts.has('circuits') || parts.has('dials')) await compare(own, options, parts, closers, add);
  if (parts.has('tunnelers')) {
    const { routers, tunneled: services } = options;
    await measureTunnelers(own, { routers, services }, closers, add);
  }
  if (parts.has('bearers')) await measureBearers(own, options, closers, add);
  return figures;
}

type Add = (figure: Figure) => void;

/** The parts that need many routers. */
class RouterBench {
  #fleet: Fleet;

  private constructor(
    readonly own: MeasuredController,
    readonly options: RouterOptions,
    readonly world: RouterWorld,
    readonly admin: ApiClient,
    readonly cases: readonly RestCase[],
    readonly probe: RestProbe,
    readonly add: Add,
  ) {
    this.#fleet = new Fleet({ url: own.url, routers: world.fleet });
  }

  static async prepare(own: MeasuredController, options: RouterOptions, closers: Closers, add: Add) {
    const anonymous = new ApiClient(own.url);
    const admin = await anonymous.loginToManage(own.username, own.password);
    const world = await seedRouters(admin, own.connection, options);
    const password = own.password;
    const identityId = await admin.create(`${MANAGEMENT}/identities`, {
      name: 'bench-client',
      type: 'Device',
      isAdmin: false,
      roleAttributes: ['bench-site-0', 'bench-dial'],
    });
    await admin.create(`${MANAGEMENT}/authenticators`, {
      identityId,
      method: 'updb',
      username: 'bench-client',
      password,
    });
    const client = await anonymous.login('bench-client', password);
    anonymous.close();
    const probe = new RestProbe({ url: own.url, pid: () => own.pid });
    const cases = restCases(admin, client, { identityId, serviceId: world.serviceId });
    closers.push(
      () => probe.close(),
      () => {
        admin.close();
        client.close();
      },
    );
    await client.call('POST', `${CLIENT}/sessions`, { serviceId: world.serviceId, type: 'Dial' });
    const bench = new RouterBench(own, options, world, admin, cases, probe, add);
    closers.push(() => {
      bench.#fleet.close();
    });
    return bench;
  }

  async run(parts: ReadonlySet<Part>): Promise<void> {
    const without = parts.has('rest') ? await this.#rest('without routers') : [];
    await this.#connect();
    if (parts.has('rest')) {
      await this.#atRest();
      this.#compareRest(without, await this.#rest('with routers'));
    }
    if (parts.has('policy')) await this.#policy();
    if (parts.has('kill')) await this.#kill();
    this.#fleet.close();
    const warnings = this.own.logged(WARNINGS);
    if (warnings.length > 0) say(`own: its log warns:\n  ${warnings.join('\n  ')}`);
  }

  async #connect(): Promise<void> {
    const { own, options, world, add } = this;
    const part = 'in step';
    const cpu = cpuSeconds(own.pid);
    const startedAt = performance.now();
    this.#fleet.start();
    const isDone = await this.#fleet.allInStep(SYNC_MS, (inStep) => {
      showProgress(`${inStep} of ${options.routers} routers are in step`);
    });
    if (!isDone)
      throw new Error(
        `only ${this.#fleet.inStep} of ${options.routers} routers came in step; its log says of routers:\n` +
          own.logged(/router|API sessions/).join('\n'),
      );
    add({ part, name: 'routers', value: options.routers, unit: '' });
    add({ part, name: 'API sessions', value: options.apiSessions, unit: '' });
    add({ part, name: 'from the first connection to all in step', value: since(startedAt), unit: 's' });
    add({ part, name: 'CPU of the controller for it', value: cpuSeconds(own.pid) - cpu, unit: 's' });
    add({ part, name: 'API sessions told', value: this.#fleet.toldBytes / 2 ** 20, unit: 'MiB' });
    const known = new Map<string, KnownSession>();
    for (const { clients } of this.#fleet.members) for (const client of clients) known.set(client.id, client);
    await knowTokens(own.connection, [...known.values()]);
    say(`own: ${world.fleet.length} routers are in step`);
  }

  async #atRest(): Promise<void> {
    const { own, add } = this;
    const part = 'at rest';
    await delay(SETTLE_MS);
    const [cpu, database, startedAt] = [cpuSeconds(own.pid), childCpuSeconds(own.pid), performance.now()];
    showProgress(`at rest for ${AT_REST_SECONDS} s`);
    await delay(AT_REST_SECONDS * 1000);
    const seconds = since(startedAt);
    add({
      part,
      name: 'CPU of the controller',
      value: (cpuSeconds(own.pid) - cpu) / seconds,
      unit: 'cores',
      bound: { is: 'at most', value: 0.25 },
    });
    add({
      part,
      name: 'CPU of PostgreSQL',
      value: (childCpuSeconds(own.pid) - database) / seconds,
      unit: 'cores',
    });
    add({
      part,
      name: 'resident memory of the controller',
      value: residentMiB(own.pid),
      unit: 'MiB',
      bound: { is: 'at most', value: 600 },
    });
    add({ part, name: 'its peak so far', value: peakMiB(own.pid), unit: 'MiB' });
    add({ part, name: 'routers in step', value: this.#fleet.inStep, unit: '' });
  }

  #rest(what: string): Promise<RestFigure[]> {
    showProgress(`REST ${what}`);
    return this.probe.measure(this.cases, this.options.seconds);
  }

  #compareRest(without: readonly RestFigure[], beside: readonly RestFigure[]): void {
    for (const [index, { name, ...now }] of beside.entries()) {
      const before = without[index];
      if (before === undefined) continue;
      const part = 'rest';
      this.add({ part, name: `${name}: CPU without`, value: before.cpuMsEach, unit: 'ms' });
      this.add({ part, name: `${name}: CPU of PostgreSQL without`, value: before.databaseMsEach, unit: 'ms' });
      this.add({ part, name: `${name}: CPU of PostgreSQL with`, value: now.databaseMsEach, unit: 'ms' });
      this.add({
        part,
        name: `${name}: CPU with, as a share`,
        value: now.cpuMsEach / before.cpuMsEach,
        unit: '',
        bound: { is: 'at most', value: 1.1 },
      });
      this.add({
        part,
        name: `${name}: rate with, as a share`,
        value: now.rate / before.rate,
        unit: '',
        bound: { is: 'at least', value: 0.9 },
      });
    }
  }

  /** Routers say which sessions their clients use, the administrator deletes the policy, every router hears. */
  async #policy(): Promise<void> {
    const { own, options, world, add } = this;
    const part = 'policy';
    const bySite = await openSessions(own.connection, world, options.sessions);
    const ids = [...bySite.values()].flat();
    const routersOfSite = Math.ceil(options.routers / options.sites);
    for (const { link, router } of this.#fleet.members) {
      const mine = (bySite.get(router.number % options.sites) ?? []).filter(
        (_, at) => at % routersOfSite === Math.floor(router.number / options.sites),
      );
      if (mine.length > 0)
        link?.sendTyped(ContentType.ValidateSessions, ValidateSessionsRequestSchema, {
          sessionTokens: mine,
        });
    }
    await delay(REPORT_MS);
    const before = this.#fleet.removed.size;
    if (before > 0) say(`own: ${before} sessions were removed although nothing had changed`);
    this.#fleet.removed.clear();
    const [cpu, database] = [cpuSeconds(own.pid), childCpuSeconds(own.pid)];
    const startedAt = performance.now();
    await this.admin.call('DELETE', `${MANAGEMENT}/service-policies/${world.policyId}`);
    add({ part, name: 'sessions in use', value: ids.length, unit: '' });
    add({ part, name: 'answer to the delete', value: since(startedAt), unit: 's' });
    for (const deadline = performance.now() + POLICY_MS; performance.now() < deadline; await delay(20))
      if (this.#fleet.removed.size >= ids.length) break;
    add({
      part,
      name: 'sessions of which routers heard that they ended',
      value: this.#fleet.removed.size,
      unit: '',
      bound: { is: 'at least', value: ids.length },
    });
    add({
      part,
      name: 'from the delete to the last of them',
      value: (this.#fleet.lastRemovedMs - startedAt) / 1000,
      unit: 's',
    });
    add({ part, name: 'CPU of the controller for it', value: cpuSeconds(own.pid) - cpu, unit: 's' });
    add({ part, name: 'CPU of PostgreSQL for it', value: childCpuSeconds(own.pid) - database, unit: 's' });
  }

  async #kill(): Promise<void> {
    const { own, options, add } = this;
    const part = 'kill -9';
    const startMs = await own.killAndStart();
    add({ part, name: 'until it answers again', value: startMs / 1000, unit: 's' });
    const startedAt = performance.now();
    const reads = this.cases.filter(({ request }) => request.method === 'GET');
    const watching = this.probe.watch(reads, WATCHED_SECONDS);
    const isDone = await this.#fleet.allInStep(KILL_MS, (inStep) => {
      showProgress(`${inStep} of ${options.routers} routers are in step again`);
    });
    add({
      part,
      name: 'from its first answer to all routers in step',
      value: isDone ? since(startedAt) : Infinity,
      unit: 's',
      bound: { is: 'at most', value: 30 },
    });
    add({ part, name: 'routers in step', value: this.#fleet.inStep, unit: '' });
    const watched = await watching;
    add({
      part,
      name: 'p99 of reads meanwhile',
      value: watched.p99Ms,
      unit: 'ms',
      bound: { is: 'at most', value: 250 },
    });
    add({ part, name: 'p50 of reads meanwhile', value: watched.p50Ms, unit: 'ms' });
    add({ part, name: 'reads that failed', value: watched.errors, unit: '', bound: { is: 'at most', value: 0 } });
    add({ part, name: 'CPU of the controller since its start', value: cpuSeconds(own.pid), unit: 's' });
    add({ part, name: 'peak of its memory', value: peakMiB(own.pid), unit: 'MiB' });
  }
}

const since = (startedAt: number): number => (performance.now() - startedAt) / 1000;

/** The parts that need one router: the same against the reference, where there is one. */
async function compare(
  own: MeasuredController,
  options: RouterOptions,
  parts: ReadonlySet<Part>,
  closers: Closers,
  add: Add,
): Promise<void> {
  const targets: CircuitTarget[] = [
    {
      label: 'own',
      url: own.url,
      controlUrl: own.url,
      pid: own.pid,
      admin: await new ApiClient(own.url).loginToManage(own.username, own.password),
    },
  ];
  if (options.reference !== undefined) {
    showProgress('starting the reference controller');
    const reference = await startReference(options.reference, (stop) => closers.push(stop));
    const { url, controlUrl, pid, username, password } = reference;
    const admin = await new ApiClient(url).loginToManage(username, password);
    targets.push({ label: 'reference', url, controlUrl, pid, admin });
  }
  if (parts.has('circuits')) await circuits(targets, options.seconds, closers, add);
  if (parts.has('dials') && options.reference !== undefined)
    for (const target of targets) await measureSdkDials(target, options.reference, closers, add);
  for (const { admin } of targets) admin.close();
}

/** One after the other and back again, so that what else the machine does falls on both. */
async function circuits(targets: readonly CircuitTarget[], seconds: number, closers: Closers, add: Add): Promise<void> {
  const benches: CircuitBench[] = [];
  for (const target of targets) benches.push(await CircuitBench.prepare(target));
  closers.push(() => {
    for (const bench of benches) bench.close();
  });
  for (const inFlight of IN_FLIGHT) {
    const rates: number[] = [];
    for (const [index, bench] of benches.entries()) {
      const label = targets[index]?.label ?? '';
      showProgress(`${label}: circuits, ${inFlight} in flight`);
      const { rate, p50Ms, p99Ms, cpuMsEach, refused } = await bench.run(inFlight, seconds);
      const part = 'circuits';
      const what = `${label}, ${inFlight} in flight:`;
      add({ part, name: `${what} circuits a second`, value: rate, unit: '/s' });
      add({ part, name: `${what} p50`, value: p50Ms, unit: 'ms' });
      add({ part, name: `${what} p99`, value: p99Ms, unit: 'ms' });
      add({ part, name: `${what} CPU of the controller for each`, value: cpuMsEach, unit: 'ms' });
      if (refused > 0)
        add({ part, name: `${what} refused`, value: refused, unit: '', bound: { is: 'at most', value: 0 } });
      rates.push(rate);
    }
    const [ours, theirs] = rates;
    if (ours !== undefined && theirs !== undefined)
      add({
        part: 'circuits',
        name: `${inFlight} in flight: our rate over theirs`,
        value: ours / theirs,
        unit: '',
        ...(inFlight === COMPARED ? { bound: { is: 'at least', value: 2 } } : {}),
      });
  }
  for (const bench of benches) bench.close();
}
