/** Explanations of access as both APIs answer them. */
import type { Explanation } from '../../domain/explain/explanation.js';
import type * as Response from '../../generated/client/response.js';

export function toAccessExplanation(explanation: Explanation): Response.AccessExplanation {
  const { identity, service, type, outcome, cause, verdict, remedy, links } = explanation;
  return {
    cause,
    identityId: identity.id,
    links: links.map(({ step, state, finding, items }) => ({ step, state, finding, items: [...items] })),
    outcome,
    remedy,
    serviceId: service.id,
    type,
    verdict,
  };
}
