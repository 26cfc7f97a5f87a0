/** The keys that a scripted router has been told, and when it first heard of each. */
import {
  DataStateSchema,
  DataState_Action as Action,
  DataState_ChangeSetSchema,
} from '../../generated/fabric/data-model_pb.js';
import type { DataState_Event } from '../../generated/fabric/data-model_pb.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { readBody } from '../../fabric/channel/frame.js';
import type { ScriptedRouter } from './scripted-router.js';

/** Follows the keys of a router that has subscribed to the data model. */
export class KnownKeys {
  readonly #now = new Set<string>();
  readonly #firstHeard = new Map<string, number>();
  #read = 0;

  constructor(private readonly router: ScriptedRouter) {}

  /** Reads what has come; call it often, for times that are right. */
  look(): this {
    const { received } = this.router;
    for (; this.#read < received.length; this.#read += 1) {
      const frame = received[this.#read];
      if (frame?.contentType === ContentType.DataState) {
        this.#now.clear();
        readBody(DataStateSchema, frame).events.forEach((event) => {
          this.#take(event);
        });
      } else if (frame?.contentType === ContentType.DataStateChangeSet)
        readBody(DataState_ChangeSetSchema, frame).changes.forEach((event) => {
          this.#take(event);
        });
    }
    return this;
  }

  /** @param kid  SHA-1 of the certificate */
  has(kid: string): boolean {
    return this.look().#now.has(kid);
  }

  /** Milliseconds since 1970. */
  heardAt(kid: string): number | undefined {
    return this.look().#firstHeard.get(kid);
  }

  #take({ action, model }: DataState_Event): void {
    if (model.case !== 'publicKey') return;
    const { kid } = model.value;
    if (action === Action.DELETE) this.#now.delete(kid);
    else this.#now.add(kid);
    if (!this.#firstHeard.has(kid)) this.#firstHeard.set(kid, Date.now());
  }
}
