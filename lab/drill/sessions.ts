/**
 * Sessions during an event: some must stay valid, some are ended one after the other, each through one controller, and
 * must be refused by the other from then on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, ApiClient } from '../bench/api-client.js';
import type { Tally } from './tally.js';

const STANDING = 10;
const ENDING = 40;
const END_EVERY_MS = 600;
/** A controller hears of an ended session within milliseconds; one that is accepted after so long is a fault. */
const GRACE_MS = 1_000;
const RETRY_MS = 50;
export const LOGIN = '/edge/client/v1/authenticate?method=password';
export const OWN_SESSION = '/edge/client/v1/current-api-session';

export interface Controller {
  /** Without a session. */
  readonly client: ApiClient;
  readonly name: string;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

type Pair = readonly [Controller, Controller];

export interface SessionVerdict {
  readonly standing: number;
  readonly stood: number;
  readonly ended: number;
  readonly refused: number;
  /** Ended sessions that were accepted, and where. */
  readonly wrong: readonly string[];
}

export class SessionWatch {
  readonly #ended: string[] = [];
  readonly #wrong = new Set<string>();

  private constructor(
    private readonly controllers: Pair,
    private readonly standing: readonly string[],
    private readonly ending: readonly string[],
  ) {}

  /** Logs in on both controllers and uses every session on both, so that both have it in memory. */
  static async open(controllers: Pair, credentials: Credentials): Promise<SessionWatch> {
    const tokens: string[] = [];
    const count = STANDING + ENDING;
    const logIn = async (controller: Controller) => {
      while (tokens.length < count) {
        const { token } = await controller.client.call<{ token: string }>('POST', LOGIN, credentials);
        tokens.push(token);
      }
    };
    await Promise.all(controllers.flatMap((controller) => [logIn(controller), logIn(controller)]));
    const [standing, ending] = [tokens.slice(0, STANDING), tokens.slice(STANDING, count)];
    for (const controller of controllers) {
      for (const token of [...standing, ...ending]) {
        const status = (await use(controller, token))?.status;
        if (status !== 200) throw new Error(`${controller.name} refuses a new session: ${status ?? 'no answer'}`);
      }
    }
    return new SessionWatch(controllers, standing, ending);
  }

  /** Ends one session after the other, through either controller in turn, until it is aborted or none is left. */
  async run(tally: Tally, signal: AbortSignal): Promise<void> {
    const watched: Promise<void>[] = [];
    for (const [index, token] of this.ending.entries()) {
      if (signal.aborted) break;
      const [here, there] = index % 2 === 0 ? this.controllers : [this.controllers[1], this.controllers[0]];
      watched.push(this.#end(here, there, token, tally, signal));
      await pause(END_EVERY_MS, signal);
    }
    await Promise.all(watched);
  }

  /** Asked of both controllers at the end. */
  async verdict(): Promise<SessionVerdict> {
    let [stood, refused] = [0, 0];
    for (const token of this.standing) if (await this.#everywhere(token, 200)) stood += 1;
    for (const token of this.#ended) {
      if (await this.#everywhere(token, 401)) refused += 1;
      else this.#wrong.add('after the event');
    }
    return { standing: this.standing.length, stood, ended: this.#ended.length, refused, wrong: [...this.#wrong] };
  }

  /** A session whose end is not acknowledged is ended again: 401 then says that it had been. */
  async #end(here: Controller, there: Controller, token: string, tally: Tally, signal: AbortSignal): Promise<void> {
    for (;;) {
      const answer = await attempt(here, 'DELETE', token);
      if (answer?.status === 200 || answer?.status === 401) break;
      if (answer?.status !== 503) tally.surprise('end of a session', answer);
      if (signal.aborted) return;
      await pause(RETRY_MS, signal);
    }
    this.#ended.push(token);
    const endedAt = performance.now();
    for (;;) {
      const isLate = performance.now() - endedAt > GRACE_MS;
      const answer = await use(there, token);
      if (answer?.status === 401) return;
      if (answer?.status === 200 && isLate) {
        this.#wrong.add(`on ${there.name}, over a second after its end on ${here.name}`);
        return;
      }
      if (signal.aborted) return;
      await pause(RETRY_MS, signal);
    }
  }

  async #everywhere(token: string, status: number): Promise<boolean> {
    for (const controller of this.controllers) if ((await use(controller, token))?.status !== status) return false;
    return true;
  }
}

const use = (controller: Controller, token: string): Promise<Answer | undefined> => attempt(controller, 'GET', token);

/** Undefined when the connection broke. */
const attempt = ({ client }: Controller, method: 'GET' | 'DELETE', token: string): Promise<Answer | undefined> =>
  client.send(method, OWN_SESSION, undefined, token).catch(() => undefined);

/** Ends early when aborted. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined);
