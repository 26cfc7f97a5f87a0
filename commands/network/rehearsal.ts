/**
 * Changes tried without a network: each body is checked and read as the API would, but nothing is written. So whatever
 * the API would refuse of a body by itself is found before anything is changed, and two bodies that would store the
 * same are known to be alike.
 */
import { createSchemaThread } from '../../domain/config/schema-thread.js';
import type { SchemaThread } from '../../domain/config/schema-thread.js';
import type { JsonObject } from '../../domain/model.js';
import type { EntityKind } from '../../domain/network-files/kind-fields.js';
import { checkCreate, draftOfUpdate } from '../../handlers/management/drafts.js';
import type { DraftChecks } from '../../handlers/management/drafts.js';
import { schemaChecks } from '../../server/maintenance/schema-checks.js';
import { asRefusedChange, checkBody } from './in-process.js';
import { managementOperation } from './operations.js';

/** @property schema  null: any data will do */
export interface ConfigTypeInUse {
  readonly id: string;
  readonly schema: JsonObject | null;
}

/** @property typeOf  the type of a config by the id of the type */
interface KnownTypes {
  readonly typeOf: (typeId: string) => ConfigTypeInUse | undefined;
}

const SOME_DAY = new Date(0);

export class Rehearsal {
  readonly #schemas: SchemaThread = createSchemaThread({ waitingSchemas: 1, waitingData: 1 });
  readonly #checks: DraftChecks;

  constructor({ typeOf }: KnownTypes) {
    this.#checks = {
      ...schemaChecks(this.#schemas),
      typeOf: (id) => {
        const type = typeOf(id);
        return type && { ...type, updatedAt: SOME_DAY };
      },
    };
  }

  /** Checks the body of a POST. @throws ChangeRefused */
  async create({ name, operations }: EntityKind, body: JsonObject): Promise<void> {
    await asRefusedChange(async () => {
      checkBody(managementOperation(operations.create), body);
      await checkCreate(name, body, this.#checks);
    });
  }

  /** Returns what a PUT would write. @param body  whole. @throws ChangeRefused */
  async update({ name, operations }: EntityKind, body: JsonObject): Promise<unknown> {
    return asRefusedChange(async () => {
      checkBody(managementOperation(operations.update), body);
      return draftOfUpdate(name, body, this.#checks);
    });
  }

  close(): Promise<void> {
    return this.#schemas.close();
  }
}
