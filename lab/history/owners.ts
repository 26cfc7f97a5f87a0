/** Access that is given and taken again, by ways that differ, and those who try to use it all the time. */
import { CLIENT as C, MANAGEMENT as M } from '../../test/support/paths.js';
import { PASSWORD } from '../../test/support/users.js';
import { Caller, pause } from './caller.js';
import type { Place, Result } from './caller.js';
import type { Crew } from './writers.js';
import { NOBODY } from './world.js';
import type { Subject } from './world.js';

const RETRY_MS = 100;
const LOGIN = `${C}/authenticate?method=password`;
const OWN_SESSION = `${C}/current-api-session`;

const facts = ({ at, start, end, outcome, answer }: Result) => ({ at, start, end, outcome, answer });

/** One way to give access and to take it. */
interface Way {
  readonly give: Request;
  readonly take: Request;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

function wayOf({ name, identityId, policyId }: Subject): Way {
  const policy = { method: 'PATCH', path: `${M}/service-policies/${policyId}` };
  const identity = { method: 'PATCH', path: `${M}/identities/${identityId}` };
  if (name.endsWith('policy'))
    return {
      give: { ...policy, body: { identityRoles: [`@${identityId}`] } },
      take: { ...policy, body: { identityRoles: NOBODY } },
    };
  if (name.endsWith('attribute'))
    return {
      give: { ...identity, body: { roleAttributes: [name] } },
      take: { ...identity, body: { roleAttributes: [] } },
    };
  return {
    give: { method: 'POST', path: `${identity.path}/enable`, body: {} },
    take: { method: 'POST', path: `${identity.path}/disable`, body: { durationMinutes: 60 } },
  };
}

/** Gives and takes in turn; what was not acknowledged is asked for again. */
export async function ownAccess(caller: Caller, subject: Subject, { record, signal, draw }: Crew): Promise<void> {
  const way = wayOf(subject);
  for (let kind: 'give' | 'take' = 'take'; !signal.aborted; kind = kind === 'take' ? 'give' : 'take') {
    const { method, path, body } = way[kind];
    for (let outcome = ''; outcome !== 'ok' && !signal.aborted;) {
      const result = await caller.ask(draw(2), method, path, body);
      ({ outcome } = result);
      record.add({ kind, client: caller.name, subject: subject.name, ...facts(result) });
      if (outcome !== 'ok') await pause(RETRY_MS, signal);
    }
    await pause(800 + draw(1_500), signal);
  }
  caller.close();
}

/** What a status says about access; undefined: nothing. */
const isGranted = (granted: number, refused: readonly number[], result: Result): boolean | undefined => {
  const status = result.reply?.status ?? 0;
  if (status === granted) return true;
  return refused.includes(status) ? false : undefined;
};

/** Logs in as the subject, and dials and lists its service at one controller again and again. */
export class AccessUser {
  #caller: Caller | undefined;

  constructor(
    readonly name: string,
    private readonly place: Place,
    private readonly subject: Subject,
    private readonly crew: Crew,
  ) {}

  async run(): Promise<void> {
    const { draw, signal } = this.crew;
    while (!signal.aborted) {
      if (this.#caller === undefined) await this.#logIn();
      else if (draw(3) === 0) await this.#list(this.#caller);
      else await this.#dial(this.#caller);
      await pause((this.#caller === undefined ? 250 : 60) + draw(60), signal);
    }
    this.#caller?.close();
  }

  #used(what: string, result: Result, granted: boolean | undefined): void {
    const entry = { kind: 'use', client: this.name, subject: this.subject.name, what, ...facts(result) } as const;
    // A refusal settles the question as well as a success does.
    const outcome = granted === undefined ? result.outcome : 'ok';
    this.crew.record.add({ ...entry, outcome, ...(granted === undefined ? {} : { isGranted: granted }) });
  }

  /** The login of an identity that is disabled is refused. For the other ways it says nothing. */
  async #logIn(): Promise<void> {
    const stranger = new Caller(this.name, [this.place]);
    const result = await stranger.ask(0, 'POST', LOGIN, { username: this.subject.name, password: PASSWORD });
    stranger.close();
    if (this.subject.name.endsWith('identity')) this.#used('a login', result, isGranted(200, [403], result));
    if (result.outcome === 'ok')
      this.#caller = new Caller(this.name, [this.place], (result.reply?.data as { token: string }).token);
  }

  /** An API session that has ended says nothing: the last logins may be lost in a failover. */
  #leave(result: Result): void {
    if (result.reply?.status !== 401) return;
    this.#caller?.close();
    this.#caller = undefined;
  }

  async #dial(caller: Caller): Promise<void> {
    const body = { serviceId: this.subject.serviceId, type: 'Dial' };
    const result = await caller.ask(0, 'POST', `${C}/sessions`, body);
    this.#used('a dial', result, isGranted(201, [404], result));
    this.#leave(result);
  }

  async #list(caller: Caller): Promise<void> {
    const result = await caller.ask(0, 'GET', `${C}/services`);
    const names = result.outcome === 'ok' ? (result.reply?.data as { id: string }[]).map(({ id }) => id) : undefined;
    this.#used('a service in the list', result, names?.includes(this.subject.serviceId));
    this.#leave(result);
  }
}

/** API sessions that are opened, used at both controllers, ended at one, and tried at both. */
export class SessionOwner {
  #serial = 0;

  constructor(
    private readonly stranger: Caller,
    private readonly username: string,
    private readonly crew: Crew,
  ) {}

  async run(): Promise<void> {
    const { signal } = this.crew;
    while (!signal.aborted) {
      await this.#live();
      await pause(200, signal);
    }
    this.stranger.close();
  }

  async #live(): Promise<void> {
    const { name, places } = this.stranger;
    const { record, signal, draw } = this.crew;
    const subject = `session-${name}-${(this.#serial += 1)}`;
    const login = await this.stranger.ask(draw(2), 'POST', LOGIN, { username: this.username, password: PASSWORD });
    if (login.outcome !== 'ok') return;
    const caller = new Caller(name, places, (login.reply?.data as { token: string }).token);
    const halt = new AbortController();
    const users = places.map((_, place) => this.#use(caller, place, subject, halt.signal));
    await pause(300 + draw(400), signal);
    for (let isOver = false; !isOver && !signal.aborted;) {
      const end = await caller.ask(draw(2), 'DELETE', OWN_SESSION);
      // An end whose answer was lost is asked for again: 401 says that it was done.
      isOver = end.outcome === 'ok' || end.reply?.status === 401;
      record.add({ kind: 'take', client: name, subject, ...facts(end), ...(isOver ? { outcome: 'ok' } : {}) });
      if (!isOver) await pause(RETRY_MS, signal);
    }
    await pause(2_000, signal);
    halt.abort();
    await Promise.all(users);
    caller.close();
  }

  async #use(caller: Caller, place: number, subject: string, halt: AbortSignal): Promise<void> {
    while (!halt.aborted && !this.crew.signal.aborted) {
      const result = await caller.ask(place, 'GET', OWN_SESSION);
      const granted = isGranted(200, [401], result);
      const entry = { kind: 'use', client: caller.name, subject, what: 'an API session', ...facts(result) } as const;
      this.crew.record.add({
        ...entry,
        ...(granted === undefined ? {} : { outcome: 'ok' as const, isGranted: granted }),
      });
      await pause(30, halt);
    }
  }
}
