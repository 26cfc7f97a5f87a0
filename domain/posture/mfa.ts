/** How an API session stands with an MFA check: a code lasts for a time, and an event asks for a new one. */
import type { MfaCriteria } from './criteria.js';
import type { PostureState } from './state.js';

/** Seconds for which an earlier code is still good after a wake or an unlock. */
export const GRACE_SECONDS = 300;

/** Later times have no form that all clients read: they count as no limit. */
const LATEST_MS = Date.UTC(9999, 11, 31);

export interface MfaStanding {
  readonly isPassing: boolean;
  readonly passedMfa: boolean;
  /** False once the grace after such an event is over. */
  readonly passedOnWake: boolean;
  readonly passedOnUnlock: boolean;
  readonly timedOut: boolean;
  /** Time at which it stops or stopped to pass; null: never, or it never passed. */
  readonly until: Date | null;
  /** Seconds, rounded up; -1: no limit. */
  readonly timeoutRemaining: number;
  /** The latest event that asks for a new code, if one does. */
  readonly askedAt: Date | null;
}

export function mfaStanding(criteria: MfaCriteria, state: PostureState, now: Date): MfaStanding {
  const { passedMfaAt, wokenAt, unlockedAt } = state;
  if (passedMfaAt === null) return NEVER_PASSED;
  const askedBy = (isPrompted: boolean, event: Date | null) =>
    isPrompted && event !== null && event > passedMfaAt ? event : null;
  const [woken, unlocked] = [askedBy(criteria.promptOnWake, wokenAt), askedBy(criteria.promptOnUnlock, unlockedAt)];
  const timeoutEnd = isTimed(criteria, state) ? endOf(passedMfaAt, criteria.timeoutSeconds) : null;
  const isOver = (end: Date | null) => end !== null && now >= end;
  const [wakeEnd, unlockEnd] = [endOf(woken, GRACE_SECONDS), endOf(unlocked, GRACE_SECONDS)];
  const until = earliest([timeoutEnd, wakeEnd, unlockEnd]);
  return {
    isPassing: !isOver(until),
    passedMfa: true,
    passedOnWake: !isOver(wakeEnd),
    passedOnUnlock: !isOver(unlockEnd),
    timedOut: isOver(timeoutEnd),
    until,
    timeoutRemaining: until === null ? -1 : Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 1000)),
    askedAt: woken !== null && unlocked !== null && unlocked > woken ? unlocked : (woken ?? unlocked),
  };
}

const NEVER_PASSED: MfaStanding = {
  isPassing: false,
  passedMfa: false,
  passedOnWake: false,
  passedOnUnlock: false,
  timedOut: false,
  until: null,
  timeoutRemaining: 0,
  askedAt: null,
};

/** A client that reports no events cannot ask its user for a new code: the limit may be waived for it. */
function isTimed({ timeoutSeconds, ignoreLegacyEndpoints }: MfaCriteria, { wokenAt, unlockedAt }: PostureState) {
  const isLegacy = wokenAt === null && unlockedAt === null;
  return timeoutSeconds > 0 && !(ignoreLegacyEndpoints && isLegacy);
}

function endOf(start: Date | null, seconds: number): Date | null {
  if (start === null) return null;
  const end = start.getTime() + seconds * 1000;
  return end > LATEST_MS ? null : new Date(end);
}

function earliest(ends: readonly (Date | null)[]): Date | null {
  return ends.reduce((first, end) => (end !== null && (first === null || end < first) ? end : first), null);
}
