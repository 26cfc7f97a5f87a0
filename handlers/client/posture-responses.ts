/** Reports of clients about their devices, for posture checks. A report belongs to the API session that sends it. */
import { DomainError } from '../../domain/errors.js';
import { checksNamedBy, take } from '../../domain/posture/report.js';
import type { Report } from '../../domain/posture/report.js';
import type { PostureState } from '../../domain/posture/state.js';
import type * as Response from '../../generated/client/response.js';
import type { Handler } from '../handler.js';
import { ok } from '../handler.js';
import type { Context } from '../context.js';
import type { Caller } from '../reply.js';
import { servicesAskingForCode } from '../access/code-prompts.js';
import { toReport } from '../forms/posture-report-model.js';

/** POST /posture-response. Fails: `unauthenticated` when the API session ended meanwhile. */
export const createPostureResponse: Handler<'client', 'createPostureResponse'> = async ({ body, caller }, context) => ({
  status: 201,
  data: await takeReports([toReport(body)], caller, context),
});

/** POST /posture-response-bulk: all of them at once. Fails as one does. */
export const createPostureResponseBulk: Handler<'client', 'createPostureResponseBulk'> = async (
  { body, caller },
  context,
) => ok(await takeReports(body.map(toReport), caller, context));

/** Most reports say what is known already: they cost one read, and nothing is written. */
async function takeReports(
  reports: readonly Report[],
  caller: Caller,
  { stores }: Context,
): Promise<Response.PostureResponse> {
  const { apiSessionId } = caller;
  const checkIds = checksNamedBy(reports);
  const known = await stores.postures.basis(apiSessionId, checkIds);
  if (known === undefined) throw new DomainError('unauthenticated');
  let state: PostureState = known.state;
  if (take(known.state, reports, known.checks, known.now) !== known.state) {
    state = await stores.transaction(async ({ postures }) => {
      const held = await postures.lockBasis(apiSessionId, checkIds);
      if (held === undefined) throw new DomainError('unauthenticated');
      const next = take(held.state, reports, held.checks, held.now);
      if (next !== held.state) await postures.keep(apiSessionId, next);
      return next;
    });
  }
  return { services: await servicesAskingForCode(reports, state, caller, stores) };
}
