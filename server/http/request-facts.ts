/** Facts of a request, and the interface to its trace; server/traces/ implements that with OpenTelemetry. */
import type { IncomingMessage } from 'node:http';
import type { RequestClock } from '../../db/postgres/request-clock.js';
import type { StatementTrace } from '../../db/postgres/statement-watch.js';
import type { OperationSpec } from '../../generated/operation.js';
import type { OutgoingTrace } from '../../handlers/context.js';
import type { Facts } from '../../handlers/handler.js';
import type { Caller } from '../../handlers/reply.js';
import type { Exchange } from './exchange.js';

/** Facts of a request, collected until it ends. */
export interface RequestFacts {
  readonly address: string;
  operation?: OperationSpec;
  caller?: Caller;
  /** Parameters of the path, once the caller is known. */
  params?: Readonly<Record<string, string>>;
  createdId?: string | undefined;
  facts?: Facts;
  /** Runs since the body was whole; absent when times are not asked for. */
  clock?: RequestClock;
  /** Absent when requests are not traced. */
  trace?: RequestTrace;
}

/** The trace of one request, from its headers to the end of its work. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Undefined for a request that is not recorded. */
  readonly statements: StatementTrace | undefined;
  readonly outgoing: OutgoingTrace;
  end(exchange: Exchange, seen: RequestFacts): void;
}

export interface Traces {
  begin(request: IncomingMessage): RequestTrace;
}
