/**
 * Several controllers under fire: two on one database, three stock routers with links, dialers with hosts at one and at
 * two of them, and steady traffic, while controllers, routers and links are killed by chance. Afterwards the history is
 * checked: no acknowledged change is lost, no dial was granted more than a second after its policy was taken away, no
 * client was logged out, dials work at the end, and no circuit is left on any router when the sessions of the dialers
 * have ended.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../support/database.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { randomly } from '../support/random.js';
import { FabricHistory } from './fabric-history.js';
import { FabricScene, ROLES } from './fabric-scene.js';

export interface DrillOptions {
  readonly minutes: number;
  /** Chooses what is killed, and when. */
  readonly seed: number;
  /** Programs of one release or more, which routers, hosts and clients take in turns. */
  readonly binaries: readonly string[];
  readonly database: TestDatabase;
  readonly say: (text: string) => void;
}

export interface DrillResult {
  readonly figures: string;
  /** Empty when all is as it should be. */
  readonly faults: readonly string[];
}

const DIALERS = 3;
const BACK_MS = 120_000;
/** Time that routers have to forget circuits whose sessions have ended. */
const FORGET_MS = 20_000;

export async function fabricDrill(options: DrillOptions): Promise<DrillResult> {
  const { minutes, seed, binaries, database, say } = options;
  const scene = new FabricScene(database, binaries);
  try {
    say(`seed ${seed}: two controllers, three routers, ${DIALERS + 1} dialers and their hosts come up`);
    await scene.start(DIALERS);
    await scene.settled();
    const before = await clientSessions(scene);
    const history = new FabricHistory(scene);
    history.start();
    const random = randomly(seed);
    const kills = await killFor(minutes, scene, random, (text) => {
      say(`${history.figures()}; ${text}`);
    });
    await scene.settled();
    for (const { port } of scene.dialers) await scene.network.dialsAgain(port, BACK_MS);
    await history.stop();
    const after = await clientSessions(scene);
    const faults = [
      ...(await history.lostWrites()).map((name) => `an acknowledged change is lost: ${name}`),
      ...history.grants.late,
      ...[...before].filter((id) => !after.has(id)).map((id) => `a client was logged out: API session ${id}`),
      ...(await circuitsLeft(scene, random)),
      ...scene.faults(),
    ];
    return { figures: `${kills}; ${history.figures()}`, faults };
  } finally {
    await scene.close();
  }
}

/** API sessions of the dialers. */
async function clientSessions(scene: FabricScene): Promise<Set<string>> {
  const ids = scene.dialers.map(({ made }) => made.client.id);
  const { rows } = await scene.query('SELECT id FROM api_sessions WHERE identity_id = ANY ($1)', [ids]);
  return new Set(rows.map(({ id }) => String(id)));
}

async function killFor(
  minutes: number,
  scene: FabricScene,
  random: (limit: number) => number,
  say: (text: string) => void,
): Promise<string> {
  const count = { controllers: 0, routers: 0, links: 0 };
  for (const end = Date.now() + minutes * 60_000; Date.now() < end;) {
    await delay(8_000 + random(12_000));
    const what = random(3);
    if (what === 0) {
      const at = random(scene.places.length);
      const awayMs = 1_000 + random(15_000);
      say(`controller ${scene.places[at]?.name} is killed for ${Math.round(awayMs / 1_000)} s`);
      await scene.killController(at);
      await delay(awayMs);
      await scene.startController(at);
      count.controllers += 1;
    } else if (what === 1) {
      const at = random(scene.routers.length);
      say(`router ${ROLES[at]} is killed`);
      await scene.killRouter(at);
      count.routers += 1;
    } else if (await scene.killLink(random)) {
      say('a link is given up');
      count.links += 1;
    }
  }
  return `${count.controllers} controllers, ${count.routers} routers and ${count.links} links killed`;
}

/**
 * Dials once more, kills a controller, ends the sessions of the dialers while their connections are open, and asks each
 * router what it has left.
 */
async function circuitsLeft(scene: FabricScene, random: (limit: number) => number): Promise<string[]> {
  const earlier = new Set((await scene.query('SELECT id FROM circuits')).rows.map(({ id }) => id));
  const talks = scene.dialers.map(({ port }) => scene.network.talk(port));
  for (const talk of talks) await talk.echo('hello');
  // What no other controller knows yet, none can end.
  await until('the new circuits are written', async () => {
    const { rows } = await scene.query('SELECT id, client_id FROM circuits');
    const written = new Set(rows.filter(({ id }) => !earlier.has(id)).map((row) => row['client_id']));
    return scene.dialers.every(({ made }) => written.has(made.client.id));
  });
  await scene.killController(random(scene.places.length));
  const dialers = scene.probe === undefined ? scene.dialers : [...scene.dialers, scene.probe];
  const ids = dialers.map(({ made }) => made.client.id);
  const { rows } = await scene.query("SELECT id FROM sessions WHERE identity_id = ANY ($1) AND type = 'Dial'", [ids]);
  for (const { id } of rows)
    await until('a session is ended', async () => {
      const answer = await scene.admin.delete(`${MANAGEMENT}/sessions/${String(id)}`).catch(() => undefined);
      return answer?.status === 200 || answer?.status === 404;
    });
  const left = new Map<string, { count: number; said: string }>();
  const look = async () => {
    for (const router of scene.routers) left.set(router.name, await scene.circuitsAt(router));
    return [...left.values()].every(({ count }) => count === 0);
  };
  return until('no circuit is left', look, FORGET_MS).then(
    () => talks.filter((talk) => talk.isOpen()).map(() => 'a connection is open whose session has ended'),
    () =>
      [...left]
        .filter(([, { count }]) => count > 0)
        .map(([name, { count, said }]) => `circuits and ends left at ${name}: ${count}, as it says:\n${said}`),
  );
}
