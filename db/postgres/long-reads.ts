/** Lists and other long reads: on connections of their own, and on standbys where nothing is decided by them. */
import type { FairSemaphore } from '../../domain/scheduling/fair-semaphore.js';
import type { Rows } from './connection.js';
import type { ConnectionStats, FullList, ReplicaLoad, RequestScope } from './contracts.js';
import { sessionConfig } from './connection.js';
import type { Lanes } from './lanes.js';
import { ListLane } from './list-lane.js';
import type { ListLaneOptions } from './list-lane.js';
import type { ReplicaState } from './replicas/replica.js';
import { Replicas } from './replicas/replicas.js';
import type { ServerConfig } from './servers.js';
import { WRITTEN, writtenFrom } from './replicas/wal-position.js';

/** A standby that answers long reads. */
interface ReplicaServer {
  /** Name of it in logs and metrics. */
  readonly name: string;
  readonly connection: ServerConfig;
}

export interface ReplicaChoice {
  readonly servers: readonly ReplicaServer[];
  /** How long a read waits for a standby to come to what was written before. */
  readonly waitMs: number;
  readonly onChange: (name: string, state: ReplicaState, cause?: unknown) => void;
}

export class LongReads {
  readonly #lane: ListLane;
  readonly #replicas: Replicas | undefined;

  /** @param lanes  those of the primary, which is asked how far it is */
  constructor(lane: ListLaneOptions, lanes: Pick<Lanes, 'read'>, replicas: ReplicaChoice | undefined) {
    this.#lane = new ListLane(lane);
    if (replicas === undefined || replicas.servers.length === 0) return;
    const { servers, waitMs, onChange } = replicas;
    const written = async () => writtenFrom((await lanes.read(WRITTEN, [], 'objects')).rows[0]);
    const options = servers.map(({ name, connection }) => ({
      ...lane,
      name,
      waitMs,
      config: sessionConfig(connection),
      onLimit: () => undefined,
      onChange: (state: ReplicaState, cause?: unknown) => {
        onChange(name, state, cause);
      },
    }));
    this.#replicas = new Replicas(options, written);
  }

  /** @throws as `ListLane.list` */
  list<R>(...asked: Parameters<typeof ListLane.prototype.list<R>>): Promise<Rows<R>> {
    return this.#run(asked[3], (lane) => lane.list(...asked));
  }

  /** @throws as `ListLane.listAll` */
  listAll<R>(...asked: Parameters<typeof ListLane.prototype.listAll<R>>): Promise<FullList<R>> {
    return this.#run(asked[3], (lane) => lane.listAll(...asked));
  }

  /** Whether a standby may answer what this scope looks up otherwise: it then goes the way of lists. */
  mayLookUp(scope: RequestScope | undefined): boolean {
    return this.#replicas !== undefined && scope?.mayReadReplicas === true;
  }

  async #run<T extends object>(scope: RequestScope | undefined, work: (lane: ListLane) => Promise<T>): Promise<T> {
    const found = scope?.mayReadReplicas === true ? await this.#replicas?.read(work) : undefined;
    return found ?? work(this.#lane);
  }

  get stats(): ConnectionStats {
    return this.#lane.stats();
  }

  get load(): FairSemaphore['load'] {
    return this.#lane.load;
  }

  get replicas(): ReplicaLoad | undefined {
    return this.#replicas?.load;
  }

  /** Those of the primary. What a standby has begun is as good as it was. */
  cut(): void {
    this.#lane.cut();
  }

  async close(): Promise<void> {
    await Promise.all([this.#lane.close(), this.#replicas?.close()]);
  }
}
