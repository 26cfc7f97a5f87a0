/**
 * Writes answers. Each is checked whole against its spec before its first byte leaves; one that breaks the spec is
 * logged and answered 500. Only a list too long to hold leaves in batches, each element checked before it does.
 */
import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Api, OperationSpec, ResponseSpec } from '../generated/operation.js';
import { basePaths } from '../generated/routes.js';
import clientValidators from '../generated/client/validators.cjs';
import managementValidators from '../generated/management/validators.cjs';
import type { DataReply, RawReply, WrittenReply } from '../handlers/handler.js';
import { metaOf, metaText } from './envelope.js';
import type { ErrorAnswer } from './envelope.js';
import { describeFault } from './faults.js';
import { PIECE, sendWhole } from './outflow.js';

export type AnyReply = DataReply<number, unknown> | WrittenReply<number> | RawReply<number>;
export type Headers = Readonly<Record<string, string | number>>;

type Validator = (typeof managementValidators)[string];

export const validatorsOf: Readonly<Record<Api, Readonly<Record<string, Validator>>>> = { client: clientValidators, management: managementValidators };

/** An answer of ours that its spec does not allow. */
export class ResponseFault extends Error {
  constructor(readonly operation: OperationSpec, readonly status: number, readonly fault: { path: string; rule: string }) {
    super(`${operation.api} ${operation.operationId} ${status}: ${fault.path} ${fault.rule}`);
  }
}

function specOf(operation: OperationSpec, status: number): ResponseSpec {
  const spec = operation.responses[status] ?? operation.responses['default'];
  if (spec === undefined) throw new ResponseFault(operation, status, { path: '', rule: 'undeclared status' });
  return spec;
}

function check(operation: OperationSpec, status: number, name: string | null, value: unknown): void {
  if (name === null) return;
  const validate = validatorsOf[operation.api][name];
  if (validate === undefined) throw new Error(`no validator ${name}`);
  if (!validate(value)) throw new ResponseFault(operation, status, describeFault(validate.errors?.[0]));
}

/** @throws ResponseFault before anything was written */
export async function writeReply(response: ServerResponse, operation: OperationSpec, reply: AnyReply, headers: Headers): Promise<void> {
  if ('raw' in reply) {
    const { contentType, body } = reply.raw;
    if (specOf(operation, reply.status).kind === 'empty' || !operation.produces.includes(contentType)) {
      throw new ResponseFault(operation, reply.status, { path: '', rule: `undeclared content type ${contentType}` });
    }
    write(response, reply.status, { 'content-type': contentType, ...headers, ...reply.headers }, body);
    return;
  }
  if ('written' in reply) {
    write(response, reply.status, { 'content-type': 'application/json', ...headers }, reply.written);
    return;
  }
  const spec = specOf(operation, reply.status);
  const meta = metaOf(reply.page);
  check(operation, reply.status, spec.validator, { data: reply.data, meta });
  const all = { 'content-type': 'application/json', ...headers, ...reply.headers, ...locationOf(operation, reply) };
  if (reply.rest !== undefined) {
    await writeLongList(response, operation, reply, spec, metaText(meta), all);
    return;
  }
  const body = `{"data":${JSON.stringify(reply.data)},"meta":${metaText(meta)}}\n`;
  reply.onWritten?.(body);
  write(response, reply.status, all, body);
}

function locationOf(operation: OperationSpec, reply: DataReply<number, unknown>): Headers | undefined {
  if (reply.status !== 201) return undefined;
  const href = (reply.data as { _links?: { self?: { href?: string } } })._links?.self?.href;
  return href === undefined ? undefined : { location: basePaths[operation.api] + href.slice(1) };
}

export function write(response: ServerResponse, status: number, headers: Headers, body: string | Buffer): void {
  if (response.headersSent) return; // a timeout was answered while the work went on
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  if (body.length <= PIECE) response.end(body);
  else sendWhole(response, body);
}

/** How long a reader of a long list may take for one batch before the connection is cut, in milliseconds. */
const READER_PATIENCE_MS = 30_000;

/** A fault after the first byte cannot be told any more: it is thrown, and the caller cuts the connection. */
async function writeLongList(response: ServerResponse, operation: OperationSpec, reply: DataReply<number, unknown>, spec: ResponseSpec, meta: string, headers: Headers): Promise<void> {
  if (response.headersSent) return; // a timeout was answered while the work went on
  response.writeHead(reply.status, headers);
  const gone = new AbortController();
  response.once('close', () => { gone.abort(); });
  const text = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).join(',');
  const send = async (chunk: string) => {
    if (response.destroyed) throw new Error('the reader went away');
    if (!response.write(chunk)) await once(response, 'drain', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(READER_PATIENCE_MS)]) });
  };
  await send(`{"data":[${text(reply.data as readonly unknown[])}`);
  for await (const batch of reply.rest ?? []) {
    for (const item of batch) check(operation, reply.status, spec.itemValidator, item);
    if (batch.length > 0) await send(`,${text(batch)}`);
  }
  response.end(`],"meta":${meta}}\n`);
}

/** @throws ResponseFault when the spec does not even allow this error */
export function writeError(response: ServerResponse, operation: OperationSpec | undefined, { status, body, headers: own }: ErrorAnswer, headers: Headers): void {
  if (operation !== undefined) check(operation, status, specOf(operation, status).validator, body);
  write(response, status, { 'content-type': 'application/json', ...headers, ...own }, `${JSON.stringify(body)}\n`);
}
