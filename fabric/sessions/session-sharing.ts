/**
 * Stores that routers have the tokens of API sessions, before the first router is sent one. It is stored for good: the
 * management API refuses such tokens whatever becomes of the router, its policies and the identity
 * (docs/decisions/0022-tokens-that-routers-have.md).
 */
import { inParts } from '../../domain/in-parts.js';
import type { RouterSyncView, SessionState } from '../../db/stores/router-sync-view.js';
import type { RoleList } from '../../db/query/scopes.js';
import { isSelected } from './session-directory.js';
import type { SessionDirectory } from './session-directory.js';

/** Sessions in one statement. */
export const SHARED_AT_A_TIME = 1_000;

/** Work that must not begin before sessions are shared. */
export interface SharedWork {
  /** Ids of the sessions to share; called again after each share, since others may be due by then. */
  readonly due: () => readonly string[];
  /** Does the work, in the turn of the event loop in which nothing is due. */
  readonly act: (shared: ReadonlySet<string>) => void;
  /** Returns false when the work is not wanted any more. */
  readonly isWanted: () => boolean;
}

export class SessionSharing {
  readonly #view: Pick<RouterSyncView, 'share'>;
  readonly #directory: Pick<SessionDirectory, 'get'>;

  constructor(view: Pick<RouterSyncView, 'share'>, directory: Pick<SessionDirectory, 'get'>) {
    this.#view = view;
    this.#directory = directory;
  }

  /** Resolves when the tokens of these sessions may be sent. @throws what the database does */
  async share(ids: readonly string[]): Promise<void> {
    for (const slice of inParts(ids, SHARED_AT_A_TIME)) {
      await this.#view.share(slice);
      for (const id of slice) {
        const kept = this.#directory.get(id);
        if (kept !== undefined) kept.isShared = true;
      }
    }
  }

  /** Shares the sessions that are due until none is, then does the work. @throws what the database does */
  async shareThen({ due, act, isWanted }: SharedWork): Promise<void> {
    const shared = new Set<string>();
    while (isWanted()) {
      const ids = due().filter((id) => !shared.has(id));
      if (ids.length === 0) {
        act(shared);
        return;
      }
      await this.share(ids);
      for (const id of ids) shared.add(id);
    }
  }
}

/**
 * Sessions among those that were read, and among the others of their identities, whose tokens routers with these
 * policies would be sent and that are not shared yet.
 */
export function unsharedOf(
  found: readonly SessionState[],
  directory: SessionDirectory,
  policies: readonly (readonly RoleList[])[],
): string[] {
  if (policies.length === 0) return [];
  return found.flatMap(({ id, identity, isGood, isShared }) => {
    if (!isGood) return [];
    const others = directory.ofIdentity(identity.id).filter((kept) => kept.id !== id && !kept.isShared);
    const ids = others.map((kept) => kept.id);
    if (!isShared && directory.get(id)?.isShared !== true) ids.push(id);
    return ids.length > 0 && policies.some((lists) => isSelected(lists, identity)) ? ids : [];
  });
}
