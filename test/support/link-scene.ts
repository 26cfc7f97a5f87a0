/** Three routers and the links between them, for suites about paths: what they report, and the circuits over them. */
import { create, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ContentType } from '../../fabric/channel/content-types.js';
import { HelloHeader } from '../../fabric/channel/headers.js';
import {
  FaultSchema,
  FaultSubject,
  ListenersSchema,
  PeerState,
  PeerStateChangesSchema,
  RouterLinksSchema,
} from '../../generated/fabric/control_pb.js';
import type { PeerStateChange, Route } from '../../generated/fabric/control_pb.js';
import { MetricsMessageSchema } from '../../generated/fabric/metrics_pb.js';
import type { TestController } from './controller.js';
import { MANAGEMENT } from './paths.js';
import { until } from './poll.js';
import { ScriptedRouter, newRouter } from './scripted-router.js';
import type { EnrolledRouter } from './scripted-router.js';
import { TrafficWorld, answerRoute, answerTo, bind, dial, routeAt, unrouted } from './traffic.js';
import type { DialAnswer, SeenRoute } from './traffic.js';

type ReportedLink = NonNullable<MessageInitShape<typeof RouterLinksSchema>['links']>[number];

export interface Scene {
  readonly first: ScriptedRouter;
  readonly second: ScriptedRouter;
  readonly third: ScriptedRouter;
  readonly world: TrafficWorld;
}

export const listenersOf = (address: string) =>
  toBinary(
    ListenersSchema,
    create(ListenersSchema, { listeners: [{ address, protocol: 'tls', groups: ['default'] }] }),
  );

/** The item with this number; a suite that asks for another has a fault. */
export function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

export const report = (router: ScriptedRouter, links: readonly ReportedLink[], fullRefresh = false) =>
  router.sendTyped(ContentType.RouterLinks, RouterLinksSchema, { links: [...links], fullRefresh });

export const linkTo = (router: ScriptedRouter, id: string, iteration = 1): ReportedLink => ({
  id,
  destRouterId: router.id,
  linkProtocol: 'tls',
  dialAddress: 'tls:router.example:6000',
  iteration,
});

export const linkFault = (router: ScriptedRouter, id: string, iteration = 1) =>
  router.sendTyped(ContentType.Fault, FaultSchema, { subject: FaultSubject.LINK, id, iteration });

export const faultsAt = (router: ScriptedRouter) =>
  router.bodies(ContentType.Fault, FaultSchema).map(({ subject, id, iteration }) => ({ subject, id, iteration }));

/** Says what a router measured at its ends of links, in milliseconds. */
export const measured = (router: ScriptedRouter, latencies: Readonly<Record<string, number>>) =>
  router.sendTyped(ContentType.Metrics, MetricsMessageSchema, {
    histograms: Object.fromEntries(
      Object.entries(latencies).map(([id, ms]) => [`link.${id}.latency`, { mean: ms * 1e6, count: 1n }]),
    ),
  });

export const changesAt = (router: ScriptedRouter): PeerStateChange[] =>
  router.bodies(ContentType.PeerStateChanges, PeerStateChangesSchema).flatMap(({ changes }) => changes);

export const change = (router: ScriptedRouter, id: string, state: PeerState): Promise<PeerStateChange> =>
  until<PeerStateChange>(`${id} is ${PeerState[state]}`, () =>
    changesAt(router).find((each) => each.id === id && each.state === state),
  );

/** All of them were told to forget the circuit. */
export const ended = async (circuitId: string, ...path: readonly ScriptedRouter[]): Promise<void> => {
  await until('the circuit has ended', () => path.every((router) => unrouted(router).includes(circuitId)));
};

/** Routers that are told of a circuit which moves do as they are told; each is given with the number of its route. */
export async function moved(...path: readonly (readonly [ScriptedRouter, number])[]): Promise<readonly SeenRoute[]> {
  const routes = await Promise.all(path.map(([router, index]) => routeAt(router, index)));
  for (const [index, [router]] of path.entries()) answerRoute(router, at(routes, index));
  return routes;
}

export class LinkScene {
  readonly controller: TestController;
  #enrolled: EnrolledRouter[] = [];
  #routers: ScriptedRouter[] = [];

  constructor(controller: TestController) {
    this.controller = controller;
  }

  /** Call before each test. */
  async begin(): Promise<void> {
    this.#enrolled = [];
    this.#routers = [];
    for (const name of ['first', 'second', 'third'])
      this.#enrolled.push(await newRouter(this.controller, { roleAttributes: [name] }));
  }

  /** Call after each test. */
  async end(): Promise<void> {
    for (const router of this.#routers) router.close();
    for (const { id } of this.#enrolled) await this.controller.admin.delete(`${MANAGEMENT}/edge-routers/${id}`);
  }

  enrolled(index: number): EnrolledRouter {
    return at(this.#enrolled, index);
  }

  /** Connects the router with this number. */
  async online(index: number, address = `tls:router-${index}.example:6000`): Promise<ScriptedRouter> {
    const router = await ScriptedRouter.knock(this.controller.url, this.enrolled(index), [
      [HelloHeader.Listeners, listenersOf(address)],
    ]);
    await router.next(ContentType.Result);
    await router.sayClientHello({ hostname: 'router.example', port: 3022 });
    await router.wholeState();
    this.#routers.push(router);
    return router;
  }

  /** A host at the second router; all are online, and there is no link. */
  async scene(): Promise<Scene> {
    const [first, second, third] = [await this.online(0), await this.online(1), await this.online(2)];
    const world = await new TrafficWorld(this.controller).prepare(['#all']);
    await bind(second, await world.host());
    return { first, second, third, world };
  }

  /** Dials at the first router; each router of the path does what it is told. */
  async dialed(
    { first, world }: Pick<Scene, 'first' | 'world'>,
    path: readonly ScriptedRouter[],
  ): Promise<{ answer: DialAnswer; routes: Route[] }> {
    const before = path.map(
      (router) => router.received.filter(({ contentType }) => contentType === ContentType.Route).length,
    );
    const sequence = dial(first, await world.dialer());
    const routes = await Promise.all(
      path.map(async (router, index) => {
        const seen = await routeAt(router, before[index] ?? 0);
        answerRoute(router, seen);
        return seen.route;
      }),
    );
    return { answer: await answerTo(first, sequence), routes };
  }
}
