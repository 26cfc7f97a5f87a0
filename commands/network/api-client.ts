/** A client of a controller's management API, over TLS whose certificate is checked. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../domain/model.js';
import { asText, isObject } from '../../domain/network-files/values.js';
import { basePaths } from '../../generated/routes.js';
import { ChangeRefused, NotOffered } from './access.js';

export interface ApiClientOptions {
  readonly url: string;
  /** File with the CA certificates by which the controller is known; the system's without it. */
  readonly ca?: string;
  readonly username?: string;
  readonly passwordFile?: string;
  /** Files with a client certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
}

/** Says what the operator can do about it. */
export class ApiError extends Error {}

export const API_LANES = 8;
const PATIENCE_MS = 60_000;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: JsonObject;
}

export class ApiClient {
  /** Identity that is logged in. */
  identityId = '';
  #token: string | undefined;

  private constructor(
    readonly base: URL,
    readonly agent: Agent,
  ) {}

  /** Logs in. @throws ApiError */
  static async open(options: ApiClientOptions): Promise<ApiClient> {
    const { url, ca, cert, key, username, passwordFile } = options;
    if (cert === undefined && (username === undefined || passwordFile === undefined)) {
      throw new ApiError('With --url, say who you are: --username with --password-file, or --cert with --key.');
    }
    const agent = new Agent({
      keepAlive: true,
      maxSockets: API_LANES,
      ...(ca === undefined ? {} : { ca: readText(ca) }),
      ...(cert === undefined ? {} : { cert: readText(cert), key: readText(key ?? cert) }),
    });
    const client = new ApiClient(baseOf(url), agent);
    try {
      await client.#logIn(
        cert === undefined
          ? { method: 'password', body: { username: username ?? '', password: firstLine(passwordFile ?? '') } }
          : { method: 'cert', body: {} },
      );
    } catch (error) {
      agent.destroy();
      throw error;
    }
    return client;
  }

  /** Ends the session. */
  async close(): Promise<void> {
    await this.#send('DELETE', 'current-api-session').catch(() => undefined);
    this.agent.destroy();
  }

  /** @throws ChangeRefused, ApiError */
  async call(method: string, path: string, body?: unknown): Promise<JsonObject> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#send(method, path, body);
      if (answer.status < 300) return answer.body;
      // Nothing was done: it had no room for it.
      const isBusy = answer.status === 429 || answer.status === 503;
      if (!isBusy || attempt === ATTEMPTS) throw refusalOf(answer, `${method} ${path}`);
      await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }

  async #logIn({ method, body }: { readonly method: string; readonly body: JsonObject }): Promise<void> {
    const answer = await this.#send('POST', `authenticate?method=${method}`, body);
    if (answer.status !== 200) {
      throw new ApiError(
        answer.status === 401
          ? `${this.base.origin} does not take these credentials. Check them, and that the identity is enabled.`
          : `${this.base.origin} refused the login: ${messageOf(answer)}`,
      );
    }
    const { data } = answer.body;
    if (!isObject(data) || typeof data['token'] !== 'string')
      throw new ApiError(`${this.base.origin} answered a login as no controller does. Check the URL.`);
    if (Array.isArray(data['authQueries']) && data['authQueries'].length > 0)
      throw new ApiError('The identity owes a second factor at its login: use one whose auth policy asks for none.');
    this.#token = data['token'];
    this.identityId = asText(data['identityId']);
  }

  #send(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      'accept': 'application/json',
      ...(this.#token === undefined ? {} : { 'zt-session': this.#token }),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    };
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        reject(unreachable(this.base, error));
      };
      const outgoing = request(
        new URL(`${this.base.pathname}/${path}`, this.base),
        { agent: this.agent, method, headers, timeout: PATIENCE_MS },
        (response) => {
          readResponse(response).then(resolve, fail);
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer for a minute')));
      outgoing.on('error', fail);
      outgoing.end(payload);
    });
  }
}

async function readResponse(response: IncomingMessage): Promise<ApiResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    body = {};
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: body as JsonObject };
}

function baseOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base?.protocol !== 'https:')
    throw new ApiError(`--url takes the address of a controller, such as https://controller.example.org:1280.`);
  return new URL(basePaths.management, base);
}

const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/;

function unreachable({ origin }: URL, error: NodeJS.ErrnoException): ApiError {
  const code = error.code ?? '';
  const advice = CERTIFICATE_FAULT.test(code)
    ? 'Its certificate is not one that is trusted here: give the CA of the network with --ca FILE.'
    : 'Check the address, and that the controller runs.';
  const what = error.message === '' ? code : error.message;
  return new ApiError(`${origin} cannot be reached: ${what}. ${advice}`, { cause: error });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ApiError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const firstLine = (file: string): string => readText(file).split(/\r?\n/, 1)[0] ?? '';

function refusalOf(answer: ApiResponse, what: string): Error {
  if (answer.status === 401) return new ApiError(`${what} was refused: ${messageOf(answer)}. Log in as administrator.`);
  if (answer.status === 501) return new NotOffered(`${what}: ${messageOf(answer)}`);
  const { error } = answer.body;
  const cause = isObject(error) && isObject(error['cause']) ? error['cause'] : {};
  const field = typeof cause['field'] === 'string' && cause['field'] !== '' ? cause['field'] : undefined;
  return new ChangeRefused(messageOf(answer), field);
}

function messageOf({ status, body }: ApiResponse): string {
  const { error } = body;
  if (!isObject(error)) return `it answered ${status}`;
  const cause = isObject(error['cause']) ? error['cause'] : {};
  const texts = [cause['reason'], cause['message'], error['message']];
  return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? `it answered ${status}`;
}
