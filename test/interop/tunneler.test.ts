/**
 * Stock routers that host and dial by themselves: a `tunnel` listener of release 2.0.3. Needs the `ziti` binary:
 * test/support/ziti.ts says where it is looked for.
 */
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { makeConfig, makeService } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { describeStock } from '../support/unless.js';
import { ZitiShop } from '../support/ziti.js';
import type { ZitiRouter } from '../support/ziti.js';

const WAIT_MS = 60_000;

interface Service {
  readonly id: string;
  readonly name: string;
  readonly configId: string;
}

/** A TCP connection. */
interface Talk {
  readonly isOpen: () => boolean;
  readonly heard: () => string;
  say(text: string): void;
  /** What is said comes back. */
  echo(text: string): Promise<void>;
}

describeStock('stock routers with a tunneler', (binary) => {
  let controller: TestController;
  let ziti: ZitiShop;
  let echo: Server;
  let echoPort: number;
  const sockets: Socket[] = [];

  before(async () => {
    controller = await startReachable();
    ziti = new ZitiShop(binary, controller);
    echo = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.pipe(socket);
    });
    echo.listen(0, '127.0.0.1');
    await until('the echo listens', () => echo.listening);
    echoPort = (echo.address() as AddressInfo).port;
    await policy('service-edge-router-policies', { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
  });
  after(async () => {
    sockets.forEach((socket) => socket.destroy());
    echo.close();
    await ziti.close();
    await controller.stop();
  });

  const policy = (collection: string, roles: object) =>
    make(controller, collection, { name: unique('policy'), semantic: 'AnyOf', ...roles });
  const grant = (type: string, identityId: string, serviceId: string) =>
    policy('service-policies', { type, identityRoles: [`@${identityId}`], serviceRoles: [`@${serviceId}`] });
  const remove = async (path: string) => expectStatus(await controller.admin.delete(`${MANAGEMENT}/${path}`), 200);
  /** A service whose host connects to the echo. */
  const service = async (): Promise<Service> => {
    const name = unique('hosted');
    const configId = await makeConfig(controller, {
      name: `${name}-host`,
      configTypeId: 'NH5p4FpGR',
      data: { protocol: 'tcp', address: '127.0.0.1', port: echoPort },
    });
    return {
      name,
      configId,
      id: await makeService(controller, { name, encryptionRequired: true, configs: [configId] }),
    };
  };
  const terminators = async (serviceId: string) =>
    (
      await controller.database.query(
        'SELECT id, binding, host_id, router_id, cost, precedence FROM terminators WHERE service_id = $1',
        [serviceId],
      )
    ).rows;
  const isHosted = async (router: ZitiRouter, serviceId: string) =>
    until(
      'the router hosts the service',
      async () => {
        if (!router.process.isRunning()) throw new Error(`the router ended: ${router.process.output()}`);
        return (await terminators(serviceId)).length > 0;
      },
      WAIT_MS,
    );
  const talk = async (port: number, router: ZitiRouter): Promise<Talk> => {
    const socket = connect({ host: '127.0.0.1', port });
    sockets.push(socket);
    let [heard, isOpen] = ['', true];
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
    });
    socket.on('error', () => undefined);
    for (const event of ['close', 'end'] as const)
      socket.on(event, () => {
        isOpen = false;
      });
    return {
      isOpen: () => isOpen,
      heard: () => heard,
      say: (text) => socket.write(text),
      async echo(text) {
        socket.write(`${text}\n`);
        await until(
          `${text} comes back`,
          () => {
            if (!isOpen) throw new Error(`closed before ${text} came back; ${router.process.output().slice(-3000)}`);
            return heard.includes(text);
          },
          WAIT_MS,
        );
      },
    };
  };
  const isListening = (port: number) =>
    new Promise<boolean>((resolve) => {
      const probe = connect({ host: '127.0.0.1', port });
      probe.on('connect', () => {
        probe.destroy();
        resolve(true);
      });
      probe.on('error', () => {
        resolve(false);
      });
    });

  /** A tunneler of a client that may dial the service over this router alone. @returns the port where it listens */
  const clientOf = async (made: Service, { id }: ZitiRouter): Promise<number> => {
    const client = await ziti.identity([]);
    await policy('edge-router-policies', { identityRoles: [`@${client.id}`], edgeRouterRoles: [`@${id}`] });
    await grant('Dial', client.id, made.id);
    const port = await freePort();
    ziti.start('tunnel', 'proxy', `${made.name}:${port}`, '-i', client.file, '--dnsUpstream', '', '-v');
    await until('the tunneler listens', () => isListening(port), WAIT_MS);
    return port;
  };
  const hostedIds = async (serviceId: string) => (await terminators(serviceId)).map((row) => String(row['id'])).sort();
  const isGone = (serviceId: string) =>
    until('the terminator is gone', async () => (await terminators(serviceId)).length === 0, WAIT_MS);

  it('host a service by its config, and by its next one; losing the policy ends it', async () => {
    const router = await ziti.router('tunnel', { tunnel: { mode: 'host' } });
    const [made, other] = [await service(), await service()];
    const bind = await grant('Bind', router.id, made.id);
    await grant('Bind', router.id, other.id);
    await isHosted(router, made.id);
    await isHosted(router, other.id);
    expect((await terminators(made.id))[0]).to.deep.include({
      binding: 'tunnel',
      host_id: router.id,
      router_id: router.id,
    });
    const [port, bystanderPort] = [await clientOf(made, router), await clientOf(other, router)];
    const [talks, bystander] = [await talk(port, router), await talk(bystanderPort, router)];
    await talks.echo('through the router itself');
    await bystander.echo('and through another service');

    const second = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.end('the second one');
    });
    second.listen(0, '127.0.0.1');
    await until('the second host listens', () => second.listening);
    const data = { protocol: 'tcp', address: '127.0.0.1', port: (second.address() as AddressInfo).port };
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/configs/${made.configId}`, { data }), 200);
    await until(
      'the second host is reached',
      async () => {
        const there = await talk(port, router);
        there.say('who is there?');
        await until('it answers', () => !there.isOpen() || there.heard() !== '', WAIT_MS);
        return there.heard().includes('the second one');
      },
      WAIT_MS,
    );
    second.close();

    await remove(`service-policies/${bind}`);
    await isGone(made.id);
    await bystander.echo('the other one goes on');
  });

  it('dial a service as a proxy; losing the policy ends it, a new one brings it back', async () => {
    const made = await service();
    const port = await freePort();
    const router = await ziti.router('tunnel', { tunnel: { mode: 'proxy', services: [`${made.name}:${port}`] } });
    await grant('Bind', router.id, made.id);
    const dial = await grant('Dial', router.id, made.id);
    await isHosted(router, made.id);
    await until('the proxy listens', () => isListening(port), WAIT_MS);
    const talks = await talk(port, router);
    await talks.echo('from the router to the router');
    await remove(`service-policies/${dial}`);
    await until('the connection ends', () => !talks.isOpen(), WAIT_MS);
    await until('the proxy does not listen', async () => !(await isListening(port)), WAIT_MS);
    await grant('Dial', router.id, made.id);
    await until('the proxy listens again', () => isListening(port), WAIT_MS);
    // The next release hosts again what it dials, 2 s after a grant of either: until then there is no terminator.
    const echoes = async () => {
      const again = await talk(port, router);
      return again.echo('again').then(
        () => true,
        () => false,
      );
    };
    await until('it is dialed again', echoes, WAIT_MS);
  });

  it('go on hosting over a cut, hear what they missed, and host again after a restart', async () => {
    const router = await ziti.router('tunnel', { tunnel: { mode: 'host' } });
    const [kept, lost, late] = [await service(), await service(), await service()];
    await grant('Bind', router.id, kept.id);
    const policyOfLost = await grant('Bind', router.id, lost.id);
    await isHosted(router, kept.id);
    await isHosted(router, lost.id);
    const before = await hostedIds(kept.id);
    const talks = await talk(await clientOf(kept, router), router);
    await talks.echo('before');
    const path = `${MANAGEMENT}/edge-routers/${router.id}`;
    expectStatus(await controller.admin.patch(path, { disabled: true }), 200);
    await until('the router is cut', async () => {
      const { data } = await controller.admin.get(path);
      return !(data as { isOnline: boolean }).isOnline;
    });
    await talks.echo('meanwhile');
    await remove(`service-policies/${policyOfLost}`);
    await grant('Bind', router.id, late.id);
    expectStatus(await controller.admin.patch(path, { disabled: false }), 200);
    await ziti.online(router);
    await isHosted(router, late.id);
    await isGone(lost.id);
    expect(await hostedIds(kept.id)).to.deep.equal(before);
    await talks.echo('after');

    await router.process.kill();
    router.process = ziti.runRouter(router.name);
    await ziti.online(router);
    const port = await clientOf(kept, router);
    await until(
      'the service is hosted by the new process',
      async () => {
        const there = await talk(port, router);
        there.say('after the restart');
        await until('it answers', () => !there.isOpen() || there.heard() !== '', WAIT_MS);
        return there.heard() === 'after the restart';
      },
      WAIT_MS,
    );
    expect(await hostedIds(kept.id)).to.have.length(1);
  });

  it('stop hosting when the tunneler is switched off, and host again when it is switched on', async () => {
    const router = await ziti.router('tunnel', { tunnel: { mode: 'host' } });
    const made = await service();
    await policy('service-policies', { type: 'Bind', identityRoles: ['#switched'], serviceRoles: [`@${made.id}`] });
    const attributed = () =>
      controller.admin.patch(`${MANAGEMENT}/identities/${router.id}`, { roleAttributes: ['switched'] });
    expectStatus(await attributed(), 200);
    await isHosted(router, made.id);
    const path = `${MANAGEMENT}/edge-routers/${router.id}`;
    expectStatus(await controller.admin.patch(path, { isTunnelerEnabled: false }), 200);
    await isGone(made.id);
    for (const isTunnelerEnabled of [true, false, true])
      expectStatus(await controller.admin.patch(path, { isTunnelerEnabled }), 200);
    expectStatus(await attributed(), 200);
    await isHosted(router, made.id);
    await (await talk(await clientOf(made, router), router)).echo('switched on');
  });
});
