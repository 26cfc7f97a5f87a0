/**
 * The API sessions that count, in memory: each once, whatever the number of routers. Which of them a router has is not
 * kept for each router; it follows from the role lists of the policies that select it. So memory grows with sessions
 * and with routers, and not with their product.
 */
import { selects } from '../../domain/policy/roles.js';
import type { Selectable } from '../../domain/policy/roles.js';
import type { SessionState } from '../../db/stores/router-sync-view.js';
import type { RoleList } from '../../db/query/scopes.js';

export interface KeptSession {
  readonly id: string;
  readonly identity: KeptIdentity;
  /** The session as `encodeSession` of session-messages.ts has it, which routers are sent. */
  readonly bytes: Buffer;
  /** It is stored that routers have its token: before, no router may be sent it. Never false again. */
  isShared: boolean;
}

/** An identity with at least one session. */
export interface KeptIdentity extends Selectable {
  roleAttributes: readonly string[];
  /** Never changed in place: whoever walks over them may go on. */
  sessions: readonly KeptSession[];
}

/** A change of one session. */
export interface SessionChange {
  readonly id: string;
  /** Its identity as it was; undefined when the session did not count. */
  readonly before: Selectable | undefined;
  /** The session as it is now; undefined when it does not count any more. */
  readonly after: KeptSession | undefined;
  /** True when routers must be sent it again. */
  readonly isOther: boolean;
}

export class SessionDirectory {
  readonly #sessions = new Map<string, KeptSession>();
  readonly #identities = new Map<string, KeptIdentity>();
  readonly #byAttribute = new Map<string, Set<KeptIdentity>>();
  #version = 0;

  /** @param encode  a session as routers are told of it; the same bytes whenever nothing of it has changed */
  constructor(private readonly encode: (session: SessionState) => Uint8Array) {}

  /** Another one whenever something has changed. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get(id: string): KeptSession | undefined {
    return this.#sessions.get(id);
  }

  /** Sessions of the identity. */
  ofIdentity(identityId: string): readonly KeptSession[] {
    return this.#identities.get(identityId)?.sessions ?? [];
  }

  clear(): void {
    this.#version += 1;
    this.#sessions.clear();
    this.#identities.clear();
    this.#byAttribute.clear();
  }

  ids(): string[] {
    return [...this.#sessions.keys()];
  }

  /**
   * Takes over what the database holds.
   * @param asked  sessions that were looked up by their ids: those that were not found are gone
   */
  apply(found: readonly SessionState[], asked: readonly string[] = []): SessionChange[] {
    const changes = new Map<string, SessionChange>();
    const note = (id: string, before: Selectable | undefined, after: KeptSession | undefined, isOther: boolean) => {
      this.#version += 1;
      const earlier = changes.get(id);
      changes.set(
        id,
        earlier === undefined
          ? { id, before, after, isOther }
          : { id, before: earlier.before, after, isOther: earlier.isOther || isOther },
      );
    };
    const remove = (id: string) => {
      const kept = this.#sessions.get(id);
      if (kept === undefined) return;
      note(id, copyOf(kept.identity), undefined, true);
      this.#remove(kept);
    };
    for (const session of found) {
      if (!session.isGood) {
        remove(session.id);
        continue;
      }
      const identity = this.#identityOf(session.identity);
      if (!isSame(identity.roleAttributes, session.identity.roleAttributes)) {
        const before = copyOf(identity);
        this.#setAttributes(identity, session.identity.roleAttributes);
        for (const kept of identity.sessions) note(kept.id, before, kept, false);
      }
      const bytes = this.encode(session);
      const kept = this.#sessions.get(session.id);
      const isShared = session.isShared || kept?.isShared === true;
      if (kept !== undefined) kept.isShared = isShared;
      if (kept?.bytes.equals(bytes) === true) continue;
      const next: KeptSession = { id: session.id, identity, bytes: Buffer.from(bytes), isShared };
      this.#sessions.set(next.id, next);
      identity.sessions = [...identity.sessions.filter((each) => each !== kept), next];
      note(next.id, kept && copyOf(identity), next, true);
    }
    const foundIds = new Set(found.map(({ id }) => id));
    for (const id of asked) if (!foundIds.has(id)) remove(id);
    return [...changes.values()];
  }

  /**
   * The sessions that these role lists select. The directory may change while they are walked over: what changes may
   * then be missing, or come twice.
   */
  *selected(lists: readonly RoleList[]): Generator<KeptSession> {
    if (lists.some(({ roles }) => isAll(roles))) {
      yield* this.#sessions.values();
      return;
    }
    for (const [index, list] of lists.entries())
      for (const role of sourcesOf(list))
        for (const identity of this.#named(role))
          if (isFirst(identity, lists.slice(0, index), list, role)) yield* identity.sessions;
  }

  #named(role: string): Iterable<KeptIdentity> {
    const name = role.slice(1);
    if (role.startsWith('#')) return this.#byAttribute.get(name) ?? [];
    const identity = this.#identities.get(name);
    return identity === undefined ? [] : [identity];
  }

  #identityOf({ id, roleAttributes }: Selectable): KeptIdentity {
    const known = this.#identities.get(id);
    if (known !== undefined) return known;
    const identity: KeptIdentity = { id, roleAttributes: [], sessions: [] };
    this.#identities.set(id, identity);
    this.#setAttributes(identity, roleAttributes);
    return identity;
  }

  #setAttributes(identity: KeptIdentity, roleAttributes: readonly string[]): void {
    for (const attribute of identity.roleAttributes) {
      const bearers = this.#byAttribute.get(attribute);
      bearers?.delete(identity);
      if (bearers?.size === 0) this.#byAttribute.delete(attribute);
    }
    identity.roleAttributes = roleAttributes;
    for (const attribute of roleAttributes) {
      const bearers = this.#byAttribute.get(attribute) ?? new Set();
      this.#byAttribute.set(attribute, bearers.add(identity));
    }
  }

  #remove(kept: KeptSession): void {
    const { identity } = kept;
    this.#sessions.delete(kept.id);
    identity.sessions = identity.sessions.filter((each) => each !== kept);
    if (identity.sessions.length > 0) return;
    this.#setAttributes(identity, []);
    this.#identities.delete(identity.id);
  }
}

/** Some policy allows the identity. */
export const isSelected = (lists: readonly RoleList[], identity: Selectable): boolean =>
  lists.some(({ semantic, roles }) => selects(semantic, roles, identity));

const isAll = (roles: readonly string[]): boolean => roles.length === 1 && roles[0] === '#all';

/** Roles that name every identity that the list selects: of AllOf one attribute is enough. */
function sourcesOf({ semantic, roles }: RoleList): string[] {
  if (semantic === 'AnyOf') return [...roles];
  const attribute = roles.find((role) => role.startsWith('#'));
  return [...(attribute === undefined ? [] : [attribute]), ...roles.filter((role) => role.startsWith('@'))];
}

/** The list selects it, and it came by no earlier role of the list and by no earlier list. */
function isFirst(identity: Selectable, earlier: readonly RoleList[], list: RoleList, role: string): boolean {
  if (!selects(list.semantic, list.roles, identity) || isSelected(earlier, identity)) return false;
  const first = sourcesOf(list).find((source) =>
    source.startsWith('#') ? identity.roleAttributes.includes(source.slice(1)) : source === `@${identity.id}`,
  );
  return first === role;
}

const copyOf = ({ id, roleAttributes }: KeptIdentity): Selectable => ({ id, roleAttributes });

const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((attribute, index) => attribute === right[index]);
