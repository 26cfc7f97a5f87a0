/** Operators of routers have them emptied, used again or deleted, and routers listen at other addresses than before. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message } from '../../fabric/channel/frame.js';
import { Header, readBoolean } from '../../fabric/channel/headers.js';
import { ListenersSchema, PeerState } from '../../generated/fabric/control_pb.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf } from '../support/entities.js';
import { LinkScene, change, changesAt, linkTo, moved, report } from '../support/link-scene.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import type { ScriptedRouter } from '../support/scripted-router.js';
import { answerRoute, answerTo, bind, dial, routeAt, settled, unrouted } from '../support/traffic.js';

describe('the operator of a router', () => {
  let controller: TestController;
  let scenes: LinkScene;

  before(async () => {
    controller = await startTestController();
    scenes = new LinkScene(controller);
  });
  beforeEach(() => scenes.begin());
  afterEach(() => scenes.end());
  after(() => controller.stop());

  const ask = async (router: ScriptedRouter, kind: number) =>
    readBoolean((await router.reply(router.send(message(kind)))).headers, Header.Success);
  const terminatorsOf = async ({ id }: ScriptedRouter) => {
    const answer = await controller.admin.get(`${MANAGEMENT}/terminators?filter=router="${id}"`);
    return expectStatus(answer, 200).data as { id: string; precedence: string }[];
  };
  const precedences = async (router: ScriptedRouter) =>
    (await terminatorsOf(router)).map(({ precedence }) => precedence).sort();
  const recordsOf = async ({ id }: ScriptedRouter) => {
    const filter = encodeURIComponent(`entityId = "${id}"`);
    const answer = await controller.admin.get(`${MANAGEMENT}/audit?filter=${filter}`);
    return expectStatus(answer, 200).data as { kind: string; actor: { kind: string; id: string | null } }[];
  };

  it('has it emptied: what passes it moves, and nothing new does until it is used again', async () => {
    const made = await scenes.scene();
    const { first, second, third } = made;
    report(first, [linkTo(third, unique('link'))]);
    report(third, [linkTo(second, unique('link'))]);
    const { answer } = await scenes.dialed(made, [first, third, second]);
    // There is no other way yet: the circuit stays where it is.
    expect(await ask(third, ContentType.QuiesceRouter)).to.equal(true);
    await until('no path is left', async () => {
      const { refusal } = await answerTo(first, dial(first, await made.world.dialer()));
      return refusal?.[1].includes('no online terminators') === true;
    });
    expect(unrouted(first)).to.not.include(answer.circuitId);
    report(first, [linkTo(second, unique('link'))]);
    await settled(first);
    expect(await ask(third, ContentType.DequiesceRouter)).to.equal(true);
    expect(await ask(third, ContentType.QuiesceRouter)).to.equal(true);
    const routes = await moved([first, 1], [second, 1]);
    expect(routes.map(({ route }) => route.circuitId)).to.deep.equal([answer.circuitId, answer.circuitId]);
    await until('it is told to forget the circuit', () => unrouted(third).includes(answer.circuitId));
    const records = (await recordsOf(third)).filter(({ actor }) => actor.kind === 'router');
    expect(records.map(({ kind, actor }) => [kind, actor.id])).to.deep.equal(
      ['edgeRouter.quiesced', 'edgeRouter.dequiesced', 'edgeRouter.quiesced'].map((kind) => [kind, third.id]),
    );
  });

  it('keeps a circuit that another path does not take', async () => {
    const made = await scenes.scene();
    const { first, second, third } = made;
    report(first, [linkTo(third, unique('link'))]);
    report(third, [linkTo(second, unique('link'))]);
    const { answer } = await scenes.dialed(made, [first, third, second]);
    report(first, [linkTo(second, unique('link'))]);
    await settled(first);
    expect(await ask(third, ContentType.QuiesceRouter)).to.equal(true);
    answerRoute(first, await routeAt(first, 1));
    answerRoute(second, await routeAt(second, 1), { failure: [0, 'no such link'] });
    const routes = await moved([first, 2], [third, 1], [second, 2]);
    expect(routes.map(({ route }) => route.circuitId)).to.deep.equal(Array(3).fill(answer.circuitId));
    for (const router of [first, second, third]) await settled(router);
    expect([first, second, third].flatMap(unrouted)).to.deep.equal([]);
  });

  it('has its terminators taken last, and as before afterwards', async () => {
    const { second, world } = await scenes.scene();
    await bind(second, await world.host(), { precedence: 1 });
    expect(await precedences(second)).to.deep.equal(['default', 'required']);
    expect(await ask(second, ContentType.QuiesceRouter)).to.equal(true);
    expect(await precedences(second)).to.deep.equal(['failed', 'failed']);
    // A host that comes meanwhile, too.
    await bind(second, await world.host(), { precedence: 1 });
    expect(await precedences(second)).to.deep.equal(['failed', 'failed', 'failed']);
    expect(await ask(second, ContentType.QuiesceRouter)).to.equal(true);
    expect(await ask(second, ContentType.DequiesceRouter)).to.equal(true);
    expect(await precedences(second)).to.deep.equal(['default', 'required', 'required']);
  });

  it('makes dials go to other hosts meanwhile, and to its own where there are none', async () => {
    const made = await scenes.scene();
    const { first, second, third, world } = made;
    report(first, [linkTo(second, unique('link')), linkTo(third, unique('link'))]);
    await bind(second, await world.host(), { precedence: 1 });
    await settled(first);
    expect((await scenes.dialed(made, [first, second])).answer.refusal).to.equal(undefined);
    expect(await ask(second, ContentType.QuiesceRouter)).to.equal(true);
    expect((await scenes.dialed(made, [first, second])).answer.refusal).to.equal(undefined);
    await bind(third, await world.host());
    expect((await scenes.dialed(made, [first, third])).answer.refusal).to.equal(undefined);
  });

  it('deletes it, and no other', async () => {
    const [first, second] = [await scenes.online(0), await scenes.online(1)];
    expect(await ask(first, ContentType.DecommissionRouter)).to.equal(true);
    await first.cut();
    expect((await controller.admin.get(`${MANAGEMENT}/edge-routers/${first.id}`)).status).to.equal(404);
    expect(
      entityOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/edge-routers/${second.id}`), 200)).id,
    ).to.equal(second.id);
    await change(second, first.id, PeerState.REMOVED);
    const deleted = (await recordsOf(first)).filter(({ kind }) => kind === 'edgeRouter.deleted');
    expect(deleted.map(({ actor }) => [actor.kind, actor.id])).to.deep.equal([['router', first.id]]);
  });

  it('is told that there is too much to do when it asks without end', async () => {
    const router = await scenes.online(0);
    const sequences = Array.from({ length: 40 }, () => router.send(message(ContentType.QuiesceRouter)));
    const answers = await Promise.all(
      sequences.map(async (sequence) => readBoolean((await router.reply(sequence)).headers, Header.Success)),
    );
    expect(answers.filter((isDone) => isDone === true).length).to.equal(11);
    expect(answers.slice(0, 11)).to.not.include(false);
  });
});

describe('link listeners of a router', () => {
  let controller: TestController;
  let scenes: LinkScene;

  before(async () => {
    controller = await startTestController();
    scenes = new LinkScene(controller);
  });
  beforeEach(() => scenes.begin());
  afterEach(() => scenes.end());
  after(() => controller.stop());

  const listenAt = (router: ScriptedRouter, ...addresses: readonly string[]) =>
    router.sendTyped(ContentType.UpdateLinkListeners, ListenersSchema, {
      listeners: addresses.map((address) => ({ address, protocol: 'tls', groups: ['default'] })),
    });
  const told = (router: ScriptedRouter, id: string) =>
    changesAt(router)
      .filter((each) => each.id === id)
      .map(({ state, listeners }) => [PeerState[state], ...listeners.map(({ address }) => address)]);

  it('are others from the moment it says so, for routers that are there and those that come', async () => {
    const [first, second] = [await scenes.online(0), await scenes.online(1)];
    await change(first, second.id, PeerState.HEALTHY);
    listenAt(second, 'tls:elsewhere.example:7000');
    await until('the other is told', () => told(first, second.id).length > 1);
    const third = await scenes.online(2);
    expect(told(third, second.id)).to.deep.equal([['HEALTHY', 'tls:elsewhere.example:7000']]);
    second.close();
    await change(first, second.id, PeerState.UNHEALTHY);
    expect(told(first, second.id)).to.deep.equal([
      ['HEALTHY', 'tls:router-1.example:6000'],
      ['HEALTHY', 'tls:elsewhere.example:7000'],
      ['UNHEALTHY', 'tls:elsewhere.example:7000'],
    ]);
    expect(told(second, second.id)).to.deep.equal([]);
  });

  it('may be none, and are passed on without those that no router could dial', async () => {
    const [first, second, third] = [await scenes.online(0), await scenes.online(1), await scenes.online(2)];
    listenAt(second, 'tls:no port', 'http://elsewhere.example/', 'tls:good.example:7000');
    listenAt(third);
    const last = (id: string) => told(first, id).at(-1)?.join(' ');
    await until('the good one is told of', () => last(second.id) === 'HEALTHY tls:good.example:7000');
    await until('that there is none is told', () => last(third.id) === 'HEALTHY');
  });

  it('that change without end are told of now and then, the last of them too', async () => {
    const [first, second] = [await scenes.online(0), await scenes.online(1)];
    for (let port = 1; port <= 200; port += 1) listenAt(second, `tls:elsewhere.example:${port}`);
    const last = ['HEALTHY', 'tls:elsewhere.example:200'];
    await until('the last is told of', () => told(first, second.id).some((each) => each.join() === last.join()));
    expect(told(first, second.id).length).to.be.at.most(3);
  });

  it('that cannot be read cut the router, and nothing else', async () => {
    const [first, second] = [await scenes.online(0), await scenes.online(1)];
    second.send(message(ContentType.UpdateLinkListeners, Buffer.from([0xff, 0xff, 0xff])));
    await second.cut();
    await settled(first);
  });
});
