/**
 * Dials in a race with all that takes access away, on two controllers with one database: what stands when all is
 * answered is what policies still allow. With scripted routers that answer after a while, each its own.
 */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { readBody } from '../../fabric/channel/frame.js';
import { RouteSchema } from '../../generated/fabric/control_pb.js';
import { AccessScene, COMMON_WAYS, DIALER_WAYS, HOST_WAYS, OWN_WAYS } from '../support/access-scene.js';
import type { Way } from '../support/access-scene.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { HEARD_MS, until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { answerRoute, answerTo, bind, dial, unrouted } from '../support/traffic.js';
import type { Shown } from '../support/traffic.js';
import { dialByItself, dialed } from '../support/tunneler.js';
import { amount } from '../support/unless.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { Pair } from './server-support.js';

/** At one router, of a client and of the router itself. */
const DIALS = amount(6, 12);
const AT_A_TIME = 4;
/** Answers of dials that have come before access is taken away. */
const BEFORE = DIALS / 2;
/** A router takes as long as this to build its part, or less. */
const ROUTE_MS = 30;

/** Answers each route after a while. */
class BuildingRouter {
  #seen = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(
    readonly link: ScriptedRouter,
    readonly enrolled: EnrolledRouter,
    private readonly random: () => number,
  ) {
    this.#timer = setInterval(() => {
      this.#look();
    }, 5);
  }

  close(): void {
    clearInterval(this.#timer);
    this.link.close();
  }

  #look(): void {
    const { link } = this;
    for (; this.#seen < link.received.length; this.#seen += 1) {
      const frame = link.received[this.#seen];
      if (frame?.contentType !== ContentType.Route) continue;
      const route = readBody(RouteSchema, frame);
      setTimeout(() => {
        answerRoute(link, { frame, route });
      }, this.random() * ROUTE_MS);
    }
  }
}

interface Standing {
  readonly router: ScriptedRouter;
  readonly circuitId: string;
}

/** Repeats: the same numbers in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('dials in a race with what takes access away', () => {
  let pair: Pair;
  let made: Pick<TestController, 'admin' | 'anonymous' | 'newCaller'>;
  let admins: readonly [Client, Client];
  let routers: readonly BuildingRouter[] = [];
  let dials = 0;
  let connected = 0;
  before(async () => {
    pair = await startPair();
    const { admin, one, two } = pair;
    admins = [admin, two.client(admin.token)];
    made = {
      admin,
      anonymous: one.client(),
      async newCaller({ roleAttributes = [] } = {}) {
        const name = unique('caller');
        const { id } = await makeUser(admin, name, { roleAttributes });
        return { id, name, username: name, password: PASSWORD, client: await one.login(name, PASSWORD) };
      },
    };
    const random = seeded(22);
    const open = async (url: string) => {
      const enrolled = await newRouter(made, { isTunnelerEnabled: true });
      return new BuildingRouter(await ScriptedRouter.online(url, enrolled), enrolled, random);
    };
    routers = [await open(one.url), await open(two.url)];
  });
  after(async () => {
    for (const router of routers) router.close();
    await pair.stop();
  });

  /** Dials at one router, some at a time, until all are answered. @param send  @returns the circuit, '' when refused */
  const many = async (send: () => Promise<string>, answered: (circuitId: string) => void) => {
    let left = DIALS;
    const lane = async () => {
      for (; left > 0;) {
        left -= 1;
        answered(await send());
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  };
  const byClient = async ({ link }: BuildingRouter, shown: Shown) =>
    (await answerTo(link, dial(link, shown))).circuitId;
  const byRouter = async ({ link }: BuildingRouter, serviceName: string) => {
    const answer = await dialed(link, dialByItself(link, { serviceName }));
    return 'circuit' in answer ? answer.circuit.circuitId : '';
  };

  const race = async ({ take, isPostured = false }: Way, admin: Client, whose: 'clients' | 'all' | 'routers') => {
    const scene = await AccessScene.open(
      made,
      routers.map(({ enrolled }) => enrolled.id),
      { isPostured },
    );
    for (const [index, { link }] of routers.entries())
      expect((await bind(link, scene.hosts[index] as Shown)).msg).to.equal('');
    const affected: Standing[] = [];
    let answers = 0;
    const note = (router: ScriptedRouter, isAffected: boolean) => (circuitId: string) => {
      answers += 1;
      dials += 1;
      if (circuitId === '') return;
      connected += 1;
      if (isAffected) affected.push({ router, circuitId });
    };
    const lanes = routers.flatMap((router, index) => [
      many(() => byClient(router, scene.dialers[index] as Shown), note(router.link, whose !== 'routers')),
      many(() => byRouter(router, scene.name), note(router.link, whose !== 'clients')),
    ]);
    await until('the race is on', () => answers >= BEFORE, 20_000);
    await take(scene, admin);
    await Promise.all(lanes);
    const left = () => {
      const ended = new Map(routers.map(({ link }) => [link, new Set(unrouted(link))]));
      return affected.filter(({ router, circuitId }) => ended.get(router)?.has(circuitId) !== true);
    };
    await until('none stands that is not allowed', () => left().length === 0, HEARD_MS).catch((error: unknown) => {
      throw new Error(`${left().length} of ${affected.length} circuits stand`, { cause: error });
    });
  };

  const rounds: readonly (readonly [Way, 'clients' | 'all' | 'routers'])[] = [
    ...DIALER_WAYS.map((way) => [way, 'clients'] as const),
    ...[...HOST_WAYS, ...COMMON_WAYS].map((way) => [way, 'all'] as const),
    ...OWN_WAYS.map((way) => [way, 'routers'] as const),
  ];
  for (const [index, [way, whose]] of rounds.entries()) {
    const where = index % 2 === 0 ? 'at the first' : 'at the second';
    it(`leave none standing when ${way.what}, ${where}`, () =>
      race(way, index % 2 === 0 ? admins[0] : admins[1], whose));
  }

  it('were hundreds, and many got their circuits', () => {
    expect(dials).to.equal(rounds.length * routers.length * 2 * DIALS);
    expect(connected).to.be.above(dials / 4);
  });
});
