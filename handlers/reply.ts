/** Types that handlers and server share: the caller, and the replies of a handler. */
import type { TextStream } from './text-stream.js';
import type { OwedToken } from '../domain/auth/external-signer.js';
import type { ApiSessionId, IdentityId } from '../domain/ids.js';
import type { SessionApi } from '../domain/credentials.js';
import type { Trace } from '../domain/administration.js';

/** A signed token, and the certificates of its session. */
export interface Bearer {
  readonly expiresAt: Date;
  /** The session has had a certificate. */
  readonly isCertificateBound: boolean;
  /** SHA-256 of the certificate that the session was opened with; null without one. */
  readonly certificateHash: Buffer | null;
  /** It was used to administer with the certificate of its login, and not at the client API. */
  readonly isAdministrative: boolean;
  /** It was used at the client API, which says where routers are. Noted of sessions with a `certificateHash` alone. */
  readonly isSharedWithRouters: boolean;
}

/** Caller: an API session and the identity behind it. */
export interface Caller {
  readonly apiSessionId: ApiSessionId;
  readonly token: string;
  /** Facts of a caller that shows a signed token; null: the token is good as long as its session is. */
  readonly bearer: Bearer | null;
  readonly identityId: IdentityId;
  readonly identityName: string;
  /** The API whose login opened the session. */
  readonly openedAt: SessionApi;
  /** False while the session owes a second factor: it may then do little more than give it. */
  readonly isComplete: boolean;
  /** The token of a required signer that did not come with this request. */
  readonly owedToken: OwedToken | null;
  readonly isAdmin: boolean;
  /** Entities that it may administer when it is no administrator. */
  readonly permissions: readonly string[];
  readonly roleAttributes: readonly string[];
  readonly configTypes: readonly string[];
  /** Moves with what is known of the device. */
  readonly postureRevision: number;
  /** Trace that its requests are logged under until it ends. */
  readonly trace: Trace | null;
}

export type Links = Record<string, { href: string }>;

export interface PageInfo {
  readonly filterableFields: readonly string[];
  /** null: everything. */
  readonly limit: number | null;
  readonly offset: number;
  readonly totalCount: number;
  readonly isTotalMinimum?: true;
}

export interface DataReply<S extends number, D> {
  readonly status: S;
  readonly data: D;
  readonly page?: PageInfo;
  readonly headers?: Readonly<Record<string, string>>;
  readonly onWritten?: OnWritten;
}

/** An element of a list whose text may be known from before. */
export abstract class ListElement<D> {
  /** Makes the value again. */
  abstract value(): D;
  /**
   * Returns its text in a response.
   * @param validator  by which the answer's elements are checked
   * @param write  checks it and writes it out, unless that was done before
   */
  abstract text(validator: string, write: (value: D) => string): string;
}

/**
 * One page of a list. Each element is mapped when its turn to be written has come, so that few of them are in memory at
 * a time: read `items` once.
 */
export interface ListReply<S extends number, D> {
  readonly status: S;
  readonly items: Iterable<D | ListElement<D>>;
  readonly page: PageInfo;
  /**
   * Further batches of a list too long to hold. Whoever writes the answer ends them, whether it gets to read them or
   * not.
   */
  readonly rest?: AsyncIterable<Iterable<D | ListElement<D>>>;
  readonly onWritten?: OnWritten;
}

/** Gets the text of an answer and its entity tag, once it is checked and written out, so that it can be given again. */
export type OnWritten = (body: string, tag: string) => void;

/** The text of an answer, with its entity tag. */
export interface KeptText {
  readonly body: string;
  readonly tag: string;
  /** The part of a list that it is; absent for what is no list. */
  readonly page?: PageInfo | undefined;
}

/** An answer that was checked and written out before, for the same operation. */
export interface KeptReply<S extends number> {
  readonly status: S;
  readonly kept: KeptText;
}

/** JSON without an envelope around it. */
export interface BareReply<S extends number, D> {
  readonly status: S;
  readonly bare: D;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer without a body: a redirect, or nothing to say. */
export interface EmptyReply<S extends number> {
  readonly status: S;
  readonly isEmpty: true;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is no JSON envelope: a certificate bundle, a document, a JWT. */
export interface RawReply<S extends number> {
  readonly status: S;
  readonly raw: { readonly contentType: string; readonly body: string | Buffer };
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer without an end of its own, sent as it comes. */
export interface StreamReply<S extends number> {
  readonly status: S;
  readonly contentType: string;
  readonly stream: TextStream;
}
