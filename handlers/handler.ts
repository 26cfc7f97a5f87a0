/**
 * The shape of a handler and the few replies it can give. A handler gets a request that is routed, parsed,
 * validated, authenticated and permitted; it maps in, acts and maps out. It knows no sockets, statuses of errors or SQL.
 */
import type { Api } from '../generated/operation.js';
import type { Operations as ClientOperations } from '../generated/client/operations.js';
import type { Operations as ManagementOperations } from '../generated/management/operations.js';
import { mapBatches } from '../domain/batches.js';
import type { EnrollmentMethod, Page } from '../domain/model.js';
import type { pending } from './pending.js';
import type { Services } from './services.js';

export interface OperationsOf {
  client: ClientOperations;
  management: ManagementOperations;
}

export type OperationId<A extends Api> = keyof OperationsOf[A] & string;

export interface AnyOperation {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  responses: Record<number, unknown>;
}

type Operation<A extends Api, O extends OperationId<A>> = OperationsOf[A][O] extends AnyOperation ? OperationsOf[A][O] : never;

/** Who calls: an API session and the identity behind it. */
export interface Caller {
  readonly apiSessionId: string;
  readonly token: string;
  readonly identityId: string;
  readonly isAdmin: boolean;
  readonly roleAttributes: readonly string[];
  readonly configTypes: readonly string[];
}

/** What the connection tells beside the request itself. */
export interface Connection {
  readonly ipAddress: string;
  /** Lower-case media type of the body; '' without one. */
  readonly contentType: string;
  readonly accept: string;
  /**
   * The certificates that the client sent in the TLS handshake, DER, as sent; empty without any. The first is the only
   * one whose key the client has proven to hold. None of them is verified (see domain/pki/chain.ts).
   */
  readonly peerCertificates: () => readonly Buffer[];
}

/** What the log line of a request says of whom or what it was about. Ids alone: never a token, a password or a name that was typed. */
export interface Facts {
  readonly loginMethod?: 'password' | 'cert' | 'ext-jwt' | undefined;
  readonly authenticatorId?: string | undefined;
  readonly identityId?: string | undefined;
  /** Of the certificate that the connection shows, proven or not. */
  readonly fingerprint?: string | undefined;
  readonly enrollmentId?: string | undefined;
  readonly enrollmentMethod?: EnrollmentMethod | undefined;
  readonly routerId?: string | undefined;
}

/** Adds to the log line of the request, whether it succeeds or fails. */
export type Note = (facts: Facts) => void;

export interface Input<Op extends AnyOperation> {
  readonly params: Op['params'];
  /** With who reads it, for the lists that are made of it. */
  readonly query: Op['query'];
  readonly headers: Op['headers'];
  readonly body: Op['body'];
  /** Reading it in a public operation is a bug and throws. */
  readonly caller: Caller;
  readonly connection: Connection;
  readonly note: Note;
}

export interface PageInfo {
  readonly filterableFields: readonly string[];
  /** null: everything. */
  readonly limit: number | null;
  readonly offset: number;
  readonly totalCount: number;
}

export interface DataReply<S extends number, D> {
  readonly status: S;
  readonly data: D;
  readonly page?: PageInfo;
  /** Further batches of a list too long to hold. Whoever writes the answer ends them, whether it gets to read them or not. */
  readonly rest?: AsyncIterable<readonly unknown[]>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Told the text of this answer once it is checked and written out, so that it can be given again. */
  readonly onWritten?: (body: string) => void;
}

/** An answer that was checked and written out before, for the same operation. */
export interface WrittenReply<S extends number> {
  readonly status: S;
  readonly written: string;
}

/** An answer that is no JSON envelope: a certificate bundle, a document, a JWT. */
export interface RawReply<S extends number> {
  readonly status: S;
  readonly raw: { readonly contentType: string; readonly body: string | Buffer };
  readonly headers?: Readonly<Record<string, string>>;
}

type SuccessStatus = 200 | 201 | 202;
type ReplyFor<S extends number, R> =
  R extends { data?: infer D; meta?: unknown } ? DataReply<S, Exclude<D, undefined>> | WrittenReply<S> | RawReply<S> : RawReply<S>;
type Replies<R> = { [S in keyof R & SuccessStatus]: ReplyFor<S, R[S]> }[keyof R & SuccessStatus];

/** An interface over the operation itself, so that one function can serve both APIs where their operations are alike. */
export interface OperationHandler<Op extends AnyOperation> {
  (input: Input<Op>, services: Services): Promise<Replies<Op['responses']>>;
}

export type Handler<A extends Api, O extends OperationId<A>> = OperationHandler<Operation<A, O>>;

/** One handler for every operation of an API that does not stand in `pending`. */
export type HandlerMap<A extends Api> = { readonly [O in Exclude<OperationId<A>, (typeof pending)[A][number]>]: Handler<A, O> };

export type Links = Record<string, { href: string }>;

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

export function raw(contentType: string, body: string | Buffer, headers?: Readonly<Record<string, string>>): RawReply<200> {
  return { status: 200, raw: { contentType, body }, ...(headers === undefined ? {} : { headers }) };
}

/** A page of a list, each element mapped to its wire form. */
export function listOf<T, D>(page: Page<T>, map: (item: T) => D): DataReply<200, D[]> {
  const { filterableFields, limit, offset, totalCount } = page;
  const reply = { status: 200 as const, data: page.items.map(map), page: { filterableFields, limit, offset, totalCount } };
  return page.rest === undefined ? reply : { ...reply, rest: mapBatches(page.rest, map) };
}
