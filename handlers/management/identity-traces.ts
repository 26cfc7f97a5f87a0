/** Tracing of an identity: its requests are logged under a name for a while. */
import { randomUUID } from 'node:crypto';
import { invalidField } from '../../domain/errors.js';
import { parseGoDuration } from '../../domain/go-duration.js';
import type * as Request from '../../generated/management/request.js';
import { isoTime } from '../fields.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { requireMayModify, whereAllowed } from '../delegation/delegation.js';

const MAX_HOURS = 744;
const HOUR_MS = 3_600_000;
const TRACE_ID = /^[\w.:-]*$/;

/** PUT /identities/{id}/trace. Fails: `notFound`, `unauthenticated` for one above the caller. */
export const updateIdentityTracing: Handler<'management', 'updateIdentityTracing'> = async (
  { params, body, caller },
  { stores },
) => {
  const draft = body.enabled === true ? draftFrom(body) : undefined;
  const trace = await whereAllowed(
    caller,
    stores,
    (tx) => requireMayModify(caller, params.id, tx),
    async ({ identities, identityTraces }) => {
      if (draft !== undefined) return identityTraces.begin(params.id, draft);
      const { id } = await identities.get(params.id);
      await identityTraces.end(id);
      return undefined;
    },
  );
  if (trace === undefined) return ok({ enabled: false });
  return ok({ enabled: true, traceId: trace.traceId, until: isoTime(trace.endsAt) });
};

/** Duration of a trace when none is given. */
const USUAL_DURATION = '1h';

/** @throws DomainError `invalidField` */
const draftFrom = ({ traceId, channels, duration }: Request.TraceSpec) => ({
  traceId: traceIdFrom(traceId ?? ''),
  channels: [...new Set(channels ?? [])],
  durationMs: durationFrom(duration ?? USUAL_DURATION),
});

/** It stands in the log, so it is a plain word. @throws DomainError `invalidField` */
function traceIdFrom(traceId: string): string {
  if (!TRACE_ID.test(traceId)) throw invalidField('traceId', 'must consist of letters, digits, _, ., : and -', traceId);
  return traceId === '' ? randomUUID() : traceId;
}

/** @throws DomainError `invalidField` */
function durationFrom(text: string): number {
  const ms = parseGoDuration('duration', text);
  if (ms <= 0 || ms > MAX_HOURS * HOUR_MS)
    throw invalidField('duration', `must be more than nothing and at most ${MAX_HOURS}h`, text);
  return ms;
}
