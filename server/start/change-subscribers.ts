/**
 * The one road by which news of changes reaches all that this controller keeps in memory and all that waits for a
 * change: commits of its own, before whoever made them goes on, and those of any controller, by the change feed.
 *
 * A commit has what its stores noted: that is enough for what is kept in memory. Work that follows a change, such as
 * telling routers, begins when the feed has heard of it, so that it is done once, on every controller alike.
 */
import type { OnCommit, Touched } from '../../db/postgres/touched.js';
import { apiSessionIdOf, identityIdOf } from '../../domain/ids.js';
import { noTrust } from '../../domain/trust.js';
import type { Trust } from '../../domain/trust.js';
import type { FabricEvents } from '../../fabric/fabric-events.js';
import type { ResponseCache } from '../../handlers/response-cache.js';
import type { Logger } from '../base/log.js';
import type { EpochMemory } from '../changes/epochs.js';
import type { FeedListeners } from '../changes/feed-listeners.js';
import type { EventReader } from '../events/event-reader.js';
import type { AccessTokens } from '../sessions/access-tokens.js';
import type { ApiSessionRegistry } from '../sessions/api-sessions.js';
import type { SessionSweeper } from '../sessions/session-sweeper.js';

/** Parts of the controller that are told of changes. */
export interface Subscribers {
  readonly apiSessions: ApiSessionRegistry;
  readonly accessTokens: Pick<AccessTokens, 'forget' | 'setTrusted'>;
  readonly sweeper: Pick<SessionSweeper, 'schedule'>;
  readonly responseCache: Pick<ResponseCache, 'forget'>;
  readonly fabric: FabricEvents;
  readonly eventReader: Pick<EventReader, 'schedule' | 'closed' | 'watched'>;
  readonly controllersChanged: () => void;
  readonly webhooksChanged: () => void;
}

export class ChangeSubscribers {
  /** Absent while the controller starts: nothing but epochs is kept in memory yet. */
  #subscribers: Subscribers | undefined;
  /** Keys or certificates of the network may be other ones. */
  onKeysRenewed: (() => void) | undefined;
  /** The database was found not to answer. */
  onDatabaseLost: (() => void) | undefined;
  #hearing: 'unknown' | 'hearing' | 'deaf' = 'unknown';

  constructor(
    readonly epochs: EpochMemory,
    private readonly log: Logger,
  ) {}

  subscribe(subscribers: Subscribers): void {
    this.#subscribers = subscribers;
  }

  /** Whether changes of other controllers are heard. */
  readonly isHearing = (): boolean => this.#hearing === 'hearing';

  /** A commit of this controller. */
  committed(...[touched]: Parameters<OnCommit>): void {
    for (const each of touched) this.#take(each);
    this.#subscribers?.eventReader.schedule();
  }

  #take(touched: Touched): void {
    const { apiSessions, accessTokens, fabric } = this.#subscribers ?? {};
    if (touched === 'auditRecords') return;
    fabric?.localChange();
    if (touched === 'epochs') this.epochs.changed();
    else if (touched === 'apiSessions') apiSessions?.forgetAll();
    else if (touched === 'anything') {
      this.epochs.changed();
      apiSessions?.forgetAll();
    } else if ('identity' in touched) {
      this.epochs.changed();
      apiSessions?.forgetIdentity(identityIdOf(touched.identity));
    } else if ('apiSession' in touched) apiSessions?.forget(apiSessionIdOf(touched.apiSession));
    else if ('token' in touched) accessTokens?.forget(touched.token);
    else apiSessions?.reread(apiSessionIdOf(touched.postureOf));
  }

  /** Functions that the change feed calls. */
  listeners(subscribers: Subscribers): FeedListeners {
    const { eventReader, controllersChanged, webhooksChanged } = subscribers;
    return {
      ...ofApiSessions(subscribers, this.epochs),
      ...ofAccess(subscribers, this.epochs),
      ...ofTraffic(subscribers),
      controllersChanged,
      pkiChanged: () => this.onKeysRenewed?.(),
      eventsClosed(batch) {
        eventReader.closed(batch);
      },
      eventsWatched() {
        eventReader.watched();
      },
      webhooksChanged,
      hearing: (isCurrent) => {
        this.#setHearing(true, isCurrent);
      },
      deaf: (cause) => {
        if (this.#hearing !== 'deaf') {
          const reason = cause instanceof Error ? cause.message : String(cause);
          this.log.warn(
            { reason },
            'changes by other controllers cannot be heard; ' +
              'sessions and epochs are asked of the database at every request meanwhile',
          );
        }
        this.#setHearing(false, noTrust);
      },
    };
  }

  /** Nothing that is kept may be believed while changes go unheard; what was kept before may be of another database. */
  #setHearing(isHearing: boolean, isTrusted: Trust): void {
    const was = this.#hearing;
    this.#hearing = isHearing ? 'hearing' : 'deaf';
    this.epochs.setTrusted(isTrusted);
    if (this.#subscribers === undefined) return;
    const { apiSessions, accessTokens, responseCache, fabric, sweeper, controllersChanged } = this.#subscribers;
    apiSessions.setTrusted(isTrusted);
    accessTokens.setTrusted(isTrusted);
    responseCache.forget();
    fabric.setHearing(isHearing, isTrusted);
    if (!isHearing) return;
    sweeper.schedule();
    controllersChanged();
    this.onKeysRenewed?.();
    if (was === 'deaf') this.log.info('changes by other controllers are heard again');
  }
}

type Heard<K extends keyof FeedListeners> = Pick<FeedListeners, K>;

function ofApiSessions(
  { apiSessions, accessTokens, fabric }: Subscribers,
  epochs: EpochMemory,
): Heard<
  | 'sessionGone'
  | 'allSessionsGone'
  | 'postureMoved'
  | 'identityChanged'
  | 'sessionsOpened'
  | 'printsChanged'
  | 'tokenRevoked'
  | 'clientsEnded'
> {
  return {
    sessionGone(id) {
      apiSessions.forget(apiSessionIdOf(id));
      fabric.sessionsChanged([id]);
    },
    allSessionsGone() {
      apiSessions.forgetAll();
      fabric.allSessionsChanged();
    },
    postureMoved(id) {
      apiSessions.reread(apiSessionIdOf(id));
    },
    identityChanged(id) {
      apiSessions.forgetIdentity(identityIdOf(id));
      epochs.identityChanged();
      fabric.identityChanged(id);
    },
    sessionsOpened(ids) {
      if (ids === undefined) fabric.allSessionsChanged();
      else fabric.sessionsChanged(ids);
    },
    printsChanged(id) {
      fabric.identityChanged(id);
    },
    tokenRevoked(id) {
      accessTokens.forget(id);
    },
    clientsEnded() {
      fabric.clientsEnded();
    },
  };
}

function ofTraffic({
  fabric,
}: Subscribers): Heard<'inspectionAsked' | 'linksChanged' | 'linkRemoved' | 'circuitRemoved' | 'circuitFaulted'> {
  return {
    inspectionAsked(id) {
      fabric.inspectionAsked(id);
    },
    linksChanged() {
      fabric.linksChanged();
    },
    linkRemoved(id) {
      fabric.linkRemoved(id);
    },
    circuitFaulted(id) {
      fabric.circuitFaulted(id);
    },
    circuitRemoved(id, isImmediate) {
      fabric.circuitRemoved(id, isImmediate);
    },
  };
}

function ofAccess(
  { sweeper, fabric }: Subscribers,
  epochs: EpochMemory,
): Heard<
  | 'accessMoved'
  | 'routingMoved'
  | 'presenceMoved'
  | 'grantsLost'
  | 'sessionsEnded'
  | 'terminatorsChanged'
  | 'routerChanged'
  | 'casChanged'
  | 'modelChanged'
> {
  return {
    accessMoved() {
      epochs.access.moved();
      epochs.advice.moved();
      fabric.accessMoved();
    },
    routingMoved() {
      epochs.advice.moved();
      fabric.routingMoved();
    },
    presenceMoved() {
      epochs.advice.moved();
      fabric.presenceMoved();
    },
    grantsLost() {
      // Sessions that routers use are checked at once, all others by the sweep.
      fabric.grantsLost();
      sweeper.schedule();
    },
    sessionsEnded(ids) {
      fabric.sessionsEnded(ids);
    },
    terminatorsChanged(serviceIds) {
      fabric.terminatorsChanged(serviceIds);
    },
    routerChanged(id) {
      fabric.routerChanged(id);
    },
    casChanged() {
      fabric.keysChanged();
    },
    modelChanged(kind, id) {
      fabric.modelChanged(kind, id);
    },
  };
}
