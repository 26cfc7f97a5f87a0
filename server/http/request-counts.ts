/**
 * Counts of the requests of the APIs. This is on the path of every request, so it only adds to numbers that exist for
 * each operation; they get their names and labels when metrics are read.
 */
import { DurationCounts } from '../../domain/duration-counts.js';
import type { LoginMethod } from '../../domain/credentials.js';
import type { OperationSpec } from '../../generated/operation.js';

/** Classes of a response's status; `none` when there was no response, since the client went away. */
export const STATUS_CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

export class OperationCounts {
  readonly times = new DurationCounts();
  /** Answers in the order of `STATUS_CLASSES`. */
  readonly answers: [number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0];
}

/** Label of a login; `other` for one that was refused before its method was read. */
export type CountedMethod = LoginMethod | 'other';
export const LOGIN_METHODS: readonly CountedMethod[] = ['password', 'cert', 'ext-jwt', 'other'];

/** `limited`: too many at a time, or an address or identity that tried too often; `failed`: through a fault of ours. */
export const LOGIN_RESULTS = ['succeeded', 'refused', 'limited', 'failed'] as const;
export type LoginResult = (typeof LOGIN_RESULTS)[number];

const classOf = (status: number): 0 | 1 | 2 | 3 | 4 | 5 => {
  const first = Math.trunc(status / 100);
  return first >= 1 && first <= 5 ? (first as 1 | 2 | 3 | 4 | 5) : 0;
};

const resultOf = (status: number): LoginResult => {
  if (status === 200) return 'succeeded';
  if (status === 429) return 'limited';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
};

export class RequestCounts {
  readonly #operations = new Map<OperationSpec, OperationCounts>();
  /** Counts of requests that matched no operation, whatever their path. */
  readonly unknown = new OperationCounts();
  readonly #logins = new Map<string, number>();

  /** @param status  0 without an answer */
  ended(operation: OperationSpec | undefined, status: number, ms: number, method: LoginMethod | undefined): void {
    const counts = operation === undefined ? this.unknown : this.#of(operation);
    counts.times.add(ms);
    counts.answers[classOf(status)] += 1;
    if (operation?.operationId === 'authenticate') this.#login(method ?? 'other', resultOf(status));
  }

  #of(operation: OperationSpec): OperationCounts {
    let counts = this.#operations.get(operation);
    if (counts === undefined) this.#operations.set(operation, (counts = new OperationCounts()));
    return counts;
  }

  #login(method: CountedMethod, result: LoginResult): void {
    const key = `${method} ${result}`;
    this.#logins.set(key, (this.#logins.get(key) ?? 0) + 1);
  }

  /** Returns the counts of the operations that were called since the start. */
  operations(): ReadonlyMap<OperationSpec, OperationCounts> {
    return this.#operations;
  }

  logins(method: CountedMethod, result: LoginResult): number {
    return this.#logins.get(`${method} ${result}`) ?? 0;
  }
}
