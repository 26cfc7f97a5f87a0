/** A network that files are compared with and brought to: the database itself, or the API of a controller. */
import type { ServiceConfigPair } from '../../db/stores/identity-service-configs.js';
import type { JsonObject } from '../../domain/model.js';
import type { EntityKind } from '../../domain/network-files/kind-fields.js';

export interface ReadRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

export interface Reader {
  /** The identity that reads; undefined for the operator of the database. */
  readonly identityId?: string;
  /**
   * Every element of a list of the management API; none of a list that the controller does not have.
   * @param kept  what of each element is kept, the id with it
   */
  list(operation: string, kept: (element: JsonObject) => JsonObject): Promise<JsonObject[]>;
  /** Whether the lists read so far show that it is the field's existing controller. */
  isExisting?(): boolean;
  /** The answer to one read of the management API. @throws ChangeRefused */
  get(operation: string, request: ReadRequest): Promise<JsonObject>;
  /** The first few elements of a list that a filter selects. */
  find(operation: string, filter: string): Promise<JsonObject[]>;
  /** The service configs of identities; those without any may be left out. */
  serviceConfigs(identityIds: readonly string[]): Promise<ReadonlyMap<string, readonly ServiceConfigPair[]>>;
}

/** Each change is one request, with all that the API checks. @throws ChangeRefused */
export interface Writer {
  /** How many changes may be under way at a time. */
  readonly lanes: number;
  /** Changes made before a refusal are undone. */
  readonly isAllOrNothing: boolean;
  /** @returns the id of what was made */
  create(kind: EntityKind, body: JsonObject): Promise<string>;
  update(kind: EntityKind, id: string, body: JsonObject): Promise<void>;
  remove(kind: EntityKind, id: string): Promise<void>;
  /** Waits until everything that was made is committed. */
  settle(): Promise<void>;
  assign(identityId: string, pairs: readonly ServiceConfigPair[]): Promise<void>;
  unassign(identityId: string, pairs: readonly ServiceConfigPair[]): Promise<void>;
}

/** Either way to a network. */
export interface NetworkAccess {
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  write<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
}

/** The network refused a change. */
export class ChangeRefused extends Error {
  constructor(
    message: string,
    /** Field of the body, in dots; undefined when it is not about one. */
    readonly field?: string,
    /** Value of the field, as errors show it. */
    readonly value?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The controller does not have this operation. */
export class NotOffered extends ChangeRefused {}
