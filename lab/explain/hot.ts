/** What a hot statement is, and what it is asked with. */
import type { StoreSet, Stores } from '../../db/stores/stores.js';
import type { Selectable } from '../../domain/policy/roles.js';
import { idOf } from './scale.js';
import type { Scale } from './scale.js';

/** What the filled network holds, to name in requests. */
export interface Facts extends Scale {
  /** An identity in the middle, which has an API session. */
  readonly identity: Selectable;
  readonly identityIndex: number;
  readonly identityName: string;
  /** A service that it may dial. */
  readonly service: Selectable;
  readonly serviceName: string;
  readonly configTypes: readonly string[];
}

export interface Hot {
  /** Of its file. */
  readonly name: string;
  readonly act: (stores: Stores, facts: Facts) => Promise<unknown>;
  /** Big tables that it may read from end to end, and why that is all right. */
  readonly scans?: Readonly<Record<string, string>>;
}

/** One that changes something: it is rolled back. */
export const changing = (
  name: string,
  act: (tx: StoreSet, facts: Facts) => Promise<unknown>,
  scans?: Hot['scans'],
): Hot => ({
  name,
  act: (stores: Stores, facts) => stores.transaction((tx) => act(tx, facts)),
  ...(scans === undefined ? {} : { scans }),
});

/** A use that has no session yet. */
export const useOf = ({ identity, identityIndex, service }: Facts) => ({
  apiSessionId: idOf('api-session', identityIndex / 2),
  identityId: identity.id,
  serviceId: service.id,
  type: 'Bind' as const,
});
