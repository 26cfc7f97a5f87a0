/** An identity that enrolls by itself: it has no rights but those of its role attributes. */
import type { IdentityDraft } from '../../domain/model.js';

export type Newcomer = Pick<IdentityDraft, 'name' | 'externalId' | 'authPolicyId' | 'roleAttributes'>;

export function newIdentity(newcomer: Newcomer): IdentityDraft {
  return {
    ...newcomer,
    typeId: 'Default',
    isAdmin: false,
    permissions: [],
    appData: {},
    defaultHostingCost: 0,
    defaultHostingPrecedence: 'default',
    hostings: [],
    tags: {},
  };
}
