/**
 * Operations whose long reads standbys may answer: lists of the model, explanations and the audit, which decide
 * nothing. Not among them: sessions, logins, authenticators, enrollments, revocations and what else says who may do
 * what; lists that are kept by an epoch, since epochs are read from the primary; and what clients see.
 */
import type { OperationSpec } from '../../generated/operation.js';
import type { OperationId } from '../../generated/operations.js';

const OPERATIONS: ReadonlySet<string> = new Set<OperationId<'management'>>([
  'explainIdentityAccess',
  'listAudit',
  'listConfigServices',
  'listConfigTypes',
  'listConfigs',
  'listConfigsForConfigType',
  'listEdgeRouterEdgeRouterPolicies',
  'listEdgeRouterIdentities',
  'listEdgeRouterPolicies',
  'listEdgeRouterPolicyEdgeRouters',
  'listEdgeRouterPolicyIdentities',
  'listEdgeRouterServiceEdgeRouterPolicies',
  'listEdgeRouterServices',
  'listEdgeRouters',
  'listIdentities',
  'listIdentityEdgeRouters',
  'listIdentityServicePolicies',
  'listIdentityServices',
  'listIdentitysEdgeRouterPolicies',
  'listPostureChecks',
  'listRouters',
  'listServiceConfig',
  'listServiceEdgeRouterPolicies',
  'listServiceEdgeRouterPolicyEdgeRouters',
  'listServiceEdgeRouterPolicyServices',
  'listServiceEdgeRouters',
  'listServiceIdentities',
  'listServicePolicies',
  'listServicePolicyIdentities',
  'listServicePolicyPostureChecks',
  'listServicePolicyServices',
  'listServiceServiceEdgeRouterPolicies',
  'listServiceServicePolicies',
  'listServiceTerminators',
  'listServices',
  'listTerminators',
  'listTransitRouters',
]);

export const mayReadReplicas = ({ api, operationId }: OperationSpec): boolean =>
  api === 'management' && OPERATIONS.has(operationId);
