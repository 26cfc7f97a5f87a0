/** Requests to the endpoints of OpenID Connect, as their handlers take them, and the replies that they give. */
import { DomainError } from '../../domain/errors.js';
import { Parameters } from '../../domain/oidc/parameters.js';
import type { OperationId, OperationsOf } from '../../generated/operations.js';
import type { Context } from '../context.js';
import type { Handler, Note, PublicInput, Replies, RequestConnection } from '../handler.js';
import type { LoginProvider } from '../login-provider.js';
import type { BareReply, Caller, EmptyReply, RawReply } from '../reply.js';

/** @typeParam N  names of the parameters that are read */
export interface OidcInput<in N extends string = never> {
  readonly parameters: Parameters<N>;
  /** Fault of the parameters by the document. */
  readonly fault: DomainError | undefined;
  /** Address of the provider, by the `Host` of the request. */
  readonly issuer: string;
  readonly connection: RequestConnection;
  readonly note: Note;
}

export interface OidcContext extends Context {
  readonly loginProvider: LoginProvider;
}

export type OidcReply = BareReply<number, object> | EmptyReply<number> | RawReply<number>;

export type OidcHandler<N extends string = never, R extends OidcReply = OidcReply> = (
  input: OidcInput<N>,
  context: OidcContext,
) => Promise<R>;

type Operation<O extends OperationId<'oidc'>> = OperationsOf['oidc'][O];
/** The parameters that an operation declares, in its query, its form, and the objects of its JSON. */
type NamesOf<O extends OperationId<'oidc'>> = Extract<
  keyof Operation<O>['query'] | keyof NonNullable<Operation<O>['body']>,
  string
>;

interface AnyInput extends PublicInput<{
  permission: 'public';
  params: unknown;
  query: object;
  headers: unknown;
  body: object | undefined;
  responses: Record<number, unknown>;
}> {
  readonly caller?: Caller;
}

/** A caller exactly where the operation is not public. */
type CallerOf<O extends OperationId<'oidc'>> = Operation<O>['permission'] extends 'public'
  ? unknown
  : { readonly caller: Caller };
type HandlerOf<O extends OperationId<'oidc'>> = (
  input: OidcInput<NamesOf<O>> & CallerOf<O>,
  context: OidcContext,
) => Promise<Replies<Operation<O>['responses']>>;

/** A handler as the server calls it: a host that is no controller of this network is answered 404. */
export function provider<O extends OperationId<'oidc'>>(handler: HandlerOf<O>): Handler<'oidc', O> {
  return checked<O>(async (input, context) => {
    if (input.fault !== undefined) throw input.fault;
    return handler(input, context);
  });
}

/** The same of a handler that says itself what is wrong with a request. */
export function checked<O extends OperationId<'oidc'>>(handler: HandlerOf<O>): Handler<'oidc', O> {
  const run = async (input: AnyInput, context: Context) => {
    const { connection, note, query, body, fault, caller } = input;
    const { loginProvider } = context;
    const issuer = loginProvider?.issuerAt(connection.host);
    if (loginProvider === null || issuer === undefined) throw new DomainError('routeUnknown');
    const parameters = new Parameters<NamesOf<O>>(query, body);
    const asked = { parameters, fault, issuer, connection, note, caller };
    return handler(asked as unknown as OidcInput<NamesOf<O>> & CallerOf<O>, { ...context, loginProvider });
  };
  // The compiler cannot see through a type parameter what an operation takes and answers.
  return run as unknown as Handler<'oidc', O>;
}

/** A refused login that is answered in a form of its own. */
export class AnsweredRefusal extends Error {
  constructor(
    readonly refusal: DomainError,
    readonly reply: BareReply<number, object> | RawReply<number>,
  ) {
    super(refusal.message);
  }
}

export const jsonReply = <S extends number, D extends object>(
  status: S,
  bare: D,
  headers: Readonly<Record<string, string>> = {},
): BareReply<S, D> => ({ status, bare, headers });

export const plainText = (body: string, headers: Readonly<Record<string, string>> = {}): RawReply<200> => ({
  status: 200,
  headers,
  raw: { contentType: 'text/plain; charset=utf-8', body },
});

/** Exactly 302: some clients compare. */
export const redirect = (location: string): EmptyReply<302> => ({ status: 302, isEmpty: true, headers: { location } });

/** Whether the client wants a page to show, not JSON. */
export const wantsPage = ({ connection }: Pick<OidcInput, 'connection'>): boolean =>
  connection.prefers('application/json', 'text/html') === 'text/html';
