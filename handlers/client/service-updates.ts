/**
 * Time of the last change of a caller's services. Compared when it asks: nothing runs when a policy changes or a
 * posture check times out.
 */
import type { ApiSession } from '../../domain/credentials.js';
import { digestOf, msUntilFlip, postureMovedAt, grantsState } from '../../domain/policy/service-view.js';
import type { Granted, LastView } from '../../db/stores/access-view.js';
import type { Stores } from '../../db/stores/stores.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Caller } from '../reply.js';
import { isoTime } from '../fields.js';
import { viewsOf } from '../access/service-views.js';

/** GET /current-api-session/service-updates. */
export const listServiceUpdates: Handler<'client', 'listServiceUpdates'> = async (
  { caller },
  { stores, apiSessions, epochs, responseCache },
) => {
  const { session } = await apiSessions.live(caller);
  const { epoch } = await epochs.access.current(stores);
  return responseCache.ofSession(session, epoch, async () => {
    const last = await stores.access.lastView(caller.identityId, caller.configTypes);
    const { changedAt, goodUntilMs } =
      last.noted?.epoch === last.epoch
        ? { changedAt: last.noted.changedAt, goodUntilMs: Infinity }
        : await responseCache.once(
            JSON.stringify(['service-updates', session.id, caller.postureRevision, last.epoch, last.noted?.epoch]),
            () => compareView({ ...caller, roleAttributes: last.roleAttributes }, last, session, stores),
          );
    return { reply: ok({ lastChangeAt: isoTime(latest(session.createdAt, changedAt)) }), goodUntilMs };
  });
};

interface Since {
  readonly changedAt: Date;
  /** Time by `performance.now()`. */
  readonly goodUntilMs: number;
}

/**
 * Called when the epoch has moved. Most moves do not concern the caller, and its grants show that sooner than its whole
 * view.
 */
async function compareView(caller: Caller, last: LastView, session: ApiSession, stores: Stores): Promise<Since> {
  const { access } = stores;
  const { identityId, configTypes, roleAttributes } = caller;
  const { epoch, noted } = last;
  const beganMs = performance.now();
  const granted = await access.grantsIn(session.id, { id: identityId, roleAttributes });
  if (granted.posture !== null) {
    const goodUntilMs = beganMs + msUntilFlip(granted.grants, granted.posture.now);
    return { changedAt: await compareOwnView(granted, caller, last, session, stores), goodUntilMs };
  }
  const state = grantsState(granted.grants, last.content);
  if (noted?.state?.equals(state) === true) {
    await access.keepView(identityId, configTypes, epoch, state);
    return { changedAt: noted.changedAt, goodUntilMs: Infinity };
  }
  const view = await viewNow(granted, state, caller, epoch, stores);
  const changedAt = await access.noteView(identityId, configTypes, view, latest(session.createdAt, last.movedAt));
  return { changedAt, goodUntilMs: Infinity };
}

/** The same for an identity whose policies ask for posture checks: its API sessions do not see the same. */
async function compareOwnView(
  granted: Granted,
  caller: Caller,
  { epoch, content, movedAt, noted }: LastView,
  session: ApiSession,
  stores: Stores,
): Promise<Date> {
  const { access } = stores;
  const state = grantsState(granted.grants, content);
  const own = await access.ownView(session.id);
  const isVoid = own !== undefined && noted !== null && noted.changedAt > own.changedAt;
  if (!isVoid && own?.state?.equals(state) === true) return own.changedAt;
  const view = await viewNow(granted, state, caller, epoch, stores);
  const since = [movedAt, ...postureMovedAt(granted)].reduce(latest, session.createdAt);
  const { identityId, configTypes } = caller;
  const revision = granted.posture?.revision ?? 0;
  return access.noteOwnView({ id: session.id, identityId, configTypes }, { ...view, revision }, since);
}

/**
 * The changes between login and a first poll are not known; that something did change is, and a client must not miss
 * it.
 */
async function viewNow({ grants }: Granted, state: Buffer, caller: Caller, epoch: number, stores: Stores) {
  const digest = digestOf(await viewsOf(grants, caller, stores), stores.services.clientMembers);
  const isOfOnePiece = (await stores.access.epoch()).epoch === epoch;
  return { epoch, digest, state: isOfOnePiece ? state : null };
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
}
