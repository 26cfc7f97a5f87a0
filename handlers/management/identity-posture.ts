/** Known state of the devices of an identity, and its session requests that failed because of it. */
import type { FailedRequest } from '../../db/stores/failed-requests.js';
import type { SessionPosture } from '../../db/stores/postures.js';
import type { ReportedProcess } from '../../domain/posture/state.js';
import type * as Response from '../../generated/management/response.js';
import { isoTime, isoTimeOrNull } from '../fields.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';

/** GET /identities/{id}/posture-data. Fails: `notFound`. */
export const getIdentityPostureData: Handler<'management', 'getIdentityPostureData'> = async (
  { params },
  { stores },
) => {
  const { id } = await stores.identities.selectable(params.id);
  const sessions = await stores.postures.ofIdentity(id);
  const [os, mac, domain] = [
    latest(sessions.map(({ state }) => state.os)),
    latest(sessions.map(({ state }) => state.mac)),
    latest(sessions.map(({ state }) => state.domain)),
  ];
  return ok({
    apiSessionPostureData: Object.fromEntries(sessions.map((session) => [session.apiSessionId, ofSession(session)])),
    os: { build: os?.build ?? null, type: os?.type ?? '', version: os?.version ?? '', ...base(os) },
    mac: { addresses: mac?.addresses ?? [], ...base(mac) },
    domain: { domain: domain?.domain ?? '', ...base(domain) },
    processes: latestProcesses(sessions).map((process) => ({
      binaryHash: process.hash,
      isRunning: process.isRunning,
      signerFingerprints: process.signerFingerprints,
      ...base(process),
    })),
  });
};

/** GET /identities/{id}/failed-service-requests. Fails: `notFound`. */
export const getIdentityFailedServiceRequests: Handler<'management', 'getIdentityFailedServiceRequests'> = async (
  { params },
  { stores },
) => {
  const { id } = await stores.identities.selectable(params.id);
  return ok((await stores.failedRequests.ofIdentity(id)).map(toFailedRequest));
};

interface Reported {
  readonly checkId: string;
  readonly at: Date;
}

function latest<T extends Reported>(reports: readonly (T | null)[]): T | null {
  return reports.reduce(
    (found, each) => (each !== null && (found === null || each.at > found.at) ? each : found),
    null,
  );
}

/** Returns the latest report of each process that a check asks for. */
function latestProcesses(sessions: readonly SessionPosture[]): ReportedProcess[] {
  const found = new Map<string, ReportedProcess>();
  for (const process of sessions.flatMap(({ state }) => state.processes)) {
    const key = JSON.stringify([process.checkId, process.path]);
    const known = found.get(key);
    if (known === undefined || process.at > known.at) found.set(key, process);
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, process]) => process);
}

const base = (report: Reported | null) => ({
  lastUpdatedAt: report === null ? null : isoTime(report.at),
  postureCheckId: report?.checkId ?? '',
  timedOut: false,
});

function ofSession({ apiSessionId, state, sdkInfo }: SessionPosture): Response.ApiSessionPostureData {
  const { passedMfaAt, wokenAt, unlockedAt } = state;
  const isAnswered = (event: Date | null) => passedMfaAt !== null && (event === null || event <= passedMfaAt);
  return {
    endpointState: { unlockedAt: isoTimeOrNull(unlockedAt), wokenAt: isoTimeOrNull(wokenAt) },
    mfa: {
      apiSessionId,
      passedAt: isoTimeOrNull(passedMfaAt),
      passedMfa: passedMfaAt !== null,
      passedOnUnlock: isAnswered(unlockedAt),
      passedOnWake: isAnswered(wokenAt),
    },
    sdkInfo,
  };
}

function toFailedRequest({ at, ...failed }: FailedRequest & { readonly at: Date }): Response.FailedServiceRequest {
  return { ...failed, when: isoTime(at) };
}
