/** Tracing of an identity: its requests are logged under a name for a while. */
import { randomUUID } from 'node:crypto';
import { invalidField } from '../../domain/errors.js';
import { parseGoDuration } from '../../domain/go-duration.js';
import { identityIdOf } from '../../domain/ids.js';
import { isoTime } from '../fields.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { requireMayModify } from '../shared/delegation.js';

const MAX_HOURS = 744;
const HOUR_MS = 3_600_000;
const TRACE_ID = /^[\w.:-]*$/;

/** PUT /identities/{id}/trace. Fails: `notFound`, `unauthenticated` for one above the caller. */
export const updateIdentityTracing: Handler<'management', 'updateIdentityTracing'> = async (
  { params, body, caller },
  { stores, apiSessions },
) => {
  await requireMayModify(caller, params.id, stores);
  if (body.enabled !== true) {
    const { id } = await stores.identities.get(params.id);
    await stores.identityTraces.end(id);
    apiSessions.forgetIdentity(identityIdOf(id));
    return ok({ enabled: false });
  }
  const { traceId, endsAt } = await stores.identityTraces.begin(params.id, {
    traceId: traceIdFrom(body.traceId ?? ''),
    channels: [...new Set(body.channels ?? [])],
    durationMs: durationFrom(body.duration ?? ''),
  });
  apiSessions.forgetIdentity(identityIdOf(params.id));
  return ok({ enabled: true, traceId, until: isoTime(endsAt) });
};

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
