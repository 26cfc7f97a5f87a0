/**
 * Writes answers. Each is checked whole against its spec before its first byte leaves; one that breaks the spec is
 * logged and answered 500. Only a list without limit leaves in batches, each element checked before it does.
 */
import { jsonOf } from './json.js';
import type { ServerResponse } from 'node:http';
import type { OperationSpec } from '../../generated/operation.js';
import { basePaths } from '../../generated/routes.js';
import { linkOf } from './list-links.js';
import { JSON_TYPE, PROBLEM_TYPE } from './media.js';
import { asProblem, wantsProblem } from './problem.js';
import type {
  BareReply,
  DataReply,
  EmptyReply,
  ListReply,
  PageInfo,
  RawReply,
  KeptReply,
  StreamReply,
} from '../../handlers/reply.js';
import { metaOf, metaText } from './envelope.js';
import type { ErrorReply } from './envelope.js';
import { tagOfReply, tagOfConstant } from './entity-tags.js';
import { keepForm } from './compression.js';
import { deliver, write } from './encode.js';
import type { ResponseHeaders } from './encode.js';
import { writeList } from './list-reply.js';
import type { WriteOptions } from './list-reply.js';
import { ResponseFault, check, specOf } from './spec-check.js';
import { sendStream } from './event-stream.js';
import type { Recheck } from './event-stream.js';

export { write } from './encode.js';
export type { ResponseHeaders } from './encode.js';

export type AnyReply =
  | BareReply<number, unknown>
  | DataReply<number, unknown>
  | EmptyReply<number>
  | KeptReply<number>
  | ListReply<number, unknown>
  | RawReply<number>
  | StreamReply<number>;

/** A content type without its parameters. */
const typeOf = (contentType: string): string => contentType.split(';', 1)[0] ?? '';

/** @throws ResponseFault before anything was written, or after for a list without limit; ReaderGone */
export async function writeReply(
  response: ServerResponse,
  operation: OperationSpec,
  reply: Exclude<AnyReply, StreamReply<number>>,
  headers: ResponseHeaders,
  options: WriteOptions,
): Promise<void> {
  if ('bare' in reply || 'isEmpty' in reply) await writeBare(response, operation, reply, headers);
  else if ('raw' in reply) {
    const { contentType, body } = reply.raw;
    if (specOf(operation, reply.status).kind === 'empty' || !operation.produces.includes(typeOf(contentType))) {
      throw new ResponseFault(operation, reply.status, { path: '', rule: `undeclared content type ${contentType}` });
    }
    keepForm(response);
    const tag = operation.isTagged ? { etag: tagOfConstant(body) } : undefined;
    const own = { ...reply.headers, ...tag, ...storing(operation), ...varying(operation, headers) };
    await deliver(response, reply.status, { 'content-type': contentType, ...headers, ...own }, body);
  } else if ('kept' in reply) {
    keepForm(response);
    const { body, tag, page } = reply.kept;
    const all = {
      'content-type': 'application/json',
      'etag': tag,
      ...headers,
      ...storing(operation),
      ...linking(response, operation, page),
    };
    await deliver(response, reply.status, all, body);
  } else if ('items' in reply) {
    const linked = { 'content-type': 'application/json', ...headers, ...linking(response, operation, reply.page) };
    await writeList(response, operation, reply, linked, options);
  } else {
    const { data, page } = reply;
    const meta = metaOf(page);
    check(operation, reply.status, specOf(operation, reply.status).validator, { data, meta });
    const body = `{"data":${jsonOf(data)},"meta":${metaText(meta)}}\n`;
    const own = {
      ...reply.headers,
      ...locationOf(operation, reply),
      ...storing(operation),
      ...linking(response, operation, page),
    };
    if (operation.isTagged && operation.method === 'GET') {
      const tag = tagOfReply(operation, data, body);
      reply.onWritten?.(body, tag);
      const all = { 'content-type': 'application/json', 'etag': tag, ...headers, ...own };
      await deliver(response, reply.status, all, body);
    } else await deliver(response, reply.status, { 'content-type': 'application/json', ...headers, ...own }, body);
  }
}

/** @throws ResponseFault */
async function writeBare(
  response: ServerResponse,
  operation: OperationSpec,
  reply: BareReply<number, unknown> | EmptyReply<number>,
  headers: ResponseHeaders,
): Promise<void> {
  const { status } = reply;
  const { kind, validator } = specOf(operation, status);
  const isEmpty = 'isEmpty' in reply;
  if (isEmpty !== (kind === 'empty')) throw new ResponseFault(operation, status, { path: '', rule: 'undeclared body' });
  if (isEmpty) await deliver(response, status, { ...headers, ...reply.headers }, '');
  else {
    check(operation, status, validator, reply.bare);
    const all = { 'content-type': 'application/json', ...headers, ...reply.headers };
    await deliver(response, status, all, `${jsonOf(reply.bare)}\n`);
  }
}

/**
 * An answer without an end.
 * @param recheck  of the caller, while it is sent
 * @throws ResponseFault before anything was written; ReaderGone
 */
export async function writeStream(
  response: ServerResponse,
  operation: OperationSpec,
  { status, contentType, stream }: StreamReply<number>,
  headers: ResponseHeaders,
  recheck: Recheck,
): Promise<void> {
  if (!operation.produces.includes(contentType)) {
    stream.close();
    throw new ResponseFault(operation, status, { path: '', rule: `undeclared content type ${contentType}` });
  }
  await sendStream(response, status, { 'content-type': contentType, ...headers }, stream, recheck);
}

const CONFIRMED_EACH_TIME: ResponseHeaders = { 'cache-control': 'no-cache' };

/** An answer that is the same for every caller may be stored, and used once a request with its tag has confirmed it. */
const storing = ({ isTagged, permission }: OperationSpec): ResponseHeaders | undefined =>
  isTagged && permission === 'public' ? CONFIRMED_EACH_TIME : undefined;

/** Makes the header Link to the other pages of a list. */
function linking(
  { req }: ServerResponse,
  operation: OperationSpec,
  page: PageInfo | undefined,
): ResponseHeaders | undefined {
  const link = page === undefined ? undefined : linkOf(operation, req.url ?? '', page);
  return link === undefined ? undefined : { link };
}

/** An operation that answers in several forms answers the one that `Accept` prefers. */
const varying = ({ produces }: OperationSpec, { vary }: ResponseHeaders): ResponseHeaders | undefined =>
  produces.length < 2 ? undefined : { vary: vary === undefined ? 'Accept' : `${vary}, Accept` };

function locationOf(operation: OperationSpec, reply: DataReply<number, unknown>): ResponseHeaders | undefined {
  if (reply.status !== 201) return undefined;
  const href = (reply.data as { _links?: { self?: { href?: string } } })._links?.self?.href;
  return href === undefined ? undefined : { location: basePaths[operation.api] + href.slice(1) };
}

/** @throws ResponseFault when the spec does not even allow this error */
export function writeError(
  response: ServerResponse,
  operation: OperationSpec | undefined,
  { status, body, headers: own }: ErrorReply,
  headers: ResponseHeaders,
): void {
  if (operation !== undefined) check(operation, status, specOf(operation, status).validator, body);
  const isProblem = wantsProblem(response.req.headers.accept);
  const text = JSON.stringify(isProblem ? asProblem(status, body.error) : body);
  const type = isProblem ? PROBLEM_TYPE : JSON_TYPE;
  write(response, status, { 'content-type': type, ...headers, ...own }, `${text}\n`);
}
