/** One request and its answer, from the first look at it to the end of the work. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResponseHeaders } from './compression.js';
import type { RequestReader } from './request-reader.js';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly path: string;
  readonly search: string;
  /** Headers of every answer of this exchange. */
  headers: ResponseHeaders;
  /** Start of the work on it, by `performance.now()`; infinite while its body is still arriving. */
  since: number;
  /** It was answered that it takes too long; the work on it may still go on. */
  hasTimedOut: boolean;
  /** Failure that the response reports, if any. */
  failure?: unknown;
  /** Reader of the response, once the caller is known. */
  reader?: RequestReader;
}
