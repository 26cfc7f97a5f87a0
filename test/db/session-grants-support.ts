/** Sessions with the policies that grant them, in tables that each test begins with empty. */
import type { SessionBasis } from '../../db/stores/session-creation.js';
import { IS_CURRENT } from '../../db/stores/session-grants.js';
import { DomainError } from '../../domain/errors.js';
import { until } from '../support/poll.js';
import {
  identityDraft,
  openApiSession,
  openStoresForTest,
  serviceDraft,
  servicePolicyDraft,
} from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

/** A session that the policy grants by `#a`, which identity and service have beside `#b`. */
export interface GrantedSession {
  readonly identity: string;
  readonly service: string;
  readonly policy: string;
  readonly session: string;
}

export class GrantScene {
  readonly stores: TestStores['stores'];
  readonly database: TestStores['database'];
  readonly #fixture: TestStores;
  #serial = 0;

  private constructor(fixture: TestStores) {
    this.#fixture = fixture;
    ({ stores: this.stores, database: this.database } = fixture);
  }

  static async open(): Promise<GrantScene> {
    return new GrantScene(await openStoresForTest({ poolSize: 6 }));
  }

  close(): Promise<void> {
    return this.#fixture.close();
  }

  async clear(): Promise<void> {
    for (const table of ['sessions', 'service_policies', 'services', 'identities'])
      await this.query(`DELETE FROM ${table}`);
  }

  id(): string {
    return `id${String((this.#serial += 1)).padStart(6, '0')}`;
  }

  async query(sql: string, values: unknown[] = []) {
    return (await this.#fixture.files.query(sql, values)).rows;
  }

  /** Resolves once another connection waits for a lock. */
  async lockIsWaitedFor(): Promise<void> {
    await until('a lock is waited for', async () => {
      const waiting = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await this.query(waiting)).length > 0;
    });
  }

  /** A connection of its own, for a transaction that a test holds. */
  connect() {
    return this.#fixture.files.connect();
  }

  async newIdentity(roleAttributes: readonly string[]): Promise<string> {
    const made = this.id();
    await this.stores.identities.create(made, identityDraft(made, { roleAttributes }), []);
    await openApiSession(this.stores, made, `api-${made}`);
    return made;
  }

  async newService(roleAttributes: readonly string[]): Promise<string> {
    const made = this.id();
    await this.stores.services.create(made, serviceDraft(made, { roleAttributes }));
    return made;
  }

  async allow(
    identityRoles: readonly string[],
    serviceRoles: readonly string[],
    semantic: 'AnyOf' | 'AllOf' = 'AnyOf',
  ): Promise<string> {
    const made = this.id();
    const draft = servicePolicyDraft(made, { semantic, identityRoles, serviceRoles });
    await this.stores.servicePolicies.create(made, draft);
    return made;
  }

  useOf(identityId: string, serviceId: string) {
    return { apiSessionId: `api-${identityId}`, identityId, serviceId, type: 'Dial' as const };
  }

  async groundOf(identityId: string, serviceId: string): Promise<SessionBasis> {
    const ground = await this.stores.sessions.findBasis(this.useOf(identityId, serviceId));
    if (ground === undefined) throw new Error('no ground');
    return ground;
  }

  async open(identityId: string, serviceId: string): Promise<string> {
    const draft = { id: this.id(), token: 'x', tags: {}, ...this.useOf(identityId, serviceId) };
    return (await this.stores.sessions.create(draft, await this.groundOf(identityId, serviceId)))?.id ?? '';
  }

  async granted(): Promise<GrantedSession> {
    const [identity, service] = [await this.newIdentity(['a', 'b']), await this.newService(['a', 'b'])];
    const policy = await this.allow(['#a', '#c'], ['#a', '#c']);
    return { identity, service, policy, session: await this.open(identity, service) };
  }

  async isUnchecked(session: string): Promise<unknown> {
    const [row] = await this.query(`SELECT NOT ${IS_CURRENT} AS doubt FROM sessions t WHERE id = $1`, [session]);
    return row?.['doubt'];
  }

  async isThere(session: string): Promise<boolean> {
    return (await this.query('SELECT FROM sessions WHERE id = $1', [session])).length === 1;
  }
}

/** The kind of error that the work ends with. */
export const refused = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof DomainError ? error.kind : error),
  );
