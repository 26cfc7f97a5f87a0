import type { Api } from '../../generated/operation.js';

/** What we use of Dredd's transactions: one request and the answer that the document declares for it. */
export interface Transaction {
  readonly name: string;
  readonly origin: { readonly resourceName: string };
  fullPath: string;
  request: { readonly method: string; headers: Record<string, string>; body: string };
  readonly expected: { readonly statusCode: string };
  skip: boolean;
  /** The answer that came. */
  readonly real?: { readonly statusCode?: number; readonly headers?: Readonly<Record<string, string>> };
  readonly test?: {
    readonly status: 'pass' | 'fail' | 'skip';
    readonly message: string;
    readonly actual?: { readonly statusCode?: number; readonly body?: string };
  };
}

/** How a transaction ended; one line of the file that the hooks write. */
export interface Outcome {
  readonly operationId: string;
  readonly status: number;
  /** Of the request. */
  readonly contentType: string;
  readonly result: 'pass' | 'fail' | 'skip' | 'error';
  /** `x-request-id` of the answer; empty without an answer. */
  readonly requestId: string;
  /** For people: what was sent and what came. */
  readonly detail: string;
}

/** What the suite passes to the hooks, as JSON in one environment variable. */
export interface HookSettings {
  readonly api: Api;
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly outcomesFile: string;
}
export const SETTINGS_VARIABLE = 'EDGE_CONTRACT_SETTINGS';
