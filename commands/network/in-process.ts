/** Operations of the management API, called in this process: what a request may hold is checked as the server does. */
import { apiSessionIdOf, identityIdOf } from '../../domain/ids.js';
import { DomainError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/model.js';
import type { OperationSpec } from '../../generated/operation.js';
import type { Context } from '../../handlers/context.js';
import type { RequestConnection } from '../../handlers/handler.js';
import type { Caller } from '../../handlers/reply.js';
import { bindOperations } from '../../server/sessions/binder.js';
import type { Bindings } from '../../server/sessions/binder.js';
import { ERROR_TABLE } from '../../server/http/error-table.js';
import { bodyFault } from '../../server/http/faults.js';
import { IgnoredNames } from '../../server/http/ignored-names.js';
import { validatorsOf } from '../../server/http/spec-check.js';
import type { AnyReply } from '../../server/http/reply.js';
import { ChangeRefused } from './access.js';
import { managementOperation } from './operations.js';

export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The operator, who may do all that an administrator may, and has no session. */
const OPERATOR: Caller = {
  apiSessionId: apiSessionIdOf(''),
  token: '',
  identityId: identityIdOf(''),
  identityName: '',
  isComplete: true,
  owedToken: null,
  isAdmin: true,
  permissions: [],
  roleAttributes: [],
  configTypes: [],
  bearer: null,
  openedAt: 'management',
  postureRevision: 0,
  trace: null,
};

const CONNECTION: RequestConnection = {
  ipAddress: '',
  contentType: 'application/json',
  prefers: <T extends string>(...[first]: readonly [T, ...T[]]) => first,
  peerCertificates: () => [],
  bearerTokens: () => [],
  inTurn: (work) => work(),
  basicAuthorization: () => undefined,
  host: undefined,
  remote: () => '',
  network: () => '',
};

export class InProcessApi {
  readonly #bindings: Bindings = bindOperations();

  constructor(readonly context: Context) {}

  /** @throws DomainError as the operation does, and for a body that breaks the spec */
  async call(operationId: string, { params = {}, query = {}, body }: Call): Promise<AnyReply> {
    const operation = managementOperation(operationId);
    const handler = this.#bindings.get(operation);
    if (handler === undefined || handler === 'pending') throw new Error(`${operationId} has no handler`);
    checkBody(operation, body);
    const input = {
      params,
      query,
      headers: {},
      body,
      caller: OPERATOR,
      connection: CONNECTION,
      note: () => undefined,
    };
    return handler(input, this.context);
  }

  /** The same for a change. @throws ChangeRefused */
  change(operationId: string, call: Call): Promise<AnyReply> {
    return asRefusedChange(() => this.call(operationId, call));
  }
}

/** @throws DomainError for a body that breaks the spec */
export function checkBody({ body: spec }: OperationSpec, body: unknown): void {
  if (spec === null || body === undefined || spec.validator === null) return;
  const validate = validatorsOf.management[spec.validator];
  if (validate?.(body) !== false) return;
  const fault = validate.errors?.[0];
  if (fault !== undefined) throw bodyFault(fault, body, spec.name, new IgnoredNames());
}

/** @throws ChangeRefused in the place of a DomainError */
export async function asRefusedChange<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DomainError ? refusalOf(error) : error;
  }
}

function refusalOf(error: DomainError): ChangeRefused {
  const { field, causeMessage, override } = error;
  const reason = field?.reason ?? causeMessage ?? override ?? ERROR_TABLE[error.kind].message;
  return new ChangeRefused(reason, field?.field, field?.value, { cause: error });
}

export const dataOf = (reply: AnyReply): JsonObject => ('data' in reply ? (reply.data as JsonObject) : {});
