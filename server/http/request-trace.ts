/** Interface of a request to its trace; server/traces/ implements it with OpenTelemetry. */
import type { IncomingMessage } from 'node:http';
import type { StatementTrace } from '../../db/postgres/statement-watch.js';
import type { OutgoingTrace } from '../../handlers/context.js';
import type { Exchange } from './exchange.js';
import type { RequestFacts } from './request-log.js';

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
