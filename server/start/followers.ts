/** Ties the change feed to all that this controller keeps in memory, and to what waits for a change. */
import type { ClientConfig } from 'pg';
import { apiSessionIdOf, identityIdOf } from '../../domain/ids.js';
import type { Database } from '../../db/postgres/contracts.js';
import type { FabricNews } from '../../fabric/fabric.js';
import type { KeptAnswers } from '../../handlers/kept-answers.js';
import type { ApiSessionRegistry } from '../sessions/api-sessions.js';
import { openChangeFeed } from '../changes/change-feed.js';
import type { ChangeFeed } from '../changes/change-feed.js';
import type { Closers } from '../base/closers.js';
import type { EpochMemory } from '../changes/epochs.js';
import type { EventReader } from '../events/event-reader.js';
import type { Logger } from '../base/log.js';
import type { SessionSweeper } from '../sessions/session-sweeper.js';

/** Subscribers of changes. */
export interface Followers {
  readonly apiSessions: ApiSessionRegistry;
  readonly sweeper: SessionSweeper;
  readonly epochs: EpochMemory;
  readonly keptAnswers: KeptAnswers;
  readonly fabric: FabricNews;
  readonly controllersChanged: () => void;
  readonly pkiChanged: () => void;
  readonly eventReader: EventReader;
  readonly webhooksChanged: () => void;
}

/** Resolves when the first attempt of the feed to connect is over. */
export async function followChanges(
  connection: ClientConfig,
  database: Database,
  followers: Followers,
  log: Logger,
  closers: Closers,
): Promise<{ feed: ChangeFeed; isHearing: () => boolean }> {
  const { apiSessions, sweeper, epochs, keptAnswers, fabric, controllersChanged, pkiChanged } = followers;
  const { eventReader, webhooksChanged } = followers;
  let state: 'new' | 'hearing' | 'deaf' = 'new';
  const announce = (channel: string, payload: string) =>
    database.read('announce', 'SELECT pg_notify($1, $2)', [channel, payload]);
  const feed = openChangeFeed(connection, announce, {
    sessionGone: (id) => {
      apiSessions.forget(apiSessionIdOf(id));
      fabric.sessionsChanged([id]);
    },
    allSessionsGone: () => {
      apiSessions.forgetAll();
      fabric.allSessionsChanged();
    },
    postureMoved: (id) => {
      apiSessions.reread(apiSessionIdOf(id));
    },
    identityChanged: (id) => {
      apiSessions.forgetIdentity(identityIdOf(id));
      epochs.identityChanged();
      fabric.identityChanged(id);
    },
    accessMoved: () => {
      epochs.access.moved();
      epochs.advice.moved();
      fabric.accessMoved();
    },
    routingMoved: () => {
      epochs.advice.moved();
      fabric.routingMoved();
    },
    presenceMoved: () => {
      epochs.advice.moved();
    },
    sessionsOpened: (ids) => {
      if (ids === undefined) fabric.allSessionsChanged();
      else fabric.sessionsChanged(ids);
    },
    printsChanged: (id) => {
      fabric.identityChanged(id);
    },
    routerChanged: (id) => {
      fabric.routerChanged(id);
    },
    controllersChanged,
    casChanged: () => {
      fabric.keysChanged();
    },
    terminatorsChanged: (serviceIds) => {
      fabric.terminatorsChanged(serviceIds);
    },
    sessionsEnded: (ids) => {
      fabric.sessionsEnded(ids);
    },
    grantsLost: () => {
      // Those that routers use at once, all others after them.
      fabric.grantsLost();
      sweeper.nudge();
    },
    pkiChanged,
    eventsClosed: (batch) => {
      eventReader.closed(batch);
    },
    eventsWatched: () => {
      eventReader.watched();
    },
    webhooksChanged,
    hearing: () => {
      apiSessions.setTrusted(true);
      epochs.setTrusted(true);
      keptAnswers.forget();
      sweeper.nudge();
      fabric.setHearing(true);
      controllersChanged();
      pkiChanged();
      if (state === 'deaf') log.info('changes by other controllers are heard again');
      state = 'hearing';
    },
    deaf: (cause) => {
      apiSessions.setTrusted(false);
      fabric.setHearing(false);
      epochs.setTrusted(false);
      keptAnswers.forget(); // from now on this may be another database
      if (state !== 'deaf') {
        const reason = cause instanceof Error ? cause.message : String(cause);
        log.warn(
          { reason },
          'changes by other controllers cannot be heard; ' +
            'sessions and epochs are asked of the database at every request meanwhile',
        );
      }
      state = 'deaf';
    },
  });
  closers.push(() => {
    feed.close();
  });
  await feed.ready;
  return { feed, isHearing: () => state === 'hearing' };
}
