/** What steady-traffic.ts asks of the APIs, beside the connections of programs. */
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import { createClient, expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

/** At once: more than the controller has connections to PostgreSQL, so that each comes to run every statement. */
const LISTS_AT_ONCE = 16;
/** A hash takes 64 MiB and some ten milliseconds. */
const ROUNDS_FOR_A_LOGIN = 5;

/** All lists that need nothing to be named. */
const LISTS: readonly string[] = (['management', 'fabric'] as const).flatMap((api) =>
  Object.values(operations[api])
    .filter(({ operationId, parameters }) => operationId.startsWith('list') && parameters.every((one) => !one.required))
    .map(({ path }) => `${basePaths[api]}${path}`),
);

export class Requests {
  #next = 0;
  #rounds = 0;
  #sent = 0;

  constructor(
    private readonly url: string,
    readonly admin: Client,
  ) {}

  /** Some of each kind, at the same time. @throws when one is not answered as it should be */
  async round(): Promise<void> {
    this.#rounds += 1;
    const lists = Array.from({ length: LISTS_AT_ONCE }, () => LISTS[this.#next++ % LISTS.length] ?? '');
    await Promise.all([
      ...lists.map((list) => this.#asked(this.admin.get(list), 200)),
      this.#comeAndGo(),
      ...(this.#rounds % ROUNDS_FOR_A_LOGIN === 0 ? [this.#login()] : []),
    ]);
  }

  get sent(): number {
    return this.#sent;
  }

  /** An identity with a service, found by a policy; each is changed and read before it goes. */
  async #comeAndGo(): Promise<void> {
    const role = unique('steady');
    const [identity, service] = await Promise.all([
      makeIdentity(this, { roleAttributes: [role] }),
      makeService(this, { roleAttributes: [role] }),
    ]);
    const policy = await makeServicePolicy(this, { identityRoles: [`#${role}`], serviceRoles: [`#${role}`] });
    this.#sent += 3;
    const made = [`service-policies/${policy}`, `services/${service}`, `identities/${identity}`];
    await Promise.all(made.map((path) => this.#asked(this.admin.patch(at(path), { tags: { role } }), 200)));
    await Promise.all(made.map((path) => this.#asked(this.admin.get(at(path)), 200)));
    await this.#asked(this.admin.get(at(`identities/${identity}/services`)), 200);
    for (const path of made) await this.#asked(this.admin.delete(at(path)), 200);
  }

  async #login(): Promise<void> {
    const [username, password] = [unique('steady'), 'steady traffic'];
    const identity = await makeIdentity(this);
    const authenticator = { method: 'updb', identityId: identity, username, password };
    await this.#asked(this.admin.post(at('authenticators'), authenticator), 201);
    const open = createClient(this.url);
    const login = open.post(`${CLIENT}/authenticate?method=password`, { username, password });
    const { data } = await this.#asked(login, 200);
    const client = createClient(this.url, (data as { token: string }).token);
    for (const path of ['current-identity', 'services', 'current-api-session/service-updates'])
      await this.#asked(client.get(`${CLIENT}/${path}`), 200);
    await this.#asked(client.delete(`${CLIENT}/current-api-session`), 200);
    await this.#asked(this.admin.delete(at(`identities/${identity}`)), 200);
    open.close();
    client.close();
  }

  async #asked(answer: ReturnType<Client['get']>, status: number): ReturnType<Client['get']> {
    this.#sent += 1;
    return expectStatus(await answer, status);
  }
}

const at = (path: string): string => `${MANAGEMENT}/${path}`;
