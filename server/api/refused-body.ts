/**
 * A body that breaks its spec, with all that is wrong with it. What is served is checked by validators that stop at the
 * first fault; those that go on are read when the first body is refused.
 */
import type { DomainError, FieldCause } from '../../domain/errors.js';
import type { Api, BodySpec } from '../../generated/operation.js';
import type { Exchange } from '../http/exchange.js';
import { bodyFault } from '../http/faults.js';
import type { BodyFault } from '../http/faults.js';
import type { IgnoredNames } from '../http/ignored-names.js';
import { STRICT_APPLIED, prefersStrict } from '../http/preferences.js';

/** The first is the cause, as the field's clients know it. */
const MOST_FURTHER = 19;
/** A larger body may have a fault in each of its bytes. */
const MAX_BYTES = 16 * 1024;

interface Refused {
  readonly api: Api;
  readonly spec: BodySpec;
  readonly body: unknown;
  /** Its length as it came. */
  readonly bytes: number;
  readonly ignored: IgnoredNames;
}

const ALL_FAULTS = {
  client: () => import('../../generated/client/all-faults.cjs'),
  fabric: () => import('../../generated/fabric-api/all-faults.cjs'),
  management: () => import('../../generated/management/all-faults.cjs'),
  oidc: () => import('../../generated/oidc/all-faults.cjs'),
} as const satisfies Record<Api, unknown>;

/** Becomes an error by `error`, which takes a moment. */
export class RefusedBody extends Error {
  constructor(
    readonly exchange: Exchange,
    readonly refused: Refused,
    readonly first: BodyFault,
  ) {
    super('a body that breaks its spec');
  }

  async error(): Promise<DomainError> {
    const { spec, body, ignored } = this.refused;
    const error = bodyFault(this.first, body, spec.name, ignored);
    const isStrict = prefersStrict(this.exchange.request.headers);
    this.exchange.headers = {
      ...this.exchange.headers,
      ...(isStrict ? STRICT_APPLIED : undefined),
      ...(ignored.isEmpty ? undefined : { 'ignored-input': ignored.header() }),
    };
    const all = [...(await this.#others(error)), ...(isStrict ? ignored.causes() : [])];
    error.further = all.slice(0, MOST_FURTHER);
    return error;
  }

  /** One for each further field. */
  async #others(first: DomainError): Promise<FieldCause[]> {
    const { api, spec, body, bytes, ignored } = this.refused;
    if (bytes > MAX_BYTES || spec.validator === null) return [];
    const { default: all } = await ALL_FAULTS[api]();
    const validate = all[spec.validator];
    const faults = validate?.(body) === false ? (validate.errors ?? []) : [];
    const causes = new Map<string, FieldCause>();
    for (const fault of faults) {
      if (causes.size > MOST_FURTHER) break;
      const { field, sentence } = bodyFault(fault, body, spec.name, ignored);
      if (field === undefined || causes.has(field.field)) continue;
      causes.set(field.field, { ...field, reason: [field.reason, sentence].filter(Boolean).join('. ') });
    }
    if (first.field !== undefined) causes.delete(first.field.field);
    return [...causes.values()];
  }
}
