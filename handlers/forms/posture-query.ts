/** A posture check as the client has to meet it: what to report, whether it passes, and for how long. */
import { GRACE_SECONDS } from '../../domain/posture/mfa.js';
import type { CheckResult } from '../../domain/posture/evaluate.js';
import type * as Response from '../../generated/client/response.js';
import { baseFields, isoTime, linksOf } from '../fields.js';

export function toPostureQuery(result: CheckResult): Response.PostureQuery {
  const { check, isPassing, until, timeout, timeoutRemaining, changedAt } = result;
  return {
    isPassing,
    queryType: check.typeId,
    timeout,
    timeoutRemaining,
    ...(until === null ? {} : { timeoutAt: isoTime(until) }),
    ...detailsOf(check),
    ...baseFields({ ...check, updatedAt: changedAt }, linksOf('posture-checks', check.id)),
  };
}

function detailsOf(check: CheckResult['check']): Partial<Response.PostureQuery> {
  switch (check.typeId) {
    case 'PROCESS': {
      const { osType, path } = check.criteria.process;
      return { process: { osType, path } };
    }
    case 'PROCESS_MULTI':
      return { processes: check.criteria.processes.map(({ osType, path }) => ({ osType, path })) };
    case 'MFA': {
      const { promptOnWake, promptOnUnlock } = check.criteria;
      if (!promptOnWake && !promptOnUnlock) return {};
      return {
        promptGracePeriodSeconds: GRACE_SECONDS,
        ...(promptOnWake ? { promptOnWake } : {}),
        ...(promptOnUnlock ? { promptOnUnlock } : {}),
      };
    }
    case 'OS':
    case 'MAC':
    case 'DOMAIN':
      return {};
  }
}
