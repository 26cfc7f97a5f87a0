/** Brings readers of events what routers report of traffic, as it arrives, and what became of dials. */

/** A value that a router measured: one number, or several of one measurement such as `mean` and `p99`. */
export interface MetricValue {
  readonly name: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Bytes of one circuit in one interval, by `ingress.rx`, `ingress.tx`, `egress.rx` and `egress.tx`. */
export interface CircuitUsage {
  readonly circuitId: string;
  readonly values: Readonly<Record<string, number>>;
  /** Such as `serviceId`, `clientId`, `hostId`. */
  readonly tags: Readonly<Record<string, string>>;
  /** Seconds since 1970. */
  readonly intervalStart: number;
  /** Seconds. */
  readonly intervalLength: number;
}

/** Everything that a router said in one message of its metrics, one a minute. */
export interface TrafficReport {
  readonly routerId: string;
  readonly eventId: string;
  readonly at: Date;
  readonly tags: Readonly<Record<string, string>>;
  readonly metrics: readonly MetricValue[];
  readonly usage: readonly CircuitUsage[];
}

export interface TrafficListener {
  readonly reported?: (report: TrafficReport) => void;
  /** Called for each dial of a service through a router of this controller. */
  readonly dialed?: (serviceId: string, isMade: boolean) => void;
}

export interface TrafficFeed {
  /** @returns ends it */
  subscribe(listener: TrafficListener): () => void;
}

/** Hands on what it gets. Nothing is read for it while nobody listens. */
export class TrafficListeners implements TrafficFeed {
  readonly #listeners = new Set<TrafficListener>();

  subscribe(listener: TrafficListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  get areReportsRead(): boolean {
    return [...this.#listeners].some(({ reported }) => reported !== undefined);
  }

  reported(report: TrafficReport): void {
    for (const { reported } of this.#listeners) reported?.(report);
  }

  dialed(serviceId: string, isMade: boolean): void {
    for (const { dialed } of this.#listeners) dialed?.(serviceId, isMade);
  }
}
