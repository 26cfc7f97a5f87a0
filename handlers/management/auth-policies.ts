/** Auth policies: how identities may log in, and what their passwords must look like. */
import { created, listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { givenName, givenTags } from '../fields.js';
import { requireMayChangePolicy } from '../delegation/delegation.js';
import { authPolicyFrom, settingsWith, toAuthPolicyDetail } from '../forms/auth-policy-model.js';

/** GET /auth-policies. */
export const listAuthPolicies: Handler<'management', 'listAuthPolicies'> = async ({ query }, { stores }) =>
  listOf(await stores.authPolicies.list(query), toAuthPolicyDetail);

/** POST /auth-policies. Fails: `duplicate` (name), `notFound` for a signer that does not exist. */
export const createAuthPolicy: Handler<'management', 'createAuthPolicy'> = async ({ body }, { stores, newId }) => {
  const draft = authPolicyFrom(body);
  const id = newId();
  await stores.transaction((tx) => tx.authPolicies.create(id, draft));
  return created('auth-policies', id);
};

/** GET /auth-policies/{id}. Fails: `notFound`. */
export const detailAuthPolicy: Handler<'management', 'detailAuthPolicy'> = async ({ params }, { stores }) =>
  ok(toAuthPolicyDetail(await stores.authPolicies.get(params.id)));

/**
 * PUT /auth-policies/{id}. Sessions that the policy no longer allows end. Fails: as create, `notFound`,
 * `notUpdatable` when no administrator could log in any more, `unauthenticated` while it is that of an identity above
 * the caller.
 */
export const updateAuthPolicy: Handler<'management', 'updateAuthPolicy'> = async (
  { params, body, caller },
  { stores },
) => {
  const draft = authPolicyFrom(body);
  await stores.transaction((tx) =>
    tx.administrators.keepAny('notUpdatable', async () => {
      await requireMayChangePolicy(caller, params.id, tx);
      await tx.authPolicies.update(params.id, draft);
    }),
  );
  return noData();
};

/** PATCH /auth-policies/{id}. Fails: as PUT. */
export const patchAuthPolicy: Handler<'management', 'patchAuthPolicy'> = async (
  { params, body, caller },
  { stores },
) => {
  const changes = { name: givenName(body.name), tags: givenTags(body.tags) };
  const isOfSettings = body.primary != null || body.secondary != null;
  await stores.transaction(async (tx) => {
    const { administrators, authPolicies } = tx;
    if (!isOfSettings) {
      await requireMayChangePolicy(caller, params.id, tx);
      return authPolicies.update(params.id, changes);
    }
    return administrators.keepAny('notUpdatable', async () => {
      await requireMayChangePolicy(caller, params.id, tx);
      const present = await authPolicies.lockForChange(params.id);
      await authPolicies.update(params.id, { ...changes, ...settingsWith(present, body) });
    });
  });
  return noData();
};

/** DELETE /auth-policies/{id}. Fails: `notFound`, `inUse` while an identity or a signer has it. */
export const deleteAuthPolicy: Handler<'management', 'deleteAuthPolicy'> = async ({ params }, { stores }) => {
  await stores.authPolicies.remove(params.id);
  return noData();
};
