/** Tells the parts of the control channel what has changed, here or at another controller. */
import type { Trust } from '../domain/trust.js';
import type { ConnectedChannels } from './channel/channel.js';
import type { NoteFailure } from './channel/router-log.js';
import type { StandIns } from './channel/stand-ins.js';
import type { Inspections } from './inspections/inspections.js';
import type { LinkSettingsReader } from './links/link-settings.js';
import type { ClientEnds } from './model/client-ends.js';
import type { RouterModels } from './model/data-model.js';
import { checkModels } from './model/model-checks.js';
import type { RouterChecks } from './model/router-checks.js';
import { controllersMessage, withoutMoved } from './presence/controllers.js';
import type { AdvertisedControllers, KnownControllers } from './presence/controllers.js';
import type { HostRecords } from './presence/host-records.js';
import type { OtherChannels } from './presence/other-channels.js';
import type { SessionSync } from './sessions/session-sync.js';
import type { Traffic } from './traffic/traffic.js';

export interface FabricEventsOptions {
  readonly channels: ConnectedChannels;
  readonly controllers: KnownControllers;
  readonly traffic: Traffic;
  readonly models: RouterModels;
  readonly ends: Pick<ClientEnds, 'changed' | 'readAll'>;
  readonly noteFailure: NoteFailure;
  readonly sessionSync: SessionSync;
  readonly standIns: Pick<StandIns, 'closeOthers'>;
  readonly others: Pick<OtherChannels, 'moved'>;
  readonly linkSettings: Pick<LinkSettingsReader, 'schedule' | 'retry'>;
  readonly records: Pick<HostRecords, 'rewrite'>;
  readonly inspections: Pick<Inspections, 'asked'>;
  /** Clients may log in with signed tokens. */
  readonly hasClients: boolean;
  readonly checks: Pick<RouterChecks<{ readonly id: string }>, 'schedule' | 'scheduleAll' | 'retry'>;
}

/** Time in which changes of policies are gathered, to be looked up together. */
const GATHER_MS = 100;
/** A router takes messages of one kind side by side: the second list must not overtake the first. */
const MOVE_MS = 300;
const TICK_MS = 1_000;
/** Ticks between two reads of all API sessions while changes cannot be heard. */
const DEAF_TICKS = 5;
/** Ticks between two reads of all clients that have ended. */
const CLIENT_END_TICKS = 60;
/** Ticks between two checks of the models that routers have. */
const MODEL_CHECK_TICKS = 3_600;

export class FabricEvents {
  readonly #parts: FabricEventsOptions;
  readonly #ticking: NodeJS.Timeout;
  /** The list that routers were told last. */
  #told: AdvertisedControllers;
  #telling: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #isHearing = true;
  #ticks = 0;

  constructor(parts: FabricEventsOptions) {
    this.#parts = parts;
    this.#told = parts.controllers.now();
    this.#ticking = setInterval(() => {
      this.#tick();
    }, TICK_MS).unref();
  }

  close(): void {
    clearInterval(this.#ticking);
    clearTimeout(this.#gathering);
    clearTimeout(this.#telling);
  }

  routerChanged(routerId: string): void {
    const { traffic, checks } = this.#parts;
    traffic.memory.forgetAll();
    checks.schedule(routerId);
  }

  /** Hears that identities may reach other things: services, configs, service policies, a router's own identity. */
  accessMoved(): void {
    this.#parts.traffic.memory.forgetAll();
  }

  /** Hears that routers came or went. */
  presenceMoved(): void {
    this.#parts.others.moved();
  }

  /** Hears that routers or policies changed. */
  routingMoved(): void {
    const { traffic } = this.#parts;
    traffic.memory.forgetAll();
    this.#scheduleChecks();
    traffic.sessions.check();
  }

  /** Hears that something that routers are told of the network has changed. */
  modelChanged(kind: string, id: string): void {
    this.#parts.models.changed(kind, id);
  }

  sessionsChanged(apiSessionIds: readonly string[]): void {
    this.#parts.sessionSync.sessionsChanged(apiSessionIds);
    this.#clientsCame();
  }

  allSessionsChanged(): void {
    this.#parts.sessionSync.refresh();
    this.#clientsCame();
  }

  /** New identities are not announced: routers are told of them when they log in. */
  #clientsCame(): void {
    if (this.#parts.hasClients) this.#parts.models.changed('identity', '*');
  }

  identityChanged(identityId: string): void {
    const { traffic, sessionSync } = this.#parts;
    traffic.memory.forgetAll();
    sessionSync.identityChanged(identityId);
  }

  /** Hears that clients with signed tokens ended before their tokens. */
  clientsEnded(): void {
    this.#parts.ends.changed();
  }

  /** Hears that sessions for services ended. */
  sessionsEnded(sessionIds: readonly string[]): void {
    const { memory, sessions } = this.#parts.traffic;
    memory.forgetSessions(sessionIds);
    sessions.ended(sessionIds);
  }

  /** Hears that sessions for services may have lost their grant. */
  grantsLost(): void {
    const { memory, sessions } = this.#parts.traffic;
    memory.forgetAll();
    sessions.check();
  }

  /** Hears of a commit of this controller, before it is answered: dials read again what they depend on. */
  localChange(): void {
    this.#parts.traffic.memory.forgetAll();
  }

  /** Hears that terminators of these services changed; undefined: of many. */
  terminatorsChanged(serviceIds: readonly string[] | undefined): void {
    const { memory, flights } = this.#parts.traffic;
    memory.forgetTargets(serviceIds);
    flights.doubtTerminators(serviceIds);
  }

  /** Hears that an operator set something on a link. */
  linksChanged(): void {
    this.#parts.linkSettings.schedule();
  }

  inspectionAsked(inspectionId: string): void {
    this.#parts.inspections.asked(inspectionId);
  }

  linkRemoved(linkId: string): void {
    this.#parts.traffic.links.remove(linkId);
  }

  /** Hears that a router reported a fault of a circuit to another controller than the one that has it. */
  circuitFaulted(circuitId: string): void {
    const { circuits, moves } = this.#parts.traffic;
    const circuit = circuits.get(circuitId);
    if (circuit !== undefined) moves.move(circuit);
  }

  /** @param isImmediate  what is on its way is dropped */
  circuitRemoved(circuitId: string, isImmediate: boolean): void {
    const { circuits } = this.#parts.traffic;
    const circuit = circuits.get(circuitId);
    if (circuit !== undefined) circuits.end(circuit, isImmediate);
  }

  /**
   * Sends routers the list of controllers, which has changed. A router keeps the channel that it has to a controller
   * that is listed, so those that are found elsewhere now are left out first.
   */
  controllersChanged(): void {
    const { channels, controllers } = this.#parts;
    const next = controllers.now();
    const first = withoutMoved(next, this.#told);
    this.#told = next;
    const tell = (list: AdvertisedControllers) => {
      const message = controllersMessage(list);
      for (const channel of channels.all()) channel.send(message);
    };
    clearTimeout(this.#telling);
    tell(first ?? next);
    // Other controllers tell the same: all routers have heard the first before any hears the second.
    this.#telling = setTimeout(() => {
      if (first !== undefined) tell(controllers.now());
      this.#parts.standIns.closeOthers();
    }, MOVE_MS).unref();
  }

  /** Hears that CAs or keys of the network changed. */
  keysChanged(): void {
    this.#parts.models.keysChanged();
  }

  /**
   * @param isHearing  false while changes made elsewhere may go unheard
   * @param isTrusted  whether memory may be believed, at any moment
   */
  setHearing(isHearing: boolean, isTrusted: Trust): void {
    const { traffic, sessionSync, models, linkSettings, records } = this.#parts;
    this.#isHearing = isHearing;
    traffic.memory.setTrusted(isTrusted);
    if (!isHearing) return;
    this.#scheduleChecks();
    traffic.sessions.check();
    sessionSync.refresh();
    models.keysChanged();
    this.#parts.others.moved();
    this.#parts.ends.readAll();
    linkSettings.schedule();
    // A circuit whose removal was not heard stands, and is to be seen again.
    records.rewrite();
  }

  #tick(): void {
    const { checks, models, linkSettings } = this.#parts;
    this.#ticks += 1;
    if (!this.#isHearing) this.#pollWhileDeaf();
    if (this.#ticks % MODEL_CHECK_TICKS === 0) void checkModels(this.#parts.channels, models, this.#parts.noteFailure);
    if (this.#ticks % CLIENT_END_TICKS === 0) this.#parts.ends.readAll();
    checks.retry();
    linkSettings.retry();
    models.runDue();
  }

  /** Reads what may have changed while changes go unheard; the costlier reads come less often. */
  #pollWhileDeaf(): void {
    const { checks, models, sessionSync, traffic } = this.#parts;
    checks.scheduleAll();
    models.scheduleAll();
    if (this.#ticks % DEAF_TICKS !== 0) return;
    this.#parts.others.moved();
    this.#parts.ends.readAll();
    sessionSync.refresh();
    traffic.sessions.check();
    models.keysChanged();
  }

  #scheduleChecks(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#parts.checks.scheduleAll();
    }, GATHER_MS).unref();
  }
}
