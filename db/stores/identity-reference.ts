/** The identity that a row belongs to: tables that have its id join it as `i`. */
import { expression } from '../query/fields.js';

export interface IdentityColumns {
  readonly identityId: string;
  readonly identityName: string;
  readonly authPolicyId: string;
}

export const joinedIdentity = {
  identityName: expression<string>('i.name'),
  authPolicyId: expression<string>('i.auth_policy_id'),
};

export const identityOfRow = ({ identityId, identityName, authPolicyId }: IdentityColumns) => ({
  id: identityId,
  name: identityName,
  authPolicyId,
});
