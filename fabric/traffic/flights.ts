/**
 * Dials and binds on their way: each from before the first look at what allows it until what it made stands. An
 * announcement puts those that it may concern in doubt, and one in doubt asks the database once it stands; what is
 * announced later finds it standing. So nothing has to be remembered of what has ended.
 */

/** What a dial chose. */
export interface ChosenTerminator {
  readonly id: string;
  readonly routerId: string;
  /** Of its host; null when it has none. */
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

  /** @param tunnelsSince  what `TunnelWatch.now` answered at its beginning */
  constructor(readonly tunnelsSince: number) {}

  /** Whether a session that it hangs on may be over for its router. */
  get isInDoubt(): boolean {
    return this.#isInDoubt;
  }

  /** Whether its terminator may have been removed by another than its host. */
  get isTerminatorInDoubt(): boolean {
    return this.#isTerminatorInDoubt && !this.#hasHostStopped;
  }

  /** Until the next step what is being read is not known: it may be about anything. */
  reads(): void {
    this.#isReading = true;
  }

  /** What was read. @param sessionId  null for a router by itself */
  hangsOn(sessionId: string | null, serviceId: string): void {
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

  /** @param tunnelRounds  see `TunnelWatch.now` */
  constructor(private readonly tunnelRounds: () => number) {}

  async run<T>(work: (flight: Flight) => Promise<T>): Promise<T> {
    const flight = new Flight(this.tunnelRounds());
    this.#open.add(flight);
    try {
      return await work(flight);
    } finally {
      this.#open.delete(flight);
    }
  }

  /** Grants, policies or routers may be other ones. */
  doubtAll(): void {
    for (const flight of this.#open) flight.doubt();
  }

  /** These sessions have ended. */
  doubtSessions(ids: readonly string[]): void {
    const ended = new Set(ids);
    for (const flight of this.#open) flight.doubtSessions(ended);
  }

  /** Terminators of these services are other ones; undefined: of any. */
  doubtTerminators(serviceIds: readonly string[] | undefined): void {
    for (const flight of this.#open) flight.doubtTerminator(serviceIds);
  }

  /**
   * Hosts take no more connections at these terminators, and keep those that they have answered. A router says so of
   * its own: what it says of others' counts for nothing.
   */
  hostsStopped(routerId: string, terminatorIds: readonly string[]): void {
    const stopped = new Set(terminatorIds);
    for (const flight of this.#open) flight.hostsStopped(routerId, stopped);
  }
}
