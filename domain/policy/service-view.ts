/** Shows whether what an identity sees of its services has changed, without reading all of it again. */
import { createHash } from 'node:crypto';
import type { Service, ServiceView } from '../model.js';
import type { CheckResult } from '../posture/evaluate.js';
import type { PostureState } from '../posture/state.js';
import type { AccessPolicy, Grant, GrantShown } from './access.js';

/**
 * Names all that decides what an identity sees of services: what it is granted, and the content that grants select
 * from.
 */
export function grantsState(grants: readonly AccessPolicy[], content: number): Buffer {
  const what = grants.map(({ policyId, type, semantic, serviceRoles, isPassing, checks }) => [
    policyId,
    type,
    semantic,
    serviceRoles,
    isPassing,
    ...checks.map(resultSeen),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([content, what]))
    .digest();
}

/**
 * One value for all that a client can see of its services: it changes exactly when they do.
 * @param members  of a stored service that clients see
 */
export function digestOf(services: readonly ServiceView[], members: readonly (keyof Service)[]): Buffer {
  const hash = createHash('sha256');
  for (const service of services) {
    hash.update(
      JSON.stringify([
        ...members.map((member) => service[member]),
        service.config,
        service.permissions,
        service.grants.map(grantSeen),
        service.tags,
      ]),
    );
  }
  return hash.digest();
}

function grantSeen({ policyId, policyType, isPassing, checks }: GrantShown) {
  const seen = { policyId, policyType, isPassing };
  return checks.length === 0 ? seen : { ...seen, checks: checks.map(resultSeen) };
}

/** All of a result but the time that runs: that alone is no change. */
function resultSeen({ check, isPassing, until, timeout, changedAt }: CheckResult) {
  return [check.id, check.updatedAt, isPassing, until, timeout, changedAt];
}

/** Milliseconds until a posture check among them stops to pass by itself; Infinity: none does. */
export function msUntilFlip(grants: readonly Grant[], now: Date): number {
  return Math.min(...ends(grants, now));
}

/** The same until the whole seconds change that are left of one: never more than a second while some are counted. */
export function msUntilTick(grants: readonly Grant[], now: Date): number {
  return Math.min(...ends(grants, now).map((ms) => (ms === Infinity ? ms : ms % 1000 || 1000)));
}

function ends(grants: readonly Grant[], now: Date): number[] {
  const all = grants.flatMap(({ checks }) => checks);
  return all.map(({ isPassing, until }) => (isPassing && until !== null ? until.getTime() - now.getTime() : Infinity));
}

/** The times of all that has changed the posture behind the grants so far. */
export function postureMovedAt({ grants, posture }: Judged): Date[] {
  if (posture === null) return [];
  const { state, now } = posture;
  const over = grants.flatMap(({ checks }) =>
    checks.flatMap(({ until }) => (until !== null && until <= now ? [until] : [])),
  );
  const reportedAt = [state.os, state.mac, state.domain, ...state.processes].flatMap((report) =>
    report ? [report.at] : [],
  );
  const events = [state.passedMfaAt, state.wokenAt, state.unlockedAt].filter((event) => event !== null);
  return [...over, ...reportedAt, ...events];
}

interface Judged {
  readonly grants: readonly Grant[];
  readonly posture: { readonly state: PostureState; readonly now: Date } | null;
}
