/** Two routers with a tunneler, scripted and online, and what they host and dial by themselves. */
import { expect } from 'chai';
import { CreateTerminatorResult } from '../../generated/fabric/edge_pb.js';
import { expectStatus } from './client.js';
import { startTestController, unique } from './controller.js';
import type { TestController } from './controller.js';
import { make } from './entities.js';
import { CLIENT } from './paths.js';
import { until } from './poll.js';
import { ScriptedRouter, newRouter } from './scripted-router.js';
import type { EnrolledRouter } from './scripted-router.js';
import type { Shown } from './traffic.js';
import { host, tunnelService } from './tunneler.js';
import type { TunnelService } from './tunneler.js';

export class TunnelWorld {
  private constructor(
    readonly controller: TestController,
    readonly own: EnrolledRouter,
    readonly strange: EnrolledRouter,
    readonly router: ScriptedRouter,
    readonly stranger: ScriptedRouter,
  ) {}

  static async open(): Promise<TunnelWorld> {
    const controller = await startTestController();
    const own = await newRouter(controller, { isTunnelerEnabled: true });
    const strange = await newRouter(controller, { isTunnelerEnabled: true });
    const router = await ScriptedRouter.online(controller.url, own);
    return new TunnelWorld(controller, own, strange, router, await ScriptedRouter.online(controller.url, strange));
  }

  async close(): Promise<void> {
    this.router.close();
    this.stranger.close();
    await this.controller.stop();
  }

  /** Granted to one router, for itself. */
  service(options: object = {}, routerId = this.own.id): Promise<TunnelService> {
    return tunnelService(this.controller, routerId, options);
  }

  async stored(terminatorId: string): Promise<Record<string, unknown> | undefined> {
    const { rows } = await this.controller.database.query(
      `SELECT binding, service_id, router_id, host_id, session_id, instance_id, cost, precedence, is_system
      FROM terminators WHERE id = $1`,
      [terminatorId],
    );
    return rows[0];
  }

  /** The id of a terminator that the router made for itself. */
  async hosted({ id: serviceId }: TunnelService, more: object = {}, by = this.router): Promise<string> {
    const { terminatorId, result, msg } = await host(by, { serviceId, ...more });
    expect([result, msg]).to.deep.equal([CreateTerminatorResult.SUCCESS, '']);
    return terminatorId;
  }

  async isGone(terminatorId: string): Promise<void> {
    await until('the terminator is gone', async () => (await this.stored(terminatorId)) === undefined);
  }

  /** A client of the router, and its session for the service. */
  async client({ id: serviceId }: TunnelService, type: 'Bind' | 'Dial'): Promise<Shown> {
    const word = unique('client');
    const caller = await this.controller.newCaller({ roleAttributes: [word] });
    const policy = (collection: string, roles: object) =>
      make(this.controller, collection, {
        name: unique('policy'),
        semantic: 'AnyOf',
        identityRoles: [`#${word}`],
        ...roles,
      });
    await policy('service-policies', { type, serviceRoles: [`@${serviceId}`] });
    await policy('edge-router-policies', { edgeRouterRoles: [`@${this.own.id}`] });
    const answer = await caller.client.post(`${CLIENT}/sessions`, { serviceId, type });
    const { id, token } = expectStatus(answer, 201).data as { id: string; token: string };
    return { id, sessionToken: token, apiSessionToken: caller.client.token ?? '', caller };
  }
}
