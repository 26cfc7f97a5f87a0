/**
 * Stores that routers have the tokens of API sessions, before the first router is sent one. It is stored for good: the
 * management API refuses such tokens whatever becomes of the router, its policies and the identity
 * (docs/decisions/0022-tokens-that-routers-have.md).
 */
import type { RouterSyncView, SessionState } from '../../db/stores/router-sync-view.js';
import type { RoleList } from '../../db/query/scopes.js';
import { isSelected } from './session-directory.js';
import type { SessionDirectory } from './session-directory.js';

/** Sessions in one statement. */
export const SHARED_AT_A_TIME = 1_000;

export interface SessionSharing {
  /** Resolves when the tokens of these sessions may be sent. @throws what the database does */
  share(ids: readonly string[]): Promise<void>;
  /**
   * Shares the sessions that `due` answers, and asks again, since others may be due by then. Calls `act` in the turn
   * in which nothing is due.
   * @param goesOn  false: neither is done any more
   * @throws what the database does
   */
  shareThen(
    due: () => readonly string[],
    act: (shared: ReadonlySet<string>) => void,
    goesOn: () => boolean,
  ): Promise<void>;
}

export function createSessionSharing(
  view: Pick<RouterSyncView, 'share'>,
  directory: () => SessionDirectory,
): SessionSharing {
  const share = async (ids: readonly string[]) => {
    for (let at = 0; at < ids.length; at += SHARED_AT_A_TIME) {
      const slice = ids.slice(at, at + SHARED_AT_A_TIME);
      await view.share(slice);
      for (const id of slice) {
        const kept = directory().get(id);
        if (kept !== undefined) kept.isShared = true;
      }
    }
  };
  return {
    share,
    async shareThen(due, act, goesOn) {
      const shared = new Set<string>();
      while (goesOn()) {
        const ids = due().filter((id) => !shared.has(id));
        if (ids.length === 0) {
          act(shared);
          return;
        }
        await share(ids);
        for (const id of ids) shared.add(id);
      }
    },
  };
}

/**
 * Of sessions that were read, and of the other sessions of their identities: those whose tokens routers with these
 * policies would be sent, and that are not shared yet.
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
