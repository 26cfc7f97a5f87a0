/**
 * Changes tried without a network: the handlers of the API read each body, and in the place of the database there are
 * stores that only take note of what they are asked. So whatever the API would refuse of a body by itself is found
 * before anything is changed, and two bodies that would store the same are known to be alike.
 */
import { createSchemaThread } from '../../domain/config/schema-thread.js';
import type { SchemaThread } from '../../domain/config/schema-thread.js';
import type { JsonObject } from '../../domain/model.js';
import type { Kind } from '../../domain/network-files/kinds.js';
import type { Context, Enrollments, Pki } from '../../handlers/context.js';
import { schemaChecks } from '../../server/maintenance/schema-checks.js';
import { InProcessApi } from './in-process.js';
import { partial } from './partial.js';

/** Calls of a handler to the stores that write, in order. */
export type Notes = readonly unknown[];

/** @property schema  null: any data will do */
export interface ConfigTypeInUse {
  readonly id: string;
  readonly schema: JsonObject | null;
}

/** @property typeOf  the type of a config by the id of the type */
interface Known {
  readonly typeOf: (typeId: string) => ConfigTypeInUse | undefined;
}

const PURPOSE = 'a rehearsal';
const SOME_DAY = new Date(0);
const NEW = 'new';

export class Rehearsal {
  readonly #schemas: SchemaThread = createSchemaThread({ waitingSchemas: 1, waitingData: 1 });
  readonly #api: InProcessApi;
  #notes: unknown[] = [];
  /** Body of the operation under way. */
  #body: JsonObject = {};

  constructor(readonly known: Known) {
    this.#api = new InProcessApi(this.#context());
  }

  /** @throws ChangeRefused */
  async create({ operations }: Kind, body: JsonObject): Promise<Notes> {
    return this.#run(operations.create, {}, body);
  }

  /** @param body  whole, as of a PUT. @throws ChangeRefused */
  async update({ operations }: Kind, body: JsonObject): Promise<Notes> {
    return this.#run(operations.update, { id: NEW }, body);
  }

  close(): Promise<void> {
    return this.#schemas.close();
  }

  async #run(operation: string, params: Readonly<Record<string, string>>, body: JsonObject): Promise<Notes> {
    this.#notes = [];
    this.#body = body;
    await this.#api.change(operation, { params, body });
    return this.#notes;
  }

  #context(): Context {
    return partial<Context>(PURPOSE, {
      stores: this.#stores(),
      newId: () => NEW,
      // The controller that is asked decides: its settings say which addresses it may reach.
      targetFault: () => undefined,
      pki: partial<Pki>(PURPOSE, { trust: () => ({ roots: [], intermediates: [] }) }),
      enrollments: partial<Enrollments>(PURPOSE, {
        defaultExpiry: () => SOME_DAY,
        issue: () => Promise.resolve({ token: '', jwt: '' }),
      }),
      ...schemaChecks(this.#schemas),
    });
  }

  /** Every store takes note of each call, and answers what the handlers go by. */
  #stores(): Context['stores'] {
    const answers: Readonly<Record<string, (...args: never[]) => unknown>> = {
      'administrators.keep': (_id: string, _kind: string, change: () => Promise<unknown>) => change(),
      'administrators.keepAny': (_kind: string, change: () => Promise<unknown>) => change(),
      'configTypes.find': (id: string) => this.#typeOf(id),
      'configTypes.get': (id: string) => this.#typeOf(id),
      'configs.get': () => ({ configType: { id: this.#body['configTypeId'] } }),
      'postureChecks.lockCriteria': () => ({ typeId: this.#body['typeId'] }),
      'cas.lockForUse': (id: string) => ({ id }),
    };
    const storeOf = (store: string) =>
      new Proxy(
        {},
        {
          get: (_, method) => {
            const name = `${store}.${String(method)}`;
            const answer = answers[name];
            return async (...args: never[]): Promise<unknown> => {
              if (answer !== undefined) return answer(...args);
              this.#notes.push([name, ...args]);
              return undefined;
            };
          },
        },
      );
    const stores: object = new Proxy(
      {},
      {
        get: (_, name) =>
          name === 'transaction' ? (work: (tx: object) => Promise<unknown>) => work(stores) : storeOf(String(name)),
      },
    );
    return stores as Context['stores'];
  }

  #typeOf(id: string) {
    const type = this.known.typeOf(id);
    return type && { ...type, updatedAt: SOME_DAY };
  }
}
