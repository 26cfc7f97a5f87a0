/** How the control channel takes connections that end while they are checked, and how it ends itself. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { certFingerprint } from '../../domain/pki/keys.js';
import { GatheredReads } from '../../domain/scheduling/gathered-reads.js';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { KnownRouter } from '../../db/stores/router-sync-view.js';
import { Acceptor } from '../../fabric/channel/acceptor.js';
import type { AcceptorOptions } from '../../fabric/channel/acceptor.js';
import { createFabric } from '../../fabric/fabric.js';
import { encodeFrame } from '../../fabric/channel/frame.js';
import { HELLO_SEQUENCE } from '../../fabric/channel/hello.js';
import { LIMITS } from '../../fabric/channel/limits.js';
import { StandIns } from '../../fabric/channel/stand-ins.js';
import { ChannelRegistry } from '../../fabric/channel/registry.js';
import { RouterLog } from '../../fabric/channel/router-log.js';
import { makeSelfSigned } from '../support/certificates.js';
import { until } from '../support/poll.js';
import { helloMessage } from '../support/scripted-router.js';
import { openStoresForTest } from '../support/stores.js';

const noteFailure = () => undefined;
const controllers = {
  standsInFor: () => [],
  ownId: () => 'c1',
  now: () => ({ index: 1, controllers: [{ id: 'c1', address: 'controller.example:1280' }] }),
};

const logged = (log: Logger): Pick<AcceptorOptions, 'refusals' | 'lines' | 'ownId'> => ({
  refusals: { log, noteFailure },
  lines: new RouterLog({ log, noteFailure }),
  ownId: controllers.ownId,
});

const NO_STAND_INS = {
  standIns: new StandIns(() => []),
  onStandIn: () => undefined,
  onStandInClose: () => undefined,
};

describe('the control channel of a process', () => {
  let server: Server;
  before(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  const peers: Socket[] = [];
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.destroy();
  });
  after((done) => {
    server.close(done);
  });

  it('makes no channel of a connection that ended while it was checked', async () => {
    const accepted = once(server, 'connection');
    const peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
    peer.on('error', () => undefined);
    peers.push(peer);
    const [socket] = (await accepted) as [Socket];
    const { pem, der } = makeSelfSigned({ commonName: 'r1' });
    const router = { id: 'r1', fingerprint: certFingerprint(der), certPem: pem, disabled: false } as KnownRouter;
    const looks: (() => void)[] = [];
    const routers = () =>
      new Promise<KnownRouter[]>((resolve) => {
        looks.push(() => {
          resolve([router]);
        });
      });
    const refused: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => refused.push(line) });
    const registry = new ChannelRegistry(LIMITS.probeMs);
    let opened = 0;
    const acceptor = new Acceptor({
      routers: new GatheredReads(routers),
      ...logged(log),
      registry,
      table: new Map(),
      limits: LIMITS,
      verifications: new YieldQueue({ waiting: 1 }),
      verify: () => ({ isExpired: false, caId: null }) as ReturnType<AcceptorOptions['verify']>,
      ...NO_STAND_INS,
      onOpen: () => (opened += 1),
      onClose: () => undefined,
    });
    acceptor.accept({ socket, certificates: [der], address: 'here' });
    peer.write(Buffer.concat(encodeFrame(HELLO_SEQUENCE, helloMessage('r1'))));
    await until('it is looked up', () => looks.length === 1);
    socket.destroy();
    await once(socket, 'close');
    looks[0]?.();
    await until('it is refused', () => refused.length > 0 || opened > 0);
    expect([opened, registry.get('r1')]).to.deep.equal([0, undefined]);
    expect(refused[0]).to.match(/the connection ended before it was let in/);
  });

  it('ends a channel when the certificate of its router does', async () => {
    const accepted = once(server, 'connection');
    const peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
    peer.on('error', () => undefined);
    peers.push(peer);
    const [socket] = (await accepted) as [Socket];
    const notAfter = new Date(Date.now() + 3_000);
    const { pem, der } = makeSelfSigned({ commonName: 'r1', notAfter });
    const router = { id: 'r1', fingerprint: certFingerprint(der), certPem: pem, disabled: false } as KnownRouter;
    const seen: string[] = [];
    const acceptor = new Acceptor({
      routers: new GatheredReads(async () => [router]),
      ...logged(pino({ level: 'silent' })),
      registry: new ChannelRegistry(LIMITS.probeMs),
      table: new Map(),
      limits: { ...LIMITS, heartbeatMs: 400 },
      verifications: new YieldQueue({ waiting: 1 }),
      verify: () =>
        ({ isExpired: false, caId: null, endsMs: notAfter.getTime() }) as ReturnType<AcceptorOptions['verify']>,
      ...NO_STAND_INS,
      onOpen: () => seen.push('open'),
      onClose: (_, reason) => seen.push(`${reason}, ${Date.now() >= notAfter.getTime() - 1_000 ? 'in time' : 'early'}`),
    });
    acceptor.accept({ socket, certificates: [der], address: 'here' });
    peer.write(Buffer.concat(encodeFrame(HELLO_SEQUENCE, helloMessage('r1'))));
    await until('it ends', () => seen.length === 2);
    expect(seen).to.deep.equal(['open', 'the certificate of the router has expired, in time']);
  });

  it('ends once, however often it is asked to', async () => {
    const fixture = await openStoresForTest();
    const fabric = createFabric({
      stores: fixture.stores,
      log: pino({ level: 'silent' }),
      noteFailure,
      controllerId: 'c1',
      controllers,
      newId: () => 'h1',
      apiSessionToken: (id) => id,
      accessTokenSeconds: 0,
      sessionTimeoutSeconds: 60,
      sessionsSeen: () => undefined,
      apiSessions: {
        find: async () => undefined,
        findSigned: async () => undefined,
        openDial: async () => 'noSession',
      },
      extensions: {
        issue: () => Promise.reject(new Error('nobody asks')),
        complete: () => Promise.reject(new Error('nobody asks')),
      },
      verify: () => {
        throw new Error('nobody comes');
      },
      keySources: () => ({ roots: [], own: [], signerDer: Buffer.alloc(0), signerKids: [] }),
    });
    const first = fabric.close();
    expect(fabric.close()).to.equal(first);
    await first;
    await fixture.close();
  });
});
