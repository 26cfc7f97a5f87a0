/** A random network, straight in the tables: identities, services, policies, devices, routers, hosts and links. */
import { unique } from './controller.js';
import type { TestController } from './controller.js';
import { connect, HOST, routerPolicy } from './explain-scene.js';
import { randomly } from './random.js';

export interface RandomNetwork {
  readonly identities: readonly string[];
  readonly services: readonly string[];
  readonly words: readonly string[];
}

const SYSTEMS = ['Windows', 'Linux'];

export async function addRandomNetwork(controller: TestController, seed: number): Promise<RandomNetwork> {
  return new Maker(controller, randomly(seed)).make();
}

class Maker {
  /** All networks of a suite share them, so that policies of one select entities of another. */
  readonly words = ['red', 'green', 'blue'];

  constructor(
    readonly controller: TestController,
    readonly random: (limit: number) => number,
  ) {}

  async make(): Promise<RandomNetwork> {
    const checks = await this.#times(2, () => this.#check());
    const routers = await this.#times(4, () => this.#router());
    for (let n = 0; n < 2; n += 1) await this.#link(this.#one(routers), this.#one(routers));
    const identities = await this.#times(8, () => this.#identity());
    const services = await this.#times(6, () => this.#service());
    for (let n = 0; n < 7; n += 1)
      await this.#terminator(this.#one(services), this.#one(routers), this.#one(identities));
    for (let n = 0; n < 9; n += 1) await this.#policy(identities, services, checks);
    for (let n = 0; n < 3; n += 1) {
      await routerPolicy(this.controller, 'identity', this.#roles(identities), this.#roles(routers), this.#semantic());
      await routerPolicy(this.controller, 'service', this.#roles(services), this.#roles(routers), this.#semantic());
    }
    return { identities, services, words: this.words };
  }

  async #times(count: number, make: () => Promise<string>): Promise<string[]> {
    const made: string[] = [];
    while (made.length < count) made.push(await make());
    return made;
  }

  #one<T>(list: readonly T[]): T {
    const item = list[this.random(list.length)];
    if (item === undefined) throw new Error('an empty list');
    return item;
  }

  #attributes = () => this.words.filter(() => this.random(3) === 0);
  #semantic = () => this.#one(['AnyOf', 'AllOf']);

  #roles(ids: readonly string[]): string[] {
    const kind = this.random(6);
    if (kind === 0) return ['#all'];
    const attributes = this.words.filter(() => this.random(2) === 0).map((word) => `#${word}`);
    return [...attributes, ...(kind < 3 ? [`@${this.#one(ids)}`] : [])].sort();
  }

  #sql(text: string, values: readonly unknown[]) {
    return this.controller.database.query(text, values as unknown[]);
  }

  async #check(): Promise<string> {
    const id = unique('check');
    await this.#sql(
      "INSERT INTO posture_checks (id, name, type_id, role_attributes, criteria) VALUES ($1, $1, 'OS', $2, $3)",
      [id, [`${id}-group`], JSON.stringify({ operatingSystems: [{ type: this.#one(SYSTEMS), versions: [] }] })],
    );
    return id;
  }

  async #router(): Promise<string> {
    const id = unique('router');
    await this.#sql(
      `INSERT INTO routers (id, name, is_edge, role_attributes, disabled, no_traversal)
      VALUES ($1, $1, true, $2, $3, $4)`,
      [id, this.#attributes(), this.random(6) === 0, this.random(4) === 0],
    );
    const state = this.random(4);
    if (state > 0) await connect(this.controller, id);
    if (state === 1)
      await this.#sql("UPDATE router_channels SET sync_status = 'SYNC_QUEUED' WHERE router_id = $1", [id]);
    return id;
  }

  async #link(from: string, to: string): Promise<void> {
    await this.#sql(
      `INSERT INTO router_links (id, host_id, iteration, source_router_id, dest_router_id, protocol, dial_address,
        created_at, source_latency, dest_latency, state_iteration, connections)
      VALUES ($1, $2, 1, $3, $4, 'tls', '', now(), 1, 1, 1, '[]')`,
      [unique('link'), HOST, from, to],
    );
  }

  async #identity(): Promise<string> {
    const id = unique('identity');
    await this.#sql(
      `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, role_attributes, disabled_at)
      SELECT $1, $1, 'User', false, 'default', $2, CASE WHEN $3 THEN now() END`,
      [id, this.#attributes(), this.random(6) === 0],
    );
    const logins = this.random(3);
    for (let n = 0; n < logins; n += 1) await this.#login(id);
    return id;
  }

  async #login(identityId: string): Promise<void> {
    const id = unique('login');
    await this.#sql(
      `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method, expires_at,
        last_request_at) VALUES ($1, $2, '', convert_to($1, 'UTF8'), '::1', 'password',
        CASE WHEN $3 THEN now() + interval '1 day' END, now() - $4 * interval '1 second')`,
      [id, identityId, this.random(4) === 0, this.random(1000)],
    );
    if (this.random(3) === 0) return;
    const at = new Date().toISOString();
    const os = { type: this.#one(SYSTEMS), version: '10.0.0', build: null, checkId: '', at };
    await this.#sql('INSERT INTO api_session_postures (api_session_id, reported) VALUES ($1, $2)', [
      id,
      JSON.stringify({ os }),
    ]);
  }

  async #service(): Promise<string> {
    const id = unique('service');
    await this.#sql('INSERT INTO services (id, name, encryption_required, role_attributes) VALUES ($1, $1, true, $2)', [
      id,
      this.#attributes(),
    ]);
    return id;
  }

  async #terminator(serviceId: string, routerId: string, hostId: string): Promise<void> {
    await this.#sql(
      `INSERT INTO terminators (id, service_id, router_id, binding, address, host_id, instance_id)
      VALUES ($1, $2, $3, 'edge', $1, $4, $5)`,
      [unique('terminator'), serviceId, routerId, hostId, this.random(3) === 0 ? 'one' : ''],
    );
  }

  async #policy(identities: readonly string[], services: readonly string[], checks: readonly string[]): Promise<void> {
    const check = this.#one(checks);
    const asked = this.#one<readonly string[]>([[], [], [`@${check}`], [`#${check}-group`], ['#none']]);
    await this.#sql(
      `INSERT INTO service_policies (id, name, type, semantic, identity_roles, service_roles, posture_check_roles)
      VALUES ($1, $1, $2, $3, $4, $5, $6)`,
      [
        unique('policy'),
        this.#one(['Dial', 'Dial', 'Bind']),
        this.#semantic(),
        this.#roles(identities),
        this.#roles(services),
        asked,
      ],
    );
  }
}
