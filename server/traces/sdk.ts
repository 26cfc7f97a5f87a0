/**
 * The part that knows OpenTelemetry; it is loaded only when requests are traced. A span is made of our own words and
 * ids, as a log line is: no value of a statement, no query string, no header, no text of an error.
 */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import type { Attributes, Context as SpanPlace, Span, Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import { DatabaseUnavailable } from '../../db/postgres/outages.js';
import { DomainError } from '../../domain/errors.js';
import { basePaths } from '../../generated/routes.js';
import type { Logger } from '../base/log.js';
import { requestLine } from '../http/request-log.js';
import { headersOf, parentOf } from './traceparent.js';
import type { RequestTrace, Traces } from '../http/request-facts.js';

export interface TraceOptions {
  readonly url: string;
  readonly ratio: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Name of this controller. */
  readonly name: string;
  readonly version: string;
  readonly log: Logger;
}

/** Spans that wait to be sent; those beyond are dropped. */
const MAX_WAITING = 4_096;
const MAX_BATCH = 512;
const EVERY_MS = 2_000;
/** How long a collector may take, and how long a stop waits for it. */
const SEND_MS = 5_000;
const CLOSE_MS = 2_000;

export function startTraces(options: TraceOptions): { traces: Traces; close: () => Promise<void> } {
  const { url, ratio, headers, name, version, log } = options;
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: SEND_MS });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'edge-controller',
      'service.version': version,
      'service.instance.id': `${name}-${process.pid}`,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor(reported(exporter, log), {
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: MAX_BATCH,
        scheduledDelayMillis: EVERY_MS,
        exportTimeoutMillis: SEND_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('edge-controller', version);
  return {
    traces: {
      begin(request) {
        const parent = parentOf(request.headers);
        const place = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
        return traceRequest(tracer, place, request.method ?? '');
      },
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}

function traceRequest(tracer: Tracer, place: SpanPlace, method: string): RequestTrace {
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, place);
  const inside = trace.setSpan(place, span);
  const { traceId, traceFlags } = span.spanContext();
  const isRecorded = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceId,
    statements: isRecorded
      ? {
          begin(name, connection) {
            const attributes = { 'db.system.name': 'postgresql', 'edge.db.connection': connection };
            const statement = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, inside);
            return (error) => {
              endSpan(statement, error);
            };
          },
        }
      : undefined,
    outgoing: {
      begin({ protocol, hostname, port }) {
        const attributes = {
          'http.request.method': 'GET',
          'server.address': hostname,
          'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
          'url.scheme': protocol.slice(0, -1),
        };
        const request = tracer.startSpan('GET', { kind: SpanKind.CLIENT, attributes }, inside);
        return {
          headers: headersOf(request.spanContext()),
          end: (error) => {
            endSpan(request, error);
          },
        };
      },
    },
    end(exchange, seen) {
      if (isRecorded) {
        const { operation } = seen;
        span.updateName(operation?.operationId ?? `${method} unknown`);
        const line = requestLine(exchange, seen, 0) as Readonly<Record<string, unknown>>;
        span.setAttributes(attributesOf(line));
        if (operation !== undefined) span.setAttribute('http.route', `${basePaths[operation.api]}${operation.path}`);
        const { statusCode, headersSent } = exchange.response;
        if (!headersSent || statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function endSpan(span: Span, error: unknown): void {
  if (error !== undefined) {
    span.setAttribute('error.type', wordFor(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** A word of ours: the message of an error may repeat what was sent. */
function wordFor(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return error.outage;
  if (error instanceof DomainError) return error.kind;
  return error instanceof Error ? error.name : 'error';
}

/** Members of a log line, and what they are called here. */
const NAMES: Readonly<Record<string, string>> = {
  requestId: 'edge.request_id',
  method: 'http.request.method',
  api: 'edge.api',
  status: 'http.response.status_code',
  code: 'error.type',
  address: 'client.address',
  identityId: 'edge.identity_id',
  traceId: 'edge.identity_trace',
  entityId: 'edge.entity_id',
  serviceId: 'edge.service_id',
  createdId: 'edge.created_id',
  loginMethod: 'edge.login_method',
  authenticatorId: 'edge.authenticator_id',
  enrollmentId: 'edge.enrollment_id',
  enrollmentMethod: 'edge.enrollment_method',
  routerId: 'edge.router_id',
};

function attributesOf(line: Readonly<Record<string, unknown>>): Attributes {
  const attributes: Attributes = {};
  for (const [member, name] of Object.entries(NAMES)) {
    const value = line[member];
    if (typeof value === 'string' || typeof value === 'number') attributes[name] = value;
  }
  return attributes;
}

/** A line when spans cannot be sent, and another when they are sent again. */
function reported(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        const hasFailed = error !== undefined || Number(result.code) !== 0;
        if (hasFailed && !isFailing)
          log.warn(
            { reason: error?.message.slice(0, 200) },
            'traces cannot be sent; those that do not fit are dropped',
          );
        if (!hasFailed && isFailing) log.info('traces are sent again');
        isFailing = hasFailed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
