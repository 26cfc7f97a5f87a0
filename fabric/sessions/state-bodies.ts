/**
 * Bodies of whole states, for a moment: the many routers that come back after an outage, and that the same policies
 * select, are sent the same ones.
 */
import { LRUCache } from 'lru-cache';

/** Bytes of all that are kept, and of all that are being made. */
const MOST_BYTES = 32 << 20;
/** Time after which a state is forgotten, so that a network at rest keeps none. */
const KEEP_MS = 60_000;

interface KeptState {
  /** Version of the directory when it was made. */
  readonly version: number;
  readonly bodies: Buffer[];
}

/** A state that is on its way to a router, and may be kept for others. */
export interface StateInMaking {
  add(body: Buffer): void;
  /** Call once. @param version  of the directory, now that all was added; undefined when not all was */
  end(version: number | undefined): void;
}

export class StateBodies {
  readonly #states = new LRUCache<string, KeptState>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bodies }) => 1 + bodies.reduce((sum, { length }) => sum + length, 0),
    ttl: KEEP_MS,
    ttlAutopurge: true,
  });
  readonly #inMaking = new Set<string>();
  #bytesInMaking = 0;

  /** @returns undefined when none are kept, or sessions have changed since */
  get(rolesKey: string, version: number): readonly Buffer[] | undefined {
    const kept = this.#states.get(rolesKey);
    return kept?.version === version ? kept.bodies : undefined;
  }

  /** Gathers the bodies of one router alone for each key, and what is too large of none. */
  begin(rolesKey: string, version: number): StateInMaking | undefined {
    if (this.#inMaking.has(rolesKey)) return undefined;
    this.#inMaking.add(rolesKey);
    let bodies: Buffer[] | undefined = [];
    let bytes = 0;
    const giveBack = () => {
      this.#bytesInMaking -= bytes;
      bytes = 0;
    };
    return {
      add: (body) => {
        if (bodies === undefined) return;
        bodies.push(body);
        bytes += body.length;
        this.#bytesInMaking += body.length;
        if (this.#bytesInMaking <= MOST_BYTES) return;
        bodies = undefined;
        giveBack();
      },
      end: (now) => {
        giveBack();
        this.#inMaking.delete(rolesKey);
        if (bodies !== undefined && now === version) this.#states.set(rolesKey, { version, bodies });
      },
    };
  }

  clear(): void {
    this.#states.clear();
  }
}
