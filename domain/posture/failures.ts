/** Why posture checks fail: for the user what to do about it, for administrators what was found and what is asked. */
import type { CriteriaByType, OperatingSystem, Process, ProcessOfMany } from './criteria.js';
import { processFor } from './evaluate.js';
import type { AskedCheck } from './evaluate.js';
import { mfaStanding } from './mfa.js';
import type { PostureState, ReportedProcess } from './state.js';

interface MfaValues {
  readonly passedMfa: boolean;
  readonly passedOnWake: boolean;
  readonly passedOnUnlock: boolean;
  readonly timedOut: boolean;
}
export interface ActualProcess {
  readonly path: string;
  readonly osType: Process['osType'];
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signerFingerprints: readonly string[];
}

interface Failed<T extends AskedCheck['typeId'], A, E> {
  readonly postureCheckId: string;
  readonly postureCheckName: string;
  readonly postureCheckType: T;
  readonly actualValue: A;
  readonly expectedValue: E;
}

/** Names are those of the wire. */
export type CheckFailure =
  | Failed<'OS', { readonly type: string; readonly version: string }, readonly OperatingSystem[]>
  | Failed<'MAC', readonly string[], readonly string[]>
  | Failed<'DOMAIN', string, readonly string[]>
  | Failed<'PROCESS', ActualProcess, Process>
  | (Failed<'PROCESS_MULTI', readonly ActualProcess[], readonly ProcessOfMany[]> & {
      readonly semantic: CriteriaByType['PROCESS_MULTI']['semantic'];
    })
  | (Failed<'MFA', MfaValues, MfaValues> & {
      readonly criteria: {
        readonly passedMfaAt: string | null;
        readonly wokenAt: string | null;
        readonly unlockedAt: string | null;
        readonly timeoutSeconds: number;
        readonly timeoutRemainingSeconds: number;
      };
    });

/** Describes the failure of a check: the values found, and those required. */
export function checkFailure(check: AskedCheck, state: PostureState, now: Date): CheckFailure {
  const of = { postureCheckId: check.id, postureCheckName: check.name };
  switch (check.typeId) {
    case 'OS': {
      const actualValue = { type: state.os?.type ?? '', version: state.os?.version ?? '' };
      return { ...of, postureCheckType: 'OS', actualValue, expectedValue: check.criteria.operatingSystems };
    }
    case 'MAC': {
      const actualValue = state.mac?.addresses ?? [];
      return { ...of, postureCheckType: 'MAC', actualValue, expectedValue: check.criteria.macAddresses };
    }
    case 'DOMAIN': {
      const actualValue = state.domain?.domain ?? '';
      return { ...of, postureCheckType: 'DOMAIN', actualValue, expectedValue: check.criteria.domains };
    }
    case 'PROCESS': {
      const { process } = check.criteria;
      const actualValue = actual(process, anyReportFor(check.id, state));
      return { ...of, postureCheckType: 'PROCESS', actualValue, expectedValue: process };
    }
    case 'PROCESS_MULTI': {
      const { processes, semantic } = check.criteria;
      const actualValue = processes.map((process) => actual(process, processFor(check.id, process, state, true)));
      return { ...of, postureCheckType: 'PROCESS_MULTI', actualValue, expectedValue: processes, semantic };
    }
    case 'MFA': {
      const { passedMfa, passedOnWake, passedOnUnlock, timedOut, timeoutRemaining } = mfaStanding(
        check.criteria,
        state,
        now,
      );
      return {
        ...of,
        postureCheckType: 'MFA',
        actualValue: { passedMfa, passedOnWake, passedOnUnlock, timedOut },
        expectedValue: { passedMfa: true, passedOnWake: true, passedOnUnlock: true, timedOut: false },
        criteria: {
          passedMfaAt: state.passedMfaAt?.toISOString() ?? null,
          wokenAt: state.wokenAt?.toISOString() ?? null,
          unlockedAt: state.unlockedAt?.toISOString() ?? null,
          timeoutSeconds: check.criteria.timeoutSeconds,
          timeoutRemainingSeconds: timeoutRemaining,
        },
      };
    }
  }
}

const anyReportFor = (id: string, { processes }: PostureState) => processes.find(({ checkId }) => checkId === id);

function actual({ path, osType }: Process | ProcessOfMany, reported: ReportedProcess | undefined): ActualProcess {
  return {
    path: reported?.path ?? path,
    osType,
    isRunning: reported?.isRunning ?? false,
    hash: reported?.hash ?? '',
    signerFingerprints: reported?.signerFingerprints ?? [],
  };
}

/** Advice for the user of a device that fails a check. Contains nothing of what the administrator listed. */
export function adviceFor(check: AskedCheck, state: PostureState, now: Date): string {
  const unreported = (what: string) => `the client has not reported ${what}: let it report, or update it`;
  switch (check.typeId) {
    case 'OS':
      if (state.os === null) return unreported('its operating system');
      return 'this operating system, or its version, is not allowed: update it, or use another device';
    case 'MAC':
      if (state.mac === null) return unreported('its hardware addresses');
      return 'no hardware address of this device is allowed: ask an administrator to add one, or use another device';
    case 'DOMAIN':
      if (state.domain === null) return unreported('its Windows domain');
      return 'this device is in no domain that is allowed: join one, or use another device';
    case 'PROCESS':
      if (anyReportFor(check.id, state) === undefined) return unreported('the process that is asked for');
      return 'the process that is asked for does not run, or is not the right one: start or reinstall it';
    case 'PROCESS_MULTI':
      if (anyReportFor(check.id, state) === undefined) return unreported('the processes that are asked for');
      return 'processes that are asked for do not run, or are not the right ones: start or reinstall them';
    case 'MFA': {
      const { passedMfa, timedOut } = mfaStanding(check.criteria, state, now);
      if (!passedMfa) return 'no TOTP code was given in this API session: give one to authenticate/mfa';
      if (timedOut) return 'the last TOTP code is too old: give a new one to authenticate/mfa';
      return 'the device was woken or unlocked since the last TOTP code: give a new one to authenticate/mfa';
    }
  }
}
