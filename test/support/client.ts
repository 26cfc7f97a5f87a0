/**
 * An HTTPS client for tests. Every JSON answer is checked against the schema that the spec declares for its
 * operation and status, so that no suite can pass on an answer that the spec does not allow.
 */
import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { matchOperation, segmentsOf, targetOf } from '../../server/http/paths.js';
import { validatorsOf } from '../../server/http/spec-check.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Of the body on the wire. */
  readonly bytes: number;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown;
  readonly data: unknown;
  readonly error: { code: string; message: string; requestId: string; cause?: Record<string, unknown> } | undefined;
  readonly meta: {
    filterableFields?: string[];
    pagination?: { limit: number; offset: number; totalCount: number };
  } & Record<string, unknown>;
}

export interface RequestOptions {
  /** A list is sent as several headers. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as it is; `body` of `send` is for JSON. */
  readonly rawBody?: string | Buffer;
}

export interface Client {
  readonly token: string | undefined;
  send(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  delete(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  close(): void;
}

/** @param shown  a client certificate and its key in PEM, for the handshake; the leaf first */
export function createClient(baseUrl: string, token?: string, shown: { cert?: string; key?: string } = {}): Client {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, ...shown });
  const send: Client['send'] = (method, path, body, options = {}) =>
    new Promise((resolve, reject) => {
      const payload = options.rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
      const headers = {
        ...(token === undefined ? {} : { 'zt-session': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }),
        ...options.headers,
      };
      const { hostname, port } = new URL(baseUrl);
      // A redirect says again what was sent.
      const maxHeaderSize = 65_536;
      const outgoing = httpsRequest({ agent, hostname, port, method, path, headers, maxHeaderSize }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (isEndless) finish();
        });
        response.on('error', reject);
        const isEndless = isStream(response.headers) && !path.includes('until=now');
        const finish = () => {
          response.off('error', reject).on('error', () => undefined);
          if (isEndless) response.destroy();
          try {
            const answer = toAnswer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks));
            requireDeclared(method, path, answer);
            resolve(answer);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        response.on('end', finish);
      });
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  return {
    token,
    send,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    put: (path, body, options) => send('PUT', path, body, options),
    patch: (path, body, options) => send('PATCH', path, body, options),
    delete: (path, body, options) => send('DELETE', path, body, options),
    close: () => {
      agent.destroy();
    },
  };
}

/** An answer that does not end by itself is read up to its first piece. */
const isStream = (headers: IncomingHttpHeaders) => headers['content-type'] === 'text/event-stream';

/** Only a client that asks for it gets a compressed answer, which is unpacked here. */
function textOf(body: Buffer, coding: string | undefined): string {
  if (body.length === 0 || coding === undefined) return body.toString('utf8');
  if (coding === 'gzip') return gunzipSync(body).toString('utf8');
  if (coding === 'br') return brotliDecompressSync(body).toString('utf8');
  throw new Error(`an answer has the unknown content coding ${coding}`);
}

function toAnswer(status: number, headers: IncomingHttpHeaders, body: Buffer): Answer {
  const text = textOf(body, headers['content-encoding']);
  const isJson = headers['content-type']?.startsWith('application/json') === true && text !== '';
  const json = isJson ? (JSON.parse(text) as unknown) : undefined;
  const envelope = (json ?? {}) as Partial<Answer>;
  return {
    status,
    headers,
    bytes: body.length,
    text,
    json,
    data: envelope.data,
    error: envelope.error,
    meta: envelope.meta ?? {},
  };
}

/** The net under every suite: an answer that its spec does not declare fails the test that saw it. */
function requireDeclared(method: string, path: string, answer: Answer): void {
  const [bare = ''] = path.split('?');
  if (bare.endsWith('/swagger.json')) return;
  let operation;
  try {
    const target = targetOf(segmentsOf(bare));
    if (target === undefined) return;
    ({ operation } = matchOperation(target, method, bare));
  } catch {
    return; // no operation of ours: pages, unknown paths
  }
  // Where single sign-on is off, its paths are none.
  if (operation.api === 'oidc' && answer.status === 404 && answer.error !== undefined) return;
  const spec = operation.responses[answer.status] ?? operation.responses['default'];
  if (spec === undefined)
    throw new Error(`${method} ${path} answered ${answer.status}, which its spec does not declare`);
  if (answer.headers.etag !== undefined && !(operation.isTagged && [200, 304].includes(answer.status)))
    throw new Error(`${method} ${path} answered ${answer.status} with an ETag, which its spec does not declare`);
  if (answer.json === undefined || spec.validator === null) return;
  const validate = validatorsOf[operation.api][spec.validator];
  if (validate !== undefined && !validate(answer.json)) {
    throw new Error(
      `${method} ${path} answered ${answer.status} with a body that its spec does not allow: ` +
        `${JSON.stringify(validate.errors)} ${answer.text.slice(0, 2000)}`,
    );
  }
}

/** The answer itself when it has the status; else an error that shows what came instead. */
export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status)
    throw new Error(`expected ${status}, got ${answer.status}: ${answer.text.slice(0, 2000)}`);
  return answer;
}
