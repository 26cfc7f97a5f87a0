/**
 * Dials and binds on their way: each from before the first look at what allows it until what it made stands. An
 * announcement puts those that it may concern in doubt, and one in doubt asks the database once it stands; what is
 * announced later finds it standing. So nothing has to be remembered of what has ended.
 */
import type { AccessRounds } from './access-rounds.js';

/** The terminator that a dial chose. */
export interface ChosenTerminator {
  readonly id: string;
  readonly routerId: string;
  /** Session of its host; null when it has none. */
  readonly sessionId: string | null;
}

export class Flight {
  readonly #sessions = new Set<string>();
  #serviceId: string | undefined;
  #chosen: Pick<ChosenTerminator, 'id' | 'routerId'> | undefined;
  #isReading = true;
  #isInDoubt = false;
  #isTerminatorInDoubt = false;
  #hasHostStopped = false;

  /** @param accessRound  `AccessRounds.count` at its beginning */
  constructor(readonly accessRound: number) {}

  /** True when a session that it depends on may be over for its router. */
  get isInDoubt(): boolean {
    return this.#isInDoubt;
  }

  /** True when its terminator may have been removed by another than its host. */
  get isTerminatorInDoubt(): boolean {
    return this.#isTerminatorInDoubt && !this.#hasHostStopped;
  }

  /** Begins a read: until the next step an announcement may be about what is read. */
  reads(): void {
    this.#isReading = true;
  }

  /** Takes over what was read. @param sessionId  null for a router by itself */
  dependsOn(sessionId: string | null, serviceId: string): void {
    this.#isReading = false;
    this.#serviceId = serviceId;
    if (sessionId !== null) this.#sessions.add(sessionId);
  }

  chose({ id, routerId, sessionId }: ChosenTerminator): void {
    this.#isReading = false;
    this.#chosen = { id, routerId };
    this.#hasHostStopped = false;
    if (sessionId !== null) this.#sessions.add(sessionId);
  }

  doubt(): void {
    this.#isInDoubt = true;
  }

  doubtSessions(ended: ReadonlySet<string>): void {
    if (this.#isReading || [...this.#sessions].some((id) => ended.has(id))) this.#isInDoubt = true;
  }

  doubtTerminator(serviceIds: readonly string[] | undefined): void {
    if (this.#serviceId === undefined || serviceIds?.includes(this.#serviceId) !== false)
      this.#isTerminatorInDoubt = true;
  }

  hostsStopped(routerId: string, terminatorIds: ReadonlySet<string>): void {
    if (this.#chosen?.routerId === routerId && terminatorIds.has(this.#chosen.id)) this.#hasHostStopped = true;
  }
}

export class Flights {
  readonly #open = new Set<Flight>();

  constructor(private readonly rounds: Pick<AccessRounds, 'count'>) {}

  async run<T>(work: (flight: Flight) => Promise<T>): Promise<T> {
    const flight = new Flight(this.rounds.count);
    this.#open.add(flight);
    try {
      return await work(flight);
    } finally {
      this.#open.delete(flight);
    }
  }

  /** Puts all in doubt: grants, policies or routers may have changed. */
  doubtAll(): void {
    for (const flight of this.#open) flight.doubt();
  }

  /** Puts those in doubt that may depend on sessions that have ended. */
  doubtSessions(ids: readonly string[]): void {
    const ended = new Set(ids);
    for (const flight of this.#open) flight.doubtSessions(ended);
  }

  /** Doubts terminators of these services; undefined: of any. */
  doubtTerminators(serviceIds: readonly string[] | undefined): void {
    for (const flight of this.#open) flight.doubtTerminator(serviceIds);
  }

  /**
   * Takes note that hosts accept no more connections at these terminators; they keep those that they answered. Only
   * terminators of the router that reports it count.
   */
  hostsStopped(routerId: string, terminatorIds: readonly string[]): void {
    const stopped = new Set(terminatorIds);
    for (const flight of this.#open) flight.hostsStopped(routerId, stopped);
  }
}
