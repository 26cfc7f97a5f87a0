/** Sessions for services that were refused because of what is known of the device: the latest, for administrators. */
import type { PolicyType } from '../../domain/model.js';
import type { CheckFailure } from '../../domain/posture/failures.js';
import type { Db } from '../postgres/contracts.js';
import { jsonText } from '../query/table.js';
import { asyncChange, slowRead } from '../postgres/statement.js';

interface PolicyFailure {
  readonly policyId: string;
  readonly policyName: string;
  readonly checks: readonly CheckFailure[];
}

/** A session that was refused because every policy that could grant it asks for a check that fails. */
export interface FailedRequest {
  readonly apiSessionId: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly sessionType: PolicyType;
  readonly policyFailures: readonly PolicyFailure[];
}

/** Kept of each identity. */
const MAX = 50;

const NOTE = asyncChange(
  'failed-request-note',
  ({ returningActor }) => `WITH old AS (
  DELETE FROM failed_service_requests WHERE identity_id = $1 AND place <= (
    SELECT place FROM failed_service_requests WHERE identity_id = $1
    ORDER BY place DESC OFFSET ${MAX - 1} LIMIT 1))
INSERT INTO failed_service_requests
  (identity_id, api_session_id, service_id, service_name, session_type, policy_failures)
VALUES ($1, $2, $3, $4, $5, $6)${returningActor}`,
);

export interface FailedRequestStore {
  note(identityId: string, failed: FailedRequest): Promise<void>;
  /** The latest first. */
  ofIdentity(identityId: string): Promise<(FailedRequest & { readonly at: Date })[]>;
}

const FAILED_REQUESTS = slowRead<FailedRequest & { at: Date }>(
  'failed-requests',
  `SELECT at, api_session_id AS "apiSessionId", service_id AS "serviceId", service_name AS "serviceName",
    session_type AS "sessionType", policy_failures AS "policyFailures"
  FROM failed_service_requests WHERE identity_id = $1 ORDER BY place DESC LIMIT ${MAX}`,
);

export function failedRequestStore(db: Db): FailedRequestStore {
  return {
    async note(identityId, { apiSessionId, serviceId, serviceName, sessionType, policyFailures }) {
      await db.execute(NOTE, [identityId, apiSessionId, serviceId, serviceName, sessionType, jsonText(policyFailures)]);
    },
    async ofIdentity(identityId) {
      const rows = await db.many(FAILED_REQUESTS, [identityId]);
      return rows;
    },
  };
}
