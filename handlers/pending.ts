/**
 * Operations that are not built yet. They check session and permission like any other and then answer 501. This list
 * only shrinks: the binder refuses an entry that has a handler, and an operation that has neither.
 */
import type { Api } from '../generated/operation.js';
import type { OperationId } from '../generated/operations.js';

export const pending = {
  client: ['enrollmentChallenge'],
  fabric: [],
  management: [],
  oidc: [],
} as const satisfies { readonly [A in Api]: readonly OperationId<A>[] };
