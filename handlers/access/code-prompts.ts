/** The services that a wake or an unlock puts in question: their user has to give a code within the grace. */
import { GRACE_SECONDS } from '../../domain/posture/mfa.js';
import type { CheckResult } from '../../domain/posture/evaluate.js';
import type { Report } from '../../domain/posture/report.js';
import type { PostureState } from '../../domain/posture/state.js';
import type { Stores } from '../../db/stores/stores.js';
import type * as Response from '../../generated/client/response.js';
import type { Caller } from '../reply.js';
import { viewsOf } from './service-views.js';

/**
 * Each once, by the check that ends soonest. None while no code was given in the API session, and none that times out
 * within the grace in any case.
 */
export async function servicesAskingForCode(
  reports: readonly Report[],
  { passedMfaAt, wokenAt, unlockedAt }: PostureState,
  caller: Caller,
  stores: Stores,
): Promise<Response.PostureResponseService[]> {
  const events = reports.filter((report) => report.kind === 'ENDPOINT_STATE');
  const isAfterCode = (event: Date | null) => event !== null && passedMfaAt !== null && event > passedMfaAt;
  const isWoken = events.some(({ woken }) => woken) && isAfterCode(wokenAt);
  const isUnlocked = events.some(({ unlocked }) => unlocked) && isAfterCode(unlockedAt);
  if (!isWoken && !isUnlocked) return [];
  const { apiSessionId, identityId: id, roleAttributes } = caller;
  const { grants, posture } = await stores.access.grantsIn(apiSessionId, { id, roleAttributes });
  const isAsking = ({ check, isPassing, timeout }: CheckResult): boolean => {
    if (check.typeId !== 'MFA' || !isPassing || posture === null || passedMfaAt === null) return false;
    const { promptOnWake, promptOnUnlock } = check.criteria;
    const leftMs = passedMfaAt.getTime() + timeout * 1000 - posture.now.getTime();
    return (
      ((isWoken && promptOnWake) || (isUnlocked && promptOnUnlock)) && (timeout < 0 || leftMs > GRACE_SECONDS * 1000)
    );
  };
  const asking = grants
    .map((grant) => ({ ...grant, checks: grant.checks.filter(isAsking) }))
    .filter(({ checks }) => checks.length > 0);
  if (asking.length === 0) return [];
  return (await viewsOf(asking, caller, stores)).flatMap(({ id: serviceId, name, grants: shown }) => {
    const [soonest] = shown.flatMap(({ checks }) => checks).sort((a, b) => a.timeoutRemaining - b.timeoutRemaining);
    if (soonest === undefined) return [];
    const { timeout, timeoutRemaining } = soonest;
    return [{ id: serviceId, name, postureQueryType: 'MFA', timeout, timeoutRemaining }];
  });
}
