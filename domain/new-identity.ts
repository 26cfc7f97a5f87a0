/** An identity of which no more is said than this: it has no rights but those of its role attributes. */
import { defaultAuthPolicy } from './auth/auth-policy.js';
import type { IdentityDraft } from './model.js';

export function newIdentity(said: Pick<IdentityDraft, 'name'> & Partial<IdentityDraft>): IdentityDraft {
  return {
    typeId: 'Default',
    isAdmin: false,
    externalId: null,
    authPolicyId: defaultAuthPolicy.id,
    roleAttributes: [],
    permissions: [],
    appData: {},
    defaultHostingCost: 0,
    defaultHostingPrecedence: 'default',
    hostings: [],
    tags: {},
    ...said,
  };
}
