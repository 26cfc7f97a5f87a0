/**
 * Steady traffic of stock programs, and requests of all kinds, for some minutes, while hosts, the router and the
 * controller are killed in turn. Prints what the controller holds at the start and at the end of each of its lives:
 * memory, sockets, rows of tables; and the lines that it follows in between. Ends with code 1 when something does not
 * return to where it was, when a line rises, or when traffic does not go on. Stops by itself.
 *
 *     npm run steady -- --minutes 10
 *     npm run steady -- --minutes 60 --lives 2 --rest 300
 */
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN } from '../support/controller.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { RELEASES, findStockBinary } from '../support/stock-binary.js';
import type { Release } from '../support/stock-binary.js';
import { StockNetwork } from '../support/stock-network.js';
import { inspectableAt } from './steady-heap.js';
import { Holdings } from './steady-holdings.js';
import { Requests } from './steady-requests.js';
import { Slopes } from './steady-slopes.js';
import { Traffic } from './steady-talk.js';

const USAGE = `Usage: npm run steady -- [options]

  --minutes N         how long there is traffic: 1 to 600, by default 10
  --rest N            seconds between two kills: 5 to 600, by default 20
  --lives N           how often the controller starts in that time: 1 to 20, by default 3. Lines are fitted to each life
  --access-token TIME how long the access tokens of programs are good: by default 1m, so that logins of those that were
                      killed end within the run
  --release NAME      of the program: present (the default) or next

Needs the field's ziti program: ZITI names it, or it is on the path, or packed in ../shared/bin.
`;
/** Sessions of programs that were killed end after it. */
const SESSION_TIMEOUT_S = 60;
/** The same of those behind access tokens, since a refresh token is good for two minutes at least: waited for. */
const BEARER_TIMEOUT_S = 130;

const say = (text: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
};

interface Options {
  readonly minutes: number;
  readonly restSeconds: number;
  readonly lives: number;
  readonly accessToken: string;
  readonly release: Release;
}

function options(): Options {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      rest: { type: 'string' },
      lives: { type: 'string' },
      'access-token': { type: 'string' },
      release: { type: 'string', default: 'present' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const between = (name: string, text: string, min: number, max: number): number => {
    const value = Number(text);
    if (!(value >= min && value <= max)) throw new Error(`--${name} must be a number from ${min} to ${max}`);
    return value;
  };
  const release = RELEASES.find((each) => each === values.release);
  if (release === undefined) throw new Error(`--release must be one of ${RELEASES.join(', ')}`);
  return {
    minutes: between('minutes', values.minutes ?? '10', 1, 600),
    restSeconds: between('rest', values.rest ?? '20', 5, 600),
    lives: Math.round(between('lives', values.lives ?? '3', 1, 20)),
    accessToken: values['access-token'] ?? '1m',
    release,
  };
}

/** The controller of this run: killed and started again, its address and its administrator stay. */
class Subject {
  readonly dataDir: string;
  readonly #env: Readonly<Record<string, string>>;
  running: ControllerProcess;

  constructor(
    private readonly shop: ProcessShop,
    port: number,
    /** Of its inspector. */
    readonly inspector: number,
    accessToken: string,
  ) {
    this.dataDir = this.shop.place();
    this.#env = {
      ...addressAt(port),
      ...inspectableAt(inspector),
      EDGE_ADMIN_PASSWORD: ADMIN.password,
      EDGE_API_SESSION_TIMEOUT: `${SESSION_TIMEOUT_S}s`,
      EDGE_DATABASE_POOL_SIZE: '8',
      EDGE_LOG_REQUESTS: 'none',
      EDGE_OIDC_ACCESS_TOKEN: accessToken,
      EDGE_OIDC_REFRESH_TOKEN: '2m',
    };
    this.running = this.shop.start(this.dataDir, { env: this.#env });
  }

  async kill(): Promise<void> {
    this.running.kill('SIGKILL');
    await this.running.ended;
    this.running = this.shop.start(this.dataDir, { env: this.#env });
    await this.running.ready();
  }

  /** Lines of its log that say that something is wrong with it. */
  faults(): string[] {
    return this.running
      .log()
      .filter(({ level }) => level === 'error' || level === 'fatal')
      .map((line) => JSON.stringify(line));
  }
}

/** What is said of logins by OpenID Connect: one older than its tokens has had others in their place. */
async function loginsOf(network: StockNetwork): Promise<string> {
  const sessions = await network.items<{ id: string; createdAt: string }>('api-sessions?limit=500');
  const ages = sessions.filter(({ id }) => /^[0-9a-f]{8}-/.test(id)).map(({ createdAt }) => Date.parse(createdAt));
  const minutes = ages.length === 0 ? 0 : Math.round((Date.now() - Math.min(...ages)) / 60_000);
  return `${ages.length} logins by OpenID Connect are open, the oldest for ${minutes} minutes`;
}

interface Life {
  readonly lifeMs: number;
  readonly restSeconds: number;
  readonly subject: Subject;
  readonly traffic: Traffic;
  readonly holdings: Holdings;
  readonly slopes: Slopes;
}

/** A life of the controller, in which hosts and the router are killed. */
async function live(life: string, { lifeMs, restSeconds, subject, traffic, holdings, slopes }: Life): Promise<void> {
  const { pid } = subject.running;
  const until = Date.now() + lifeMs;
  await slopes.start(pid, subject.inspector);
  await traffic.goOn(lifeMs / 6);
  await holdings.note(`${life}, start`, pid, traffic);
  for (let kills = 0; Date.now() + restSeconds * 1_000 < until; kills += 1) {
    await traffic.goOn(restSeconds * 1_000);
    say(`${traffic.figures()}; ${kills % 2 === 0 ? 'a host' : 'the router'} is killed`);
    const since = Date.now();
    await (kills % 2 === 0 ? traffic.killHost() : traffic.killRouter());
    say(`all is back after ${Math.round((Date.now() - since) / 1_000)} s`);
  }
  await traffic.goOn(Math.max(0, until - Date.now()));
  slopes.stop();
  await holdings.note(`${life}, end`, pid, traffic);
}

async function main(): Promise<number> {
  const { minutes, restSeconds, lives, accessToken, release } = options();
  const binary = findStockBinary(release);
  if (binary === undefined) {
    process.stderr.write(
      'There is no ziti program: set ZITI to it, put it on the path, or pack it in ../shared/bin.\n',
    );
    return 1;
  }
  const shop = new ProcessShop();
  const subject = new Subject(shop, await freePort(), await freePort(), accessToken);
  const url = await subject.running.ready();
  const admin = await shop.login(url);
  const network = new StockNetwork(binary, { admin, url, routersUrl: url });
  const faults: string[] = [];
  const end = async () => {
    await network.close();
    await shop.end();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      say('it is stopped');
      void end().finally(() => process.exit(1));
    });
  try {
    say('a router, two hosts, a dialer and tunnelers come up');
    await network.prepare();
    const traffic = await new Traffic(network, new Requests(url, admin)).start();
    const holdings = new Holdings(subject.dataDir, BEARER_TIMEOUT_S, say);
    const slopes = new Slopes(subject.dataDir);
    const lifeMs = (minutes * 60_000) / lives;
    for (let life = 1; life <= lives; life += 1) {
      await live(`life ${life}`, { lifeMs, restSeconds, subject, traffic, holdings, slopes });
      faults.push(...holdings.faults(`life ${life}`), ...subject.faults());
      if (life === lives) break;
      say(`${traffic.figures()}; the controller is killed`);
      await traffic.overKill(() => subject.kill());
    }
    process.stdout.write(`\n${holdings.table()}\n\n${slopes.table()}\n\n${traffic.figures()}\n`);
    say(await loginsOf(network));
    faults.push(...holdings.rowFaults(), ...slopes.faults());
    await traffic.stop();
  } catch (error) {
    faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    faults.push(...subject.faults());
  } finally {
    await end();
  }
  for (const fault of faults) process.stdout.write(`! ${fault}\n`);
  say(faults.length === 0 ? 'all returned to where it was' : 'it did not');
  // A socket that somebody forgot must not keep it.
  await delay(100);
  return faults.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
