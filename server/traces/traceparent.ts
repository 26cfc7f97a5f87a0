/** The headers by which a trace goes from one program to the next (W3C Trace Context). */
import { TraceFlags, createTraceState } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';

/** Version, trace, parent, flags. A later version may have more behind. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_CHARS = 512;

/** Returns the context that a request was sent in; undefined without one, and for one that makes no sense. */
export function parentOf(headers: Readonly<Record<string, string | string[] | undefined>>): SpanContext | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || traceparent.length > MAX_CHARS) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  const isValid =
    version !== undefined &&
    version !== 'ff' &&
    (version !== '00' || more === undefined) &&
    !/^0+$/.test(traceId) &&
    !/^0+$/.test(spanId);
  if (!isValid) return undefined;
  const isKnownState = typeof tracestate === 'string' && tracestate !== '' && tracestate.length <= MAX_CHARS;
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(isKnownState ? { traceState: createTraceState(tracestate) } : {}),
  };
}

/** Returns the trace headers of an outgoing request. */
export function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext): Record<string, string> {
  const state = traceState?.serialize() ?? '';
  return {
    traceparent: `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`,
    ...(state === '' ? {} : { tracestate: state }),
  };
}
