/**
 * Endpoints of OpenID Connect: limits, host, endpoint, parameters, handler, answer. They are apart from the two APIs,
 * since RFC 6749 says how a request and an answer look, and browsers are among their clients.
 */
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import { PROVIDER_PATH } from '../../domain/oidc/issuers.js';
import { Parameters } from '../../domain/oidc/parameters.js';
import type { Context } from '../../handlers/context.js';
import type { Facts } from '../../handlers/handler.js';
import { ENDPOINTS } from '../../handlers/oidc/index.js';
import type { OidcEndpoint } from '../../handlers/oidc/index.js';
import { AnsweredRefusal } from '../../handlers/oidc/exchange.js';
import type { OidcContext, OidcReply } from '../../handlers/oidc/exchange.js';
import { addressOf, networkOf } from '../base/client-address.js';
import { createBodyReader, SenderGone } from '../http/body.js';
import type { ReadBody } from '../http/body.js';
import { errorReply } from '../http/envelope.js';
import { write } from '../http/encode.js';
import type { Exchange } from '../http/exchange.js';
import { bodyText, parseJson } from '../http/json-body.js';
import { mediaType } from '../http/media.js';
import { canonicalPath, isRead } from '../http/paths.js';
import { requestLine } from '../http/request-log.js';
import type { RequestFacts } from '../http/request-facts.js';
import type { RefusedLogins } from '../sessions/refused-logins.js';
import type { Settings } from '../settings/config.js';
import type { Logger } from '../base/log.js';
import type { OutageLog } from '../base/outage-log.js';
import { connectionOf } from './input.js';
import type { Peers } from './peer.js';

export interface OidcOptions {
  readonly config: Pick<Settings, 'maxBodiesBytes' | 'logRequests'>;
  readonly context: OidcContext;
  readonly peers: Peers;
  readonly refusedLogins: Pick<RefusedLogins, 'seen'>;
  readonly outages: OutageLog;
  readonly log: Logger;
}

/** The largest honest request has a token and a request for a certificate. */
const MAX_BODY_BYTES = 65_536;
const MAX_JSON_DEPTH = 8;

export const isProviderPath = (path: string): boolean => path.startsWith(`${PROVIDER_PATH}/`);

/** Methods at a path in the form of `Allow`; '' where there is none. */
export function allowedAtProvider(path: string): string {
  const endpoint = endpointOf(path);
  if (endpoint === undefined) return '';
  const { GET, POST, DELETE } = endpoint;
  const methods = [
    ...(GET ? ['GET', 'HEAD'] : []),
    ...(POST ? ['POST'] : []),
    ...(DELETE ? ['DELETE'] : []),
    'OPTIONS',
  ];
  return methods.join(', ');
}

const endpointOf = (path: string): OidcEndpoint | undefined => {
  const name = canonicalPath(path).slice(PROVIDER_PATH.length + 1);
  return Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name] : undefined;
};

export class OidcServer {
  readonly #options: OidcOptions;
  readonly #readBody: ReadBody;

  constructor(options: OidcOptions) {
    this.#options = options;
    this.#readBody = createBodyReader({ maxBytesOfAll: options.config.maxBodiesBytes });
  }

  /** Answers a request, whatever comes of it. */
  async answer(exchange: Exchange): Promise<void> {
    const { config, refusedLogins, log } = this.#options;
    const started = performance.now();
    const seen: RequestFacts = { address: addressOf(exchange.request.socket) };
    try {
      writeReply(exchange, await this.#run(exchange, seen));
    } catch (failure) {
      const error: unknown = failure instanceof AnsweredRefusal ? failure.refusal : failure;
      if (error instanceof DomainError) refusedLogins.seen({ error, seen, requestId: exchange.requestId });
      this.#fail(error, exchange, failure instanceof AnsweredRefusal ? failure.reply : undefined);
    }
    const isLogged = config.logRequests === 'all' || (config.logRequests === 'changes' && !isRead(exchange.request));
    if (isLogged) log.info(requestLine(exchange, seen, performance.now() - started), 'request');
  }

  async #run(exchange: Exchange, seen: RequestFacts): Promise<OidcReply> {
    const { context } = this.#options;
    const { request, path, search } = exchange;
    const bytes = await this.#readBody(request, MAX_BODY_BYTES);
    exchange.since = performance.now();
    const issuer = context.loginProvider.issuerAt(request.headers.host);
    const endpoint = endpointOf(path);
    if (issuer === undefined || endpoint === undefined)
      return { status: 404, contentType: 'text/plain; charset=utf-8', body: '404 page not found' };
    const handler = isRead(request) ? endpoint.GET : endpoint[request.method as 'POST' | 'DELETE'];
    if (handler === undefined) return { status: 405, headers: { allow: allowedAtProvider(path) } };
    if (!isRead(request)) seen.login = endpoint.login;
    const type = bytes === null ? '' : mediaType(request.headers['content-type']);
    const parameters = new Parameters(search, bytes === null ? '' : formOf(bytes, type));
    const note = (facts: Facts) => {
      seen.facts = { ...seen.facts, ...facts };
    };
    const connection = connectionOf(request, type, this.#options.peers);
    const { address } = seen;
    const remote = `${address.includes(':') ? `[${address}]` : address}:${request.socket.remotePort ?? 0}`;
    const input = { parameters, issuer, authorization: authorizationOf(request), connection, remote, note };
    const stores = context.stores.forRequest({ actor: this.#actorOf(exchange, seen) });
    return handler({ ...input, network: networkOf(address) }, { ...context, stores });
  }

  #actorOf({ requestId }: Exchange, { address }: RequestFacts) {
    return { kind: 'anonymous', address, requestId, controller: this.#options.context.network.name } as const;
  }

  #fail(error: unknown, exchange: Exchange, reply?: OidcReply): void {
    const { log, outages } = this.#options;
    const { requestId, response, request } = exchange;
    exchange.failure ??= error;
    if (error instanceof SenderGone) return;
    if (error instanceof OauthFault) {
      writeReply(exchange, faultReply(error));
      return;
    }
    if (!(error instanceof DomainError)) log.error({ requestId, method: request.method, err: error }, 'request failed');
    outages.seen(error);
    if (response.headersSent) {
      if (!response.writableEnded) response.destroy();
      return;
    }
    writeReply(exchange, reply ?? bareReply(error, requestId));
  }
}

function faultReply({ error, description, status }: OauthFault): OidcReply {
  const challenge = { 'www-authenticate': `Bearer error="${error}", error_description="${description}"` };
  return {
    status,
    headers: {
      'cache-control': 'no-store',
      ...(status === 401 ? challenge : {}),
      ...(status === 429 ? { 'retry-after': '60' } : {}),
    },
    contentType: 'application/json',
    body: `${JSON.stringify({ error, error_description: description })}\n`,
  };
}

/** The error of the APIs without its envelope; a refused login is 401 here, and a wrong code 400. */
function bareReply(error: unknown, requestId: string): OidcReply {
  const { status, body, headers } = errorReply(error, requestId);
  const { code, message, cause } = body.error;
  const bare = { code, message, ...(cause === undefined ? {} : { cause }) };
  const kind = error instanceof DomainError ? error.kind : undefined;
  return {
    status: kind === 'invalidAuth' ? 401 : kind === 'mfaCodeInvalid' ? 400 : status,
    headers,
    contentType: 'application/json',
    body: JSON.stringify(bare),
  };
}

/** Undefined when there is none, or several, of which none is the client's. */
function authorizationOf({ headersDistinct: { authorization = [] } }: IncomingMessage): string | undefined {
  const basic = authorization.filter((value) => /^Basic /i.test(value));
  return basic.length === 1 ? basic[0] : undefined;
}

const FORM = 'application/x-www-form-urlencoded';

/** @throws DomainError `unsupportedMedia`, `unparsableBody` */
function formOf(bytes: Buffer, type: string): string {
  if (type === FORM) return bodyText(bytes, 'form');
  if (type !== 'application/json') throw new DomainError('unsupportedMedia', { causeMessage: `only ${FORM} and JSON` });
  const body: unknown = parseJson(bytes, 'login', MAX_JSON_DEPTH);
  const form = new URLSearchParams();
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) collect(form, '', body);
  return form.toString();
}

/** Members of an object within, such as `envInfo.arch`, get the names that they have in a form: `envArch`. */
function collect(form: URLSearchParams, prefix: string, body: object): void {
  for (const [name, value] of Object.entries(body)) {
    const named = prefix === '' ? name : prefix + name.charAt(0).toUpperCase() + name.slice(1);
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value as unknown])
      if (typeof each === 'string') form.append(named, each);
    const inner = { envInfo: 'env', sdkInfo: 'sdk' }[named];
    if (inner !== undefined && typeof value === 'object' && value !== null) collect(form, inner, value as object);
  }
}

function writeReply({ response, headers }: Exchange, reply: OidcReply): void {
  const { status, headers: own, contentType, body = '' } = reply;
  const type = contentType === undefined ? {} : { 'content-type': contentType };
  write(response, status, { ...type, ...headers, ...own }, body);
}

/** The context of a controller whose settings offer logins; undefined where they do not. */
export const withLogins = (context: Context): OidcContext | undefined =>
  context.loginProvider === null ? undefined : { ...context, loginProvider: context.loginProvider };
