/**
 * Whether a posture check passes: a pure function of what the check asks for, what is known of the device, and the
 * time. What is missing, unreadable or odd fails; nothing here throws.
 */
import type { BaseEntity } from '../entity.js';
import { normalAddress, sameOs } from './criteria.js';
import type { Criteria, CriteriaByType, Process, ProcessOfMany } from './criteria.js';
import { mfaStanding } from './mfa.js';
import { parseRange, parseVersion, satisfies } from './semver.js';
import type { PostureState, ReportedOs, ReportedProcess } from './state.js';

/** A posture check that a policy asks for. */
export type AskedCheck = BaseEntity & Criteria & { readonly name: string };

export interface CheckResult {
  readonly check: AskedCheck;
  readonly isPassing: boolean;
  /** Time at which a check that passes now stops to pass; null: never. */
  readonly until: Date | null;
  /** Seconds that a pass lasts; -1: no limit. */
  readonly timeout: number;
  /** Seconds that it still lasts; 0: it does not pass; -1: no limit. */
  readonly timeoutRemaining: number;
  /** Time of the last change of what the user is asked for: of the check, or by an event that asks for a code. */
  readonly changedAt: Date;
}

export function evaluate(check: AskedCheck, state: PostureState, now: Date): CheckResult {
  const untimed = (isPassing: boolean): CheckResult => ({
    check,
    isPassing,
    until: null,
    timeout: -1,
    timeoutRemaining: -1,
    changedAt: check.updatedAt,
  });
  switch (check.typeId) {
    case 'OS':
      return untimed(isAllowedOs(check.criteria, state.os));
    case 'MAC':
      return untimed(hasAddress(check.criteria, state.mac?.addresses ?? []));
    case 'DOMAIN':
      return untimed(isInDomain(check.criteria, state.domain?.domain ?? ''));
    case 'PROCESS':
      return untimed(isProcessGood(check.criteria.process, processFor(check.id, check.criteria.process, state)));
    case 'PROCESS_MULTI':
      return untimed(areProcessesGood(check.id, check.criteria, state));
    case 'MFA': {
      const { isPassing, until, timeoutRemaining, askedAt } = mfaStanding(check.criteria, state, now);
      return {
        check,
        isPassing,
        until,
        timeout: check.criteria.timeoutSeconds,
        timeoutRemaining,
        changedAt: askedAt !== null && askedAt > check.updatedAt ? askedAt : check.updatedAt,
      };
    }
  }
}

/** End of a policy that asks for these checks: undefined when it does not pass, null for no end. */
export function passesUntil(results: readonly CheckResult[]): Date | null | undefined {
  let end: Date | null = null;
  for (const { isPassing, until } of results) {
    if (!isPassing) return undefined;
    if (until !== null && (end === null || until < end)) end = until;
  }
  return end;
}

function isAllowedOs({ operatingSystems }: CriteriaByType['OS'], os: ReportedOs | null): boolean {
  if (os === null) return false;
  const version = parseVersion(fullVersion(os));
  return operatingSystems.some(({ type, versions }) => {
    if (!sameOs(type, os.type)) return false;
    if (versions.length === 0) return true;
    return (
      version !== undefined &&
      versions.some((text) => {
        const range = parseRange(text);
        return range !== undefined && satisfies(version, range);
      })
    );
  });
}

/** The build number replaces the patch level on systems that have none. */
function fullVersion({ version, build }: ReportedOs): string {
  return build !== null && /^\d+\.\d+$/.test(version) && /^\d+$/.test(build) ? `${version}.${build}` : version;
}

function hasAddress({ macAddresses }: CriteriaByType['MAC'], reported: readonly string[]): boolean {
  return reported.map(normalAddress).some((address) => address !== '' && macAddresses.includes(address));
}

function isInDomain({ domains }: CriteriaByType['DOMAIN'], reported: string): boolean {
  const name = reported.toLowerCase();
  return name !== '' && domains.some((domain) => domain.toLowerCase() === name);
}

/** Returns the reported state of a process of the check, by its path; a check of one process needs none. */
export function processFor(
  checkId: string,
  { path }: { readonly path: string },
  { processes }: PostureState,
  isOneOfMany = false,
): ReportedProcess | undefined {
  return processes.find(
    (each) => each.checkId === checkId && (each.path === path || (each.path === null && !isOneOfMany)),
  );
}

/** Whether the two have a hash in common; either may be written with separators. */
function share(wanted: readonly string[], reported: readonly string[]): boolean {
  const hashes = wanted.map(normalAddress);
  return reported.map(normalAddress).some((hash) => hash !== '' && hashes.includes(hash));
}

function isProcessGood(asked: Process | ProcessOfMany, reported: ReportedProcess | undefined): boolean {
  if (reported?.isRunning !== true) return false;
  const signers = 'signerFingerprints' in asked ? asked.signerFingerprints : [asked.signerFingerprint ?? ''];
  const wanted = signers.filter((signer) => signer !== '');
  return (
    (asked.hashes.length === 0 || share(asked.hashes, [reported.hash])) &&
    (wanted.length === 0 || share(wanted, reported.signerFingerprints))
  );
}

function areProcessesGood(id: string, asked: CriteriaByType['PROCESS_MULTI'], state: PostureState): boolean {
  const isGood = (process: ProcessOfMany) => isProcessGood(process, processFor(id, process, state, true));
  if (asked.processes.length === 0) return false;
  return asked.semantic === 'AllOf' ? asked.processes.every(isGood) : asked.processes.some(isGood);
}
