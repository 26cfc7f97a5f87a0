/** Makes the input of a handler: typed values of the request, checked against the spec, and its connection. */
import type { IncomingMessage } from 'node:http';
import { DomainError, invalidField } from '../../domain/errors.js';
import type { BodySpec, OperationSpec } from '../../generated/operation.js';
import type { Facts, RequestConnection } from '../../handlers/handler.js';
import { addressOf, networkOf } from '../base/client-address.js';
import { foldNames } from '../base/names.js';
import { requirePlainBody } from '../http/coding.js';
import type { Exchange } from '../http/exchange.js';
import { bodyFault } from '../http/faults.js';
import { IgnoredNames } from '../http/ignored-names.js';
import { FORM_TYPE, readFormMembers, readOauthQuery } from '../http/form.js';
import type { Read } from '../http/form.js';
import { bodyText, parseJson } from '../http/json-body.js';
import { mediaType, preferredOf, requireContentType } from '../http/media.js';
import { readHeaders, readQuery } from '../http/parameters.js';
import type { Match } from '../http/paths.js';
import { STRICT_APPLIED, prefersStrict } from '../http/preferences.js';
import type { RequestFacts } from '../http/request-facts.js';
import { validatorsOf } from '../http/spec-check.js';
import { bearerTokens } from '../sessions/bearer-tokens.js';
import type { BoundInput } from '../sessions/binder.js';
import type { LoginTurns } from '../sessions/login-turns.js';
import type { Peers } from './peer.js';
import { RefusedBody } from './refused-body.js';

export interface ConnectionMeans {
  readonly peers: Peers;
  readonly loginTurns: LoginTurns;
}

/** @throws DomainError for parameters that break the spec; RefusedBody for a body that does */
export function readInput(
  exchange: Exchange,
  { operation, params }: Match,
  bytes: Buffer | null,
  seen: RequestFacts,
  { maxDepth, ...means }: ConnectionMeans & { readonly maxDepth: number },
): BoundInput {
  const { request, search } = exchange;
  const ignored = new IgnoredNames();
  const isForm = operation.api === 'oidc';
  const asked = isForm ? readOauthQuery(operation, search) : undefined;
  const query = asked?.values ?? readQuery(operation, search, ignored);
  const headers = readHeaders(operation, request.headers);
  const hasType = bytes !== null || (operation.body !== null && !isForm);
  const type = hasType ? mediaType(request.headers['content-type']) : '';
  const sent = isForm ? formBody(request, operation, bytes, { type, maxDepth }) : undefined;
  const body = isForm ? sent?.values : checkedBody(exchange, operation, bytes, ignored, { type, maxDepth });
  if (!isForm && (request.headers['prefer'] !== undefined || !ignored.isEmpty)) heedIgnored(exchange, ignored);
  return {
    params,
    query,
    headers,
    caller: seen.caller,
    fault: asked?.fault ?? sent?.fault,
    note: (facts: Facts) => {
      seen.facts = { ...seen.facts, ...facts };
    },
    connection: connectionOf(exchange, type, means),
    body,
  };
}

/** Says in the answer what has no effect. @throws DomainError `invalidField` where the caller wants to be refused */
function heedIgnored(exchange: Exchange, ignored: IgnoredNames): void {
  const isStrict = prefersStrict(exchange.request.headers);
  exchange.headers = {
    ...exchange.headers,
    ...(isStrict ? STRICT_APPLIED : undefined),
    ...(ignored.isEmpty ? undefined : { 'ignored-input': ignored.header() }),
  };
  const [first, ...further] = isStrict ? ignored.causes() : [];
  if (first === undefined) return;
  const refusal = new DomainError('invalidField', { field: first, logReason: 'a name that is not known' });
  refusal.further = further;
  throw refusal;
}

/** Facts of the connection that a request came on. */
export function connectionOf(
  exchange: Exchange,
  contentType: string,
  { peers, loginTurns }: ConnectionMeans,
): RequestConnection {
  const { request } = exchange;
  return {
    ipAddress: addressOf(request.socket),
    contentType,
    prefers: <T extends string>(...types: readonly [T, ...T[]]) => preferredOf(types, request.headers.accept),
    peerCertificates: () => peers.certificatesOf(request),
    bearerTokens: () => bearerTokens(request),
    inTurn: (work) => loginTurns.run(exchange, work),
    basicAuthorization: () => basicAuthorization(request),
    host: request.headers.host,
    remote: () => remoteOf(request),
    network: () => networkOf(addressOf(request.socket)),
  };
}

function basicAuthorization({ headersDistinct: { authorization = [] } }: IncomingMessage): string | undefined {
  const basic = authorization.filter((value) => /^Basic /i.test(value));
  return basic.length === 1 ? basic[0] : undefined;
}

function remoteOf({ socket }: IncomingMessage): string {
  const address = addressOf(socket);
  return `${address.includes(':') ? `[${address}]` : address}:${socket.remotePort ?? 0}`;
}

/** A form, or JSON with the same members. What breaks a rule is told, not thrown: `authorize` redirects it. */
function formBody(
  request: IncomingMessage,
  { api, body: spec }: OperationSpec,
  bytes: Buffer | null,
  { type, maxDepth }: { readonly type: string; readonly maxDepth: number },
): Pick<Read, 'fault'> & { readonly values: unknown } {
  if (spec === null || (bytes === null && !spec.required)) return { values: undefined, fault: undefined };
  if (bytes !== null) {
    requireContentType(spec, type);
    requirePlainBody(request.headers['content-encoding']);
  }
  const isJson = bytes !== null && type !== FORM_TYPE;
  const { values, fault } = isJson
    ? { values: parseJson(bytes, spec.name, maxDepth), fault: undefined }
    : readFormMembers(bytes === null ? '' : bodyText(bytes, 'form'), spec);
  if (isJson && spec.names !== null) foldNames(values, api, spec.names, () => undefined);
  const validate = spec.validator === null ? undefined : validatorsOf[api][spec.validator];
  const broken = validate?.(values) === false ? validate.errors?.[0] : undefined;
  return { values, fault: fault ?? (broken && bodyFault(broken, values, spec.name, new IgnoredNames())) };
}

/** @returns undefined without one, or where the operation takes none */
function checkedBody(
  exchange: Exchange,
  { api, body: spec }: OperationSpec,
  bytes: Buffer | null,
  ignored: IgnoredNames,
  { type, maxDepth }: { readonly type: string; readonly maxDepth: number },
): unknown {
  const { request } = exchange;
  if (spec === null) return undefined;
  if (bytes === null) {
    if (spec.required) throw missingBody(spec);
    return undefined;
  }
  requireContentType(spec, type);
  requirePlainBody(request.headers['content-encoding']);
  if (spec.kind === 'text' || spec.textTypes.includes(type)) return bodyText(bytes, spec.name);
  const body = parseJson(bytes, spec.name, maxDepth);
  if (spec.names !== null) {
    foldNames(body, api, spec.names, (path, known) => {
      ignored.add('body', path, known);
    });
  }
  const validate = spec.validator === null ? undefined : validatorsOf[api][spec.validator];
  const fault = validate?.(body) === false ? validate.errors?.[0] : undefined;
  if (fault !== undefined) throw new RefusedBody(exchange, { api, spec, body, bytes: bytes.length, ignored }, fault);
  return body;
}

/** Clients of this field know the parameter's name as that of the body. */
function missingBody({ name, kind }: BodySpec): DomainError {
  const error = invalidField(name, `${name} in body is required`, '', `required ${name}`);
  error.sentence = `Send ${kind === 'json' ? 'a JSON object' : 'it'} as the body of the request.`;
  return error;
}
