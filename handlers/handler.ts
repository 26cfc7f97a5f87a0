/**
 * The shape of a handler and the few replies it can give. A handler gets a request that is routed, parsed, validated,
 * authenticated and permitted; it maps in, acts and maps out. It knows no sockets, statuses of errors or SQL.
 */
import type { Api, Permission } from '../generated/operation.js';
import type { OperationId, OperationsOf } from '../generated/operations.js';
import { mapBatches } from '../domain/batches.js';
import type { EnrollmentMethod, LoginMethod } from '../domain/credentials.js';
import type { Page, LazyRow } from '../domain/model.js';
import type { pending } from './pending.js';
import type { Context } from './context.js';
import type { ElementKind, ElementCache } from './element-cache.js';
import type {
  BareReply,
  Caller,
  DataReply,
  EmptyReply,
  KeptReply,
  Links,
  ListElement,
  ListReply,
  RawReply,
  StreamReply,
} from './reply.js';
import type { DomainError } from '../domain/errors.js';
import type { TextStream } from './text-stream.js';

export interface AnyOperation {
  permission: Permission;
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  responses: Record<number, unknown>;
}

type Operation<A extends Api, O extends OperationId<A>> = OperationsOf[A][O] extends AnyOperation
  ? OperationsOf[A][O]
  : never;

/** Properties of the connection that a request came on. */
export interface RequestConnection {
  readonly ipAddress: string;
  /** Lower-case media type of the body; '' without one. */
  readonly contentType: string;
  /** Chooses the media type that the client prefers; the first when it has no preference. */
  prefers<T extends string>(...types: readonly [T, ...T[]]): T;
  /**
   * The certificates that the client sent in the TLS handshake, DER, as sent; empty without any. The first is the only
   * one whose key the client has proven to hold. None of them is verified (see domain/pki/chain.ts).
   */
  readonly peerCertificates: () => readonly Buffer[];
  /** The bearer tokens of the `Authorization` headers, the first three. */
  readonly bearerTokens: () => readonly string[];
  /** The header; undefined when there is none, or several. */
  readonly basicAuthorization: () => string | undefined;
  /**
   * Does what a login by a certificate or a token needs, in its turn: others may have come before.
   * @throws what the work throws; DomainError `timeout` when the client has gone meanwhile
   */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** The header `Host`. */
  readonly host: string | undefined;
  /** `ip:port` of the client. */
  readonly remote: () => string;
  /** The network in which one client can have many addresses. */
  readonly network: () => string;
}

/** Subject of a request in its log line. Ids alone: never a token, a password or a name that was typed. */
export interface Facts {
  readonly loginMethod?: LoginMethod | undefined;
  readonly authenticatorId?: string | undefined;
  readonly identityId?: string | undefined;
  /** Fingerprint of the client certificate on the connection, verified or not. */
  readonly fingerprint?: string | undefined;
  readonly enrollmentId?: string | undefined;
  readonly enrollmentMethod?: EnrollmentMethod | undefined;
  readonly routerId?: string | undefined;
}

/** Adds to the log line of the request, whether it succeeds or fails. */
export type Note = (facts: Facts) => void;

/** Input of the handler of a public operation: there is no caller. */
export interface PublicInput<Op extends AnyOperation> {
  readonly params: Op['params'];
  readonly query: Op['query'];
  readonly headers: Op['headers'];
  readonly body: Op['body'];
  readonly connection: RequestConnection;
  readonly note: Note;
  /** Fault by the document of OpenID Connect, whose operations report it in a form of their own. */
  readonly fault?: DomainError | undefined;
}

export interface CallerInput<Op extends AnyOperation> extends PublicInput<Op> {
  readonly caller: Caller;
}

export type Input<Op extends AnyOperation> = Op['permission'] extends 'public' ? PublicInput<Op> : CallerInput<Op>;

type SuccessStatus = 200 | 201 | 202 | 302;
type ReplyFor<S extends number, R> = R extends undefined
  ? EmptyReply<S>
  : R extends { data?: infer D; meta?: unknown }
    ? DataReply<S, Exclude<D, undefined>> | ListReplyFor<S, D> | KeptReply<S> | RawReply<S> | BareAnyReply<S, R>
    : BareReply<S, R> | RawReply<S> | StreamReply<S>;
/** A body with members of any name has no envelope. */
type BareAnyReply<S extends number, R> = string extends keyof R ? BareReply<S, R> : never;
type ListReplyFor<S extends number, D> = D extends readonly (infer E)[] ? ListReply<S, E> : never;
/** Replies that an operation declares, and so its handler may give. */
export type Replies<R> = { [S in keyof R & SuccessStatus]: ReplyFor<S, R[S]> }[keyof R & SuccessStatus];

/**
 * An interface over the operation itself, so that one function can serve both APIs where their operations are alike.
 */
export interface OperationHandler<Op extends AnyOperation> {
  (input: Input<Op>, context: Context): Promise<Replies<Op['responses']>>;
}

export type Handler<A extends Api, O extends OperationId<A>> = OperationHandler<Operation<A, O>>;

/** One handler for every operation of an API that is not in `pending`. */
export type HandlerMap<A extends Api> = {
  readonly [O in Exclude<OperationId<A>, (typeof pending)[A][number]>]: Handler<A, O>;
};

export function ok<D>(data: D): DataReply<200, D> {
  return { status: 200, data };
}

/** The answer to an update or a delete. */
export function noData(): DataReply<200, Record<string, never>> {
  return { status: 200, data: {} };
}

export function created(collection: string, id: string): DataReply<201, { _links: Links; id: string }> {
  return { status: 201, data: { _links: { self: { href: `./${collection}/${id}` } }, id } };
}

export function raw(
  contentType: string,
  body: string | Buffer,
  headers?: Readonly<Record<string, string>>,
): RawReply<200> {
  return { status: 200, raw: { contentType, body }, ...(headers === undefined ? {} : { headers }) };
}

export const streamed = (contentType: string, stream: TextStream): StreamReply<200> => ({
  status: 200,
  contentType,
  stream,
});

/**
 * A page of what belongs to an owner. A page that shows some of it shows that the owner is there, so only one that does
 * not has to ask.
 * @throws what `list` throws; what `owner` throws goes before that
 */
export async function pageOf<P extends Pick<Page<unknown>, 'totalCount'>>(
  list: Promise<P>,
  owner: () => Promise<unknown>,
): Promise<P> {
  const page = await list.catch(async (error: unknown) => {
    await owner();
    throw error;
  });
  if (page.totalCount === 0) await owner();
  return page;
}

/** A page of a list, each element mapped to its wire form. */
export function listOf<T, D>({ items, rest, ...page }: Page<T>, map: (item: T) => D): ListReply<200, D> {
  const reply = { status: 200 as const, items: mapped(items, map), page };
  return rest === undefined ? reply : { ...reply, rest: mapBatches(rest, map) };
}

/**
 * The same of rows that are read only when nothing made of them is kept. A list without limit may be longer than what
 * can be kept, and would push out all else: its elements are made.
 */
export function keptListOf<T, D, C extends string>(
  page: Page<LazyRow<T>>,
  kind: ElementKind<T, D, C>,
  elementCache: ElementCache,
): ListReply<200, D> {
  if (page.limit === null) return listOf(page, (row) => kind.make(row.read(), kind.contextOf(row)));
  return listOf<LazyRow<T>, D | ListElement<D>>(page, (row) => elementCache.element(row, kind)) as ListReply<200, D>;
}

function* mapped<T, D>(items: Iterable<T>, map: (item: T) => D): Generator<D> {
  for (const item of items) yield map(item);
}
