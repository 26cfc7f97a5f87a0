/** Requests to the endpoints of OpenID Connect, and the replies that they get: neither has the envelope of the APIs. */
import type { DomainError } from '../../domain/errors.js';
import type { Parameters } from '../../domain/oidc/parameters.js';
import type { Note, RequestConnection } from '../handler.js';
import type { Context } from '../context.js';
import type { LoginProvider } from '../login-provider.js';

export interface OidcInput {
  /** Parameters of query and form, or texts of a body of JSON. */
  readonly parameters: Parameters;
  /** Address of the provider, by the `Host` of the request. */
  readonly issuer: string;
  /** The header; undefined when there is none, or several. */
  readonly authorization: string | undefined;
  readonly connection: RequestConnection;
  /** `ip:port` of the client. */
  readonly remote: string;
  /** The network in which one client can have many addresses. */
  readonly network: string;
  readonly note: Note;
}

export interface OidcContext extends Context {
  readonly loginProvider: LoginProvider;
}

export interface OidcReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: string;
}

export type OidcHandler = (input: OidcInput, context: OidcContext) => Promise<OidcReply>;

/** A refused login that is answered in a form of its own. */
export class AnsweredRefusal extends Error {
  constructor(
    readonly refusal: DomainError,
    readonly reply: OidcReply,
  ) {
    super(refusal.message);
  }
}

export const jsonReply = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): OidcReply => ({
  status,
  headers,
  contentType: 'application/json',
  body: `${JSON.stringify(body)}\n`,
});

export const plainText = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): OidcReply => ({
  status,
  headers,
  contentType: 'text/plain; charset=utf-8',
  body,
});

/** Exactly 302: some clients compare. */
export const redirect = (location: string): OidcReply => ({ status: 302, headers: { location } });

/** Whether the client wants a page to show, not JSON. */
export const wantsPage = ({ connection }: Pick<OidcInput, 'connection'>): boolean =>
  connection.prefers('application/json', 'text/html') === 'text/html';
