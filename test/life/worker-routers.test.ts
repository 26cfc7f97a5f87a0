/** Routers of a controller with several workers: whichever accepts one, a single process holds them all. */
import { expect } from 'chai';
import pg from 'pg';
import { runningConnection } from '../../db/embedded/supervisor.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, textOf } from '../../fabric/channel/frame.js';
import { ConnectEventsSchema } from '../../generated/fabric/edge_pb.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { read } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';

const WORKERS = 3;
const ROUTERS = 9;

const OWN = { EDGE_CONTROL_LISTEN: '127.0.0.1:0', EDGE_CONTROL_ADVERTISE: 'localhost:6262' };

for (const [name, settings] of [
  ['routers and several workers', {}],
  ['routers at an address of their own, and several workers', OWN],
] as const)
  describe(name, function () {
    this.timeout(300_000);
    const shop = new ProcessShop();
    const dataDir = shop.dataDir();
    const routers: EnrolledRouter[] = [];
    const open: ScriptedRouter[] = [];
    let controller: ControllerProcess;
    let url: string;
    let door: string;
    let admin: Client;
    before(async () => {
      controller = shop.start(dataDir, {
        env: {
          EDGE_WORKERS: String(WORKERS),
          EDGE_ADMIN_PASSWORD: ADMIN.password,
          EDGE_LOG_REQUESTS: 'none',
          ...settings,
        },
      });
      url = await controller.ready(60_000);
      const doors = controller.log().filter(({ msg }) => msg === 'routers have an address of their own');
      expect(doors).to.have.length(settings === OWN ? 1 : 0);
      door = settings === OWN ? `https://${String(doors[0]?.['address'])}` : url;
      admin = await shop.login(url);
      for (let index = 0; index < ROUTERS; index += 1)
        routers.push(await newRouter({ admin, anonymous: shop.client(url) }));
    });
    after(async () => {
      for (const router of open) router.close();
      await shop.end();
    });

    const isOnline = async ({ id }: EnrolledRouter) =>
      (await read<{ isOnline: boolean }>({ admin }, `edge-routers/${id}`)).isOnline;
    const hosts = async (): Promise<number> => {
      const client = new pg.Client(runningConnection(dataDir));
      await client.connect();
      try {
        const { rows } = await client.query<{ hosts: number }>(
          'SELECT count(DISTINCT host_id)::int AS hosts FROM router_channels',
        );
        return rows[0]?.hosts ?? 0;
      } finally {
        await client.end();
      }
    };

    it('are all online, with one process', async () => {
      open.push(...(await Promise.all(routers.map((router) => ScriptedRouter.online(door, router)))));
      for (const router of routers) await until('it is online', () => isOnline(router));
      expect(await hosts()).to.equal(1);
      for (const router of open)
        expect(textOf(await router.reply(router.send(message(ContentType.Ping))))).to.equal('ok');
    });

    it('are shown by all processes with the identities that they report', async () => {
      const id = await makeIdentity({ admin }, { name: `reported ${name}` });
      open[0]?.sendTyped(ContentType.ConnectEvents, ConnectEventsSchema, {
        events: [{ identityId: id, isConnected: true }],
      });
      // Each connection is another worker's.
      const clients = Array.from({ length: 3 * WORKERS }, () => shop.client(url, admin.token));
      for (const client of clients)
        await until('it is online', async () => {
          const path = `identities/${id}`;
          return (await read<Record<string, unknown>>({ admin: client }, path))['hasEdgeRouterConnection'] === true;
        });
    });

    it('are named in the log when they advertise hosts that are not in their certificates', async () => {
      await until('the warning', () =>
        controller
          .log()
          .some(
            ({ level, msg, routerId, hosts: named }) =>
              level === 'warn' &&
              msg.startsWith('a router advertises hosts that are not in its certificate') &&
              routerId === routers[0]?.id &&
              JSON.stringify(named) === '["router.example"]',
          ),
      );
    });

    it('take large messages from it, whichever way they go', async () => {
      const body = Buffer.alloc(3 << 20, 7);
      for (const router of open) router.send(message(1_234, body));
      for (const router of open)
        expect(textOf(await router.reply(router.send(message(ContentType.Ping))))).to.equal('ok');
    });

    it('are cut, whichever worker is told', async () => {
      for (const { id } of routers)
        expectStatus(await shop.client(url, admin.token).delete(`${MANAGEMENT}/edge-routers/${id}`), 200);
      await Promise.all(open.map((router) => router.cut()));
      const refused = await Promise.all(routers.slice(0, WORKERS).map((router) => ScriptedRouter.knock(door, router)));
      await Promise.all(refused.map((router) => router.cut()));
      expect(refused.flatMap(({ received }) => received)).to.deep.equal([]);
    });

    it('do not hold up its end', async () => {
      const { code } = await controller.stop();
      expect(code).to.equal(0);
    });
  });
