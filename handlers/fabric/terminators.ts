/** Terminators of the services of all APIs. */
import type { TerminatorDraft } from '../../domain/model.js';
import type { Changes } from '../../db/query/table.js';
import type { StoreSet } from '../../db/stores/stores.js';
import { created, listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { given, givenTags, tagsFrom } from '../fields.js';
import { changeTerminator, makeTerminator } from '../terminator-changes.js';
import { toFabricTerminator } from './terminator-form.js';

/** GET /terminators. */
export const listTerminators: Handler<'fabric', 'listTerminators'> = async ({ query }, { stores }) =>
  listOf(await stores.fabricTerminators.list(query), toFabricTerminator);

/** POST /terminators. Fails: `notFound` (service, router), `invalidField` for one too many of a service. */
export const createTerminator: Handler<'fabric', 'createTerminator'> = async ({ body }, { stores, newId }) => {
  const id = newId();
  const { instanceSecret: secret } = body;
  const isHidden = await stores.fabricServices.isHidden(body.service);
  const draft: TerminatorDraft = {
    serviceId: body.service,
    routerId: body.router,
    binding: body.binding,
    address: body.address,
    hostId: body.hostId ?? '',
    instanceId: body.instanceId ?? '',
    instanceSecret: secret == null || secret === '' ? null : Buffer.from(secret, 'base64'),
    cost: body.cost ?? 0,
    precedence: body.precedence ?? 'default',
    tags: tagsFrom(body.tags),
  };
  await makeTerminator(id, draft, isHidden ? stores.fabricTerminators : stores.terminators);
  return created('terminators', id);
};

/** GET /terminators/{id}. Fails: `notFound`. */
export const detailTerminator: Handler<'fabric', 'detailTerminator'> = async ({ params }, { stores }) =>
  ok(toFabricTerminator(await stores.fabricTerminators.get(params.id)));

/** PUT /terminators/{id}. What identifies the hosting instance stays. Fails: `notFound` (also service, router). */
export const updateTerminator: Handler<'fabric', 'updateTerminator'> = async ({ params, body }, { stores }) => {
  await change(params.id, stores, {
    serviceId: body.service,
    routerId: body.router,
    binding: body.binding,
    address: body.address,
    hostId: body.hostId ?? '',
    cost: body.cost ?? 0,
    precedence: body.precedence ?? 'default',
    tags: tagsFrom(body.tags),
  });
  return noData();
};

/** PATCH /terminators/{id}. Fails: as PUT. */
export const patchTerminator: Handler<'fabric', 'patchTerminator'> = async ({ params, body }, { stores }) => {
  await change(params.id, stores, {
    serviceId: given(body.service),
    routerId: given(body.router),
    binding: given(body.binding),
    address: given(body.address),
    hostId: given(body.hostId),
    cost: given(body.cost),
    precedence: given(body.precedence),
    tags: givenTags(body.tags),
  });
  return noData();
};

/** DELETE /terminators/{id}. Fails: `notFound`. */
export const deleteTerminator: Handler<'fabric', 'deleteTerminator'> = async ({ params }, { stores }) => {
  const isHidden = await stores.fabricTerminators.isHidden(params.id);
  await (isHidden ? stores.fabricTerminators : stores.terminators).remove(params.id);
  return noData();
};

async function change(
  id: string,
  stores: Pick<StoreSet, 'fabricTerminators' | 'terminators'>,
  changes: Changes<TerminatorDraft>,
): Promise<void> {
  if (await stores.fabricTerminators.isHidden(id)) await stores.fabricTerminators.update(id, changes);
  else await changeTerminator(id, changes, stores);
}
