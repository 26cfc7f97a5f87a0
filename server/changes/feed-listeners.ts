/** The announcements of controllers, and who hears each of them. */
import type { Trust } from '../../domain/trust.js';

export interface FeedListeners {
  readonly sessionGone: (apiSessionId: string) => void;
  readonly allSessionsGone: () => void;
  /** Facts about the device of an API session have changed. */
  readonly postureMoved: (apiSessionId: string) => void;
  readonly identityChanged: (identityId: string) => void;
  /** The access epoch has moved. */
  readonly accessMoved: () => void;
  readonly routingMoved: () => void;
  /** Sessions may have lost their grant. */
  readonly grantsLost: () => void;
  /** API sessions began, or the certificates of their clients are others; undefined: of many. */
  readonly sessionsOpened: (apiSessionIds: readonly string[] | undefined) => void;
  /** Sessions for services have ended, by their ids. */
  readonly sessionsEnded: (sessionIds: readonly string[]) => void;
  /** The terminators of these services are other ones; undefined: of many. */
  readonly terminatorsChanged: (serviceIds: readonly string[] | undefined) => void;
  /** The certificates by which the identity logs in are others. */
  readonly printsChanged: (identityId: string) => void;
  /** A token with this id is taken no longer. */
  readonly tokenRevoked: (tokenId: string) => void;
  /** Clients with signed tokens have ended before their tokens. */
  readonly clientsEnded: () => void;
  /** A router was deleted or disabled, or has another certificate. */
  readonly routerChanged: (routerId: string) => void;
  /** Something that routers are told of the network has changed. */
  readonly modelChanged: (kind: string, id: string) => void;
  /** Routers are told another list of controllers. */
  readonly controllersChanged: () => void;
  /** An operator set something on a link. */
  readonly linksChanged: () => void;
  /** An operator wants the link to be given up. */
  readonly linkRemoved: (linkId: string) => void;
  /** A router reported a fault of the circuit. */
  readonly circuitFaulted: (circuitId: string) => void;
  /** A circuit is to end. @param isImmediate  what is on its way is dropped */
  readonly circuitRemoved: (circuitId: string, isImmediate: boolean) => void;
  /** An administrator asks routers and controllers for values. */
  readonly inspectionAsked: (inspectionId: string) => void;
  /** A router connected to some controller, or is gone. */
  readonly presenceMoved: () => void;
  /** CAs of others were verified, opened, closed or deleted. */
  readonly casChanged: () => void;
  /** Keys or certificates of the network were renewed. */
  readonly pkiChanged: () => void;
  /** A batch of events was closed. */
  readonly eventsClosed: (batch: number) => void;
  /** Some controller waits for events. */
  readonly eventsWatched: () => void;
  /** Targets of events have changed, or dead letters are to be sent again. */
  readonly webhooksChanged: () => void;
  /** It hears from now on; what happened before is unknown. @param isCurrent  whether it still does, at any moment */
  readonly hearing: (isCurrent: Trust) => void;
  /** It does not hear; called again at each attempt that fails. */
  readonly deaf: (cause: unknown) => void;
}

/** The announcement of a controller that waits for events. */
export const WATCHED = 'watched';

/** @param ids  what the announcement is about */
export type Hear = (ids: readonly string[]) => void;

const circuitSubject =
  ({ circuitFaulted, circuitRemoved }: Pick<FeedListeners, 'circuitFaulted' | 'circuitRemoved'>): Hear =>
  ([id = '', how]) => {
    if (how === 'fault') circuitFaulted(id);
    else circuitRemoved(id, how === 'now');
  };

/** Returns the listeners by the first word of an announcement; ids of what it is about follow, `*` for too many. */
export function subjectsOf(listeners: FeedListeners): ReadonlyMap<string, Hear> {
  const each =
    (hear: (id: string) => void): Hear =>
    (ids) => {
      ids.forEach((id) => {
        hear(id);
      });
    };
  const orMany =
    (hear: (ids: readonly string[] | undefined) => void): Hear =>
    (ids) => {
      hear(ids[0] === '*' ? undefined : ids);
    };
  return new Map<string, Hear>([
    ['access', listeners.accessMoved],
    ['cas', listeners.casChanged],
    ['circuit', circuitSubject(listeners)],
    ['clients', listeners.clientsEnded],
    ['controllers', listeners.controllersChanged],
    ['ended', listeners.sessionsEnded],
    [
      'events',
      ([batch]) => {
        listeners.eventsClosed(Number(batch));
      },
    ],
    ['grants', listeners.grantsLost],
    ['identity', each(listeners.identityChanged)],
    ['inspect', each(listeners.inspectionAsked)],
    ['link', each(listeners.linkRemoved)],
    ['links', listeners.linksChanged],
    [
      'model',
      ([kind = '', id = '']) => {
        listeners.modelChanged(kind, id);
      },
    ],
    ['opened', orMany(listeners.sessionsOpened)],
    ['pki', listeners.pkiChanged],
    ['posture', each(listeners.postureMoved)],
    ['presence', listeners.presenceMoved],
    ['prints', each(listeners.printsChanged)],
    ['revoked', each(listeners.tokenRevoked)],
    ['router', each(listeners.routerChanged)],
    ['routing', listeners.routingMoved],
    [
      'session',
      (ids) => {
        if (ids[0] === '*') listeners.allSessionsGone();
        else ids.forEach(listeners.sessionGone);
      },
    ],
    ['terminators', orMany(listeners.terminatorsChanged)],
    [WATCHED, listeners.eventsWatched],
    ['webhooks', listeners.webhooksChanged],
  ]);
}
