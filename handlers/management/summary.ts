/** How much there is of everything. Administrators only. */
import type * as Response from '../../generated/management/response.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';

/** Key of the answer to the kind that is counted; null for what this controller never has. */
const KINDS = {
  apiSessionCertificates: 'api_session_certificates',
  apiSessions: 'api_sessions',
  authPolicies: 'auth_policies',
  authenticators: 'authenticators',
  cas: 'cas',
  configTypes: 'config_types',
  configs: 'configs',
  controllers: 'controllers',
  edgeRouterPolicies: 'edge_router_policies',
  enrollments: 'enrollments',
  eventualEvents: null,
  externalJwtSigners: 'external_jwt_signers',
  identities: 'identities',
  identityTypes: 'identity_types',
  mfas: 'mfas',
  postureCheckTypes: 'posture_check_types',
  postureChecks: 'posture_checks',
  revocations: 'revocations',
  routers: 'routers',
  'routers.edge': 'edge_routers',
  serviceEdgeRouterPolicies: 'service_edge_router_policies',
  servicePolicies: 'service_policies',
  services: 'services',
  'services.edge': 'services',
  sessions: 'sessions',
  terminators: 'terminators',
} as const;

/** GET /summary. */
export const listSummary: Handler<'management', 'listSummary'> = async (_input, { stores }) => {
  const counts = await stores.summary.counts();
  const data: Response.ListSummaryCounts = Object.fromEntries(
    Object.entries(KINDS).map(([key, kind]) => [key, kind === null ? 0 : (counts.get(kind) ?? 0)]),
  );
  return ok(data);
};
