/**
 * A client's report of its device, and its effect: a pure step from one state to the next. A report of known facts
 * changes nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { sortedSet } from '../sorted-set.js';
import { normalAddress } from './criteria.js';
import type { Criteria } from './criteria.js';
import type { PostureState, ReportedProcess } from './state.js';

export type Report =
  | { readonly kind: 'OS'; readonly checkId: string; type: string; version: string; build: string | null }
  | { readonly kind: 'MAC'; readonly checkId: string; readonly addresses: readonly string[] }
  | { readonly kind: 'DOMAIN'; readonly checkId: string; readonly domain: string }
  | ProcessReport
  | { readonly kind: 'ENDPOINT_STATE'; readonly woken: boolean; readonly unlocked: boolean };

export interface ProcessReport {
  readonly kind: 'PROCESS';
  readonly checkId: string;
  readonly path: string | null;
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signerFingerprints: readonly string[];
}

/** Checks that reports name, by id. */
export type NamedChecks = ReadonlyMap<string, Criteria>;

/** The ids of the checks that `take` has to know. */
export const checksNamedBy = (reports: readonly Report[]): string[] => [
  ...new Set(reports.flatMap((report) => (report.kind === 'PROCESS' ? [report.checkId] : []))),
];

/** The same state, by identity, when the reports change nothing. */
export function take(state: PostureState, reports: readonly Report[], checks: NamedChecks, now: Date): PostureState {
  return reports.reduce((known, report) => takeOne(known, report, checks, now), state);
}

function takeOne(state: PostureState, report: Report, checks: NamedChecks, at: Date): PostureState {
  switch (report.kind) {
    case 'OS': {
      const { checkId, type, version, build } = report;
      const os = changed(state.os, { checkId, at, type, version, build });
      return os === state.os ? state : { ...state, os };
    }
    case 'MAC': {
      const addresses = sortedSet(report.addresses.map(normalAddress).filter((address) => address !== ''));
      const mac = changed(state.mac, { checkId: report.checkId, at, addresses });
      return mac === state.mac ? state : { ...state, mac };
    }
    case 'DOMAIN': {
      const domain = changed(state.domain, { checkId: report.checkId, at, domain: report.domain });
      return domain === state.domain ? state : { ...state, domain };
    }
    case 'PROCESS':
      return takeProcess(state, report, checks.get(report.checkId), at);
    case 'ENDPOINT_STATE': {
      const wokenAt = report.woken ? eventAt(state.wokenAt, state, at) : state.wokenAt;
      const unlockedAt = report.unlocked ? eventAt(state.unlockedAt, state, at) : state.unlockedAt;
      return wokenAt === state.wokenAt && unlockedAt === state.unlockedAt ? state : { ...state, wokenAt, unlockedAt };
    }
  }
}

/** The known report when the new one says the same, whichever check it names: clients answer each check in turn. */
function changed<T extends { readonly checkId: string; readonly at: Date }>(known: T | null, next: T): T {
  if (known === null) return next;
  return isDeepStrictEqual({ ...next, checkId: known.checkId, at: known.at }, known) ? known : next;
}

/** A further event before the code that the first one asks for would only put off when it is due. */
function eventAt(last: Date | null, { passedMfaAt }: PostureState, at: Date): Date {
  const isOpen = last !== null && (passedMfaAt === null || last > passedMfaAt);
  return isOpen ? last : at;
}

/** Only what a check asks for is kept, so that no client decides how much there is to keep. */
function takeProcess(
  state: PostureState,
  { checkId, path, isRunning, hash, signerFingerprints }: ProcessReport,
  check: Criteria | undefined,
  at: Date,
): PostureState {
  const isAsked =
    check?.typeId === 'PROCESS' ||
    (check?.typeId === 'PROCESS_MULTI' && check.criteria.processes.some((process) => process.path === path));
  if (!isAsked) return state;
  const isSame = (each: ReportedProcess) =>
    each.checkId === checkId && (check.typeId === 'PROCESS' || each.path === path);
  const known = state.processes.find(isSame);
  const next = changed(known ?? null, {
    checkId,
    at,
    path,
    isRunning,
    hash: normalAddress(hash),
    signerFingerprints: sortedSet(signerFingerprints.map(normalAddress).filter((signer) => signer !== '')),
  });
  return next === known ? state : { ...state, processes: [...state.processes.filter((each) => !isSame(each)), next] };
}
