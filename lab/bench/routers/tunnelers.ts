/**
 * Many routers with a tunneler, each with services of its own: how long a change takes from its commit until the last
 * router that it concerns is told.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { ContentType } from '../../../fabric/channel/content-types.js';
import { DataState_ChangeSetSchema } from '../../../generated/fabric/data-model_pb.js';
import { ApiClient } from '../api-client.js';
import { ensureNamed } from '../ensure.js';
import type { Closers } from '../measure.js';
import { say, showProgress } from '../progress.js';
import { MANAGEMENT } from '../world.js';
import type { Named } from '../world.js';
import type { Figure } from './figures.js';
import { Fleet } from './fleet.js';
import type { MeasuredController } from './measured.js';
import { childCpuSeconds, cpuSeconds } from './processes.js';
import { enrollRouter } from './world.js';
import type { FleetRouter } from './fleet.js';

export interface TunnelerScale {
  readonly routers: number;
  /** Services that each of them hosts. */
  readonly services: number;
}

const HOST_V1 = 'NH5p4FpGR';
const CHANGES = 20;
const TOLD_MS = 60_000;
const IN_STEP_MS = 300_000;
/** Until what was asked before is told. */
const SETTLE_MS = 3_000;

export async function measureTunnelers(
  own: MeasuredController,
  scale: TunnelerScale,
  closers: Closers,
  add: (figure: Figure) => void,
): Promise<void> {
  const admin = await new ApiClient(own.url).loginToManage(own.username, own.password);
  const bench = await TunnelerBench.prepare(own, admin, scale);
  closers.push(() => {
    bench.close();
    admin.close();
  });
  await bench.connect();
  const part = 'tunnelers';
  add({ part, name: 'routers with a tunneler', value: scale.routers, unit: '' });
  add({ part, name: 'services of each', value: scale.services, unit: '' });
  for (const [name, change, concerned] of bench.changes()) {
    const [cpu, database] = [cpuSeconds(own.pid), childCpuSeconds(own.pid)];
    const seconds: number[] = [];
    for (let n = 0; n < CHANGES; n += 1) seconds.push(await bench.untilTold(() => change(n), concerned));
    seconds.sort((a, b) => a - b);
    add({ part, name: `${name}: median`, value: seconds[CHANGES / 2] ?? NaN, unit: 's' });
    add({
      part,
      name: `${name}: longest`,
      value: seconds.at(-1) ?? NaN,
      unit: 's',
      bound: { is: 'at most', value: 1 },
    });
    add({ part, name: `${name}: CPU of the controller`, value: (cpuSeconds(own.pid) - cpu) / CHANGES, unit: 's' });
    add({
      part,
      name: `${name}: CPU of PostgreSQL`,
      value: (childCpuSeconds(own.pid) - database) / CHANGES,
      unit: 's',
    });
  }
}

class TunnelerBench {
  readonly #told = new Set<string>();
  #lastMs = 0;

  private constructor(
    readonly admin: ApiClient,
    readonly fleet: Fleet,
    readonly configs: readonly Named[],
    readonly serviceId: string,
  ) {
    for (const member of fleet.members)
      member.onFrame = ({ contentType, body }) => {
        if (contentType !== ContentType.DataStateChangeSet) return;
        if (fromBinary(DataState_ChangeSetSchema, body).isSynthetic) return;
        this.#told.add(member.router.id);
        this.#lastMs = performance.now();
      };
  }

  static async prepare(own: MeasuredController, admin: ApiClient, scale: TunnelerScale): Promise<TunnelerBench> {
    const ensure = ensureNamed(admin);
    const { routers, services } = scale;
    const made = await ensure('edge-routers', 'tunneler-', routers, () => ({ isTunnelerEnabled: true }));
    const data = { protocol: 'tcp', address: 'localhost', port: 1 };
    const configs = await ensure('configs', 'tunneled-', routers, () => ({ configTypeId: HOST_V1, data }));
    await ensure('services', 'tunneled-', routers * services, (index) => ({
      encryptionRequired: false,
      configs: [configs[index % routers]?.id],
      roleAttributes: [`tunneled-${index % routers}`],
    }));
    await ensure('service-policies', 'tunneled-', routers, (index) => ({
      type: 'Bind',
      semantic: 'AnyOf',
      identityRoles: [`@${made[index]?.id}`],
      serviceRoles: [`#tunneled-${index}`],
    }));
    await ensure('service-edge-router-policies', 'tunneled-', 1, () => ({
      semantic: 'AnyOf',
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    }));
    const [shared] = await ensure('services', 'shared-', 1, () => ({ encryptionRequired: false }));
    await ensure('service-policies', 'shared-', 1, () => ({
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: [`@${shared?.id}`],
    }));
    const fleet: FleetRouter[] = [];
    for (const [index, { id }] of made.entries()) {
      fleet.push({ number: index, ...(await enrollRouter(admin, id)) });
      if (index % 20 === 0) showProgress(`own: ${index} of ${routers} tunnelers have enrolled`);
    }
    return new TunnelerBench(admin, new Fleet({ url: own.url, routers: fleet }), configs, shared?.id ?? '');
  }

  async connect(): Promise<void> {
    this.fleet.start();
    const isDone = await this.fleet.allInStep(IN_STEP_MS, (inStep) => {
      showProgress(`${inStep} tunnelers are in step`);
    });
    if (!isDone) throw new Error(`only ${this.fleet.inStep} tunnelers came in step`);
    await delay(SETTLE_MS);
    say(`own: ${this.fleet.members.length} tunnelers are in step`);
  }

  close(): void {
    this.fleet.close();
  }

  /** What is changed, and how many routers it concerns. */
  changes(): [name: string, change: (n: number) => Promise<unknown>, concerned: number][] {
    const { admin } = this;
    const data = (n: number) => ({ protocol: 'tcp', address: 'localhost', port: 2 + n });
    return [
      [
        'config of one',
        (n) => admin.call('PATCH', `${MANAGEMENT}/configs/${this.configs[n]?.id}`, { data: data(n) }),
        1,
      ],
      [
        'service of all',
        (n) => admin.call('PATCH', `${MANAGEMENT}/services/${this.serviceId}`, { name: `shared-other-${n}` }),
        this.fleet.members.length,
      ],
    ];
  }

  /** Returns the seconds from the answer to a change, which comes after its commit, until so many are told. */
  async untilTold(change: () => Promise<unknown>, concerned: number): Promise<number> {
    this.#told.clear();
    await change();
    const committedAt = performance.now();
    for (const deadline = committedAt + TOLD_MS; performance.now() < deadline; await delay(2))
      if (this.#told.size >= concerned) return Math.max(0, this.#lastMs - committedAt) / 1000;
    return Infinity;
  }
}
