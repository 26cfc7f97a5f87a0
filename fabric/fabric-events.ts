/** Tells the parts of the control channel what has changed, here or at another controller. */
import type { ConnectedChannels } from './channel/channel.js';
import type { RouterModels } from './model/data-model.js';
import type { RouterChecks } from './model/router-checks.js';
import { controllersMessage } from './presence/controllers.js';
import type { KnownControllers } from './presence/controllers.js';
import type { SessionSync } from './sessions/session-sync.js';
import type { Traffic } from './traffic/traffic.js';

export interface FabricEventsOptions {
  readonly channels: ConnectedChannels;
  readonly controllers: KnownControllers;
  readonly traffic: Traffic;
  readonly models: RouterModels;
  readonly sessionSync: SessionSync;
  readonly checks: Pick<RouterChecks<{ readonly id: string }>, 'schedule' | 'scheduleAll' | 'retry'>;
}

/** Time in which changes of policies are gathered, to be looked up together. */
const GATHER_MS = 100;
const TICK_MS = 1_000;
/** Ticks between two reads of all API sessions while changes cannot be heard. */
const DEAF_TICKS = 5;

export class FabricEvents {
  readonly #parts: FabricEventsOptions;
  readonly #ticking: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | undefined;
  #isHearing = true;
  #ticks = 0;

  constructor(parts: FabricEventsOptions) {
    this.#parts = parts;
    this.#ticking = setInterval(() => {
      this.#tick();
    }, TICK_MS).unref();
  }

  close(): void {
    clearInterval(this.#ticking);
    clearTimeout(this.#gathering);
  }

  routerChanged(routerId: string): void {
    const { traffic, checks } = this.#parts;
    traffic.memory.forgetAll();
    checks.schedule(routerId);
  }

  /** Hears that identities may reach other things: services, configs, service policies, a router's own identity. */
  accessMoved(): void {
    const { traffic, models } = this.#parts;
    traffic.memory.forgetAll();
    models.schedule();
  }

  /** Hears that routers or policies changed. */
  routingMoved(): void {
    const { traffic, models } = this.#parts;
    traffic.memory.forgetAll();
    this.#scheduleChecks();
    models.schedule();
    traffic.sessions.check();
  }

  sessionsChanged(apiSessionIds: readonly string[]): void {
    this.#parts.sessionSync.sessionsChanged(apiSessionIds);
  }

  allSessionsChanged(): void {
    this.#parts.sessionSync.refresh();
  }

  identityChanged(identityId: string): void {
    const { traffic, sessionSync } = this.#parts;
    traffic.memory.forgetAll();
    sessionSync.identityChanged(identityId);
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

  /** Sends routers the list of controllers, which has changed. */
  controllersChanged(): void {
    const { channels, controllers } = this.#parts;
    const list = controllersMessage(controllers.now());
    for (const channel of channels.all()) channel.send(list);
  }

  /** Hears that CAs or keys of the network changed. */
  keysChanged(): void {
    this.#parts.models.keysChanged();
  }

  /** @param isHearing  false while changes made elsewhere may go unheard */
  setHearing(isHearing: boolean): void {
    const { traffic, sessionSync, models } = this.#parts;
    this.#isHearing = isHearing;
    traffic.memory.setTrusted(isHearing);
    if (!isHearing) return;
    this.#scheduleChecks();
    traffic.sessions.check();
    sessionSync.refresh();
    models.keysChanged();
  }

  #tick(): void {
    const { checks, models } = this.#parts;
    this.#ticks += 1;
    if (!this.#isHearing) this.#pollWhileDeaf();
    checks.retry();
    models.runDue();
  }

  /** Reads what may have changed while changes go unheard; the costlier reads come less often. */
  #pollWhileDeaf(): void {
    const { checks, models, sessionSync, traffic } = this.#parts;
    checks.scheduleAll();
    models.schedule();
    if (this.#ticks % DEAF_TICKS !== 0) return;
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
