/** A JSON client for preparing and clearing up; what is measured goes through the load generator. */
import { Agent, request as httpsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly meta: { readonly pagination?: { readonly totalCount: number } };
  /** The parsed body. */
  readonly json: unknown;
  /** The address that it redirects to. */
  readonly location?: string | undefined;
}

export const PARALLEL = 16;
/** The longest that the existing controller gives as well. */
const PAGE = 500;
const BUSY_TRIES = 60;
const BUSY_MS = 1_000;

/** More requests than sockets wait for one. */
export interface Connections {
  readonly keepAlive?: boolean;
  readonly maxSockets?: number;
}

/** @param named  host of the provider of OpenID Connect, whose endpoints take forms, and the token endpoint no JSON */
export const bodyText = (body: unknown, named: string | undefined): string =>
  named === undefined ? JSON.stringify(body) : new URLSearchParams(body as Record<string, string>).toString();
export const bodyType = (named: string | undefined): string =>
  named === undefined ? 'application/json' : 'application/x-www-form-urlencoded';

export class ApiClient {
  readonly #agent: Agent;

  constructor(
    readonly baseUrl: string,
    readonly token?: string,
    connections: Connections = {},
  ) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: PARALLEL, ...connections, rejectUnauthorized: false });
  }

  /**
   * @param token  of another session, on the same connections
   * @param bearer  of an external provider
   * @param named  host of the provider of OpenID Connect, whose endpoints take forms
   */
  send(
    method: string,
    path: string,
    body?: unknown,
    token: string | undefined = this.token,
    bearer?: string,
    named?: string,
  ): Promise<Answer> {
    const payload = body === undefined ? undefined : bodyText(body, named);
    const headers = {
      accept: 'application/json',
      ...(named === undefined ? {} : { host: named }),
      ...(token === undefined ? {} : { 'zt-session': token }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(payload === undefined
        ? {}
        : { 'content-type': bodyType(named), 'content-length': Buffer.byteLength(payload) }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(
        new URL(path, this.baseUrl),
        { agent: this.#agent, method, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const { statusCode = 0, headers } = response;
            resolve({ ...toAnswer(statusCode, Buffer.concat(chunks).toString('utf8')), location: headers.location });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  }

  /** Tries again while the answer is that the database is busy. @throws Error that shows any other failure */
  async call<T>(method: string, path: string, body?: unknown, token?: string): Promise<T> {
    for (let left = BUSY_TRIES; ; left -= 1) {
      const answer = await this.send(method, path, body, token);
      if (answer.status !== 503 || left === 0) return dataOf<T>(`${method} ${path}`, answer);
      await delay(BUSY_MS);
    }
  }

  async create(path: string, body: unknown): Promise<string> {
    return (await this.call<{ id: string }>('POST', path, body)).id;
  }

  /**
   * Everything that a list holds.
   * @param keep  the part of each item that is wanted: millions of whole ones would not fit into memory
   */
  async listAll<T extends { readonly id: string }>(
    path: string,
    filter: string,
    keep: (item: T) => T = (item) => item,
  ): Promise<T[]> {
    const items: T[] = [];
    for (let after = ''; ;) {
      // Each page begins where the last one ended: by its offset it would pass over all before it.
      const from = after === '' ? '' : ` and id > "${after}"`;
      const query = encodeURIComponent(`(${filter})${from} sort by id`);
      const answer = await this.send('GET', `${path}?limit=${PAGE}&filter=${query}`);
      if (answer.status !== 200)
        throw new Error(`GET ${path} answered ${answer.status}: ${JSON.stringify(answer.json).slice(0, 500)}`);
      const page = answer.data as T[];
      items.push(...page.map(keep));
      after = page.at(-1)?.id ?? '';
      if (page.length < PAGE) return items;
    }
  }

  /** A client with a session of its own, opened at the client API. */
  login(username: string, password: string, options: Readonly<Record<string, unknown>> = {}): Promise<ApiClient> {
    return this.#openAt('client', { username, password, ...options });
  }

  /** The same, opened at the management API. */
  loginToManage(username: string, password: string): Promise<ApiClient> {
    return this.#openAt('management', { username, password });
  }

  async #openAt(api: 'client' | 'management', body: Readonly<Record<string, unknown>>): Promise<ApiClient> {
    const { token } = await this.call<{ token: string }>('POST', `/edge/${api}/v1/authenticate?method=password`, body);
    return new ApiClient(this.baseUrl, token);
  }

  /** @returns the token of a new session that a token of an external provider opened */
  async loginByToken(bearer: string): Promise<string> {
    const path = '/edge/client/v1/authenticate?method=ext-jwt';
    return dataOf<{ token: string }>(path, await this.send('POST', path, {}, undefined, bearer)).token;
  }

  /** The same place, as another. */
  as(token: string): ApiClient {
    return new ApiClient(this.baseUrl, token);
  }

  /** Ends the session, if there still is one. */
  async logOut(): Promise<void> {
    await this.send('DELETE', '/edge/client/v1/current-api-session').catch(() => undefined);
    this.close();
  }

  close(): void {
    this.#agent.destroy();
  }
}

function dataOf<T>(request: string, { status, data, json }: Answer): T {
  if (status >= 300) throw new Error(`${request} answered ${status}: ${JSON.stringify(json).slice(0, 500)}`);
  return data as T;
}

function toAnswer(status: number, text: string): Answer {
  let json: unknown = text;
  try {
    json = JSON.parse(text);
  } catch {
    /* not JSON: shown as it is */
  }
  const { data, meta } = (typeof json === 'object' && json !== null ? json : {}) as Partial<Answer>;
  return { status, data, meta: meta ?? {}, json };
}

/** Runs `act` for every item, at most PARALLEL at a time; stops at the first failure. */
export async function forEachParallel<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) await act(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, items.length) }, lane));
}
