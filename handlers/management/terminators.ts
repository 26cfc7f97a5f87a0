/** Terminators: where traffic for a service leaves the network. */
import type { TerminatorDraft } from '../../domain/model.js';
import { created, keptListOf, noData, ok, pageOf } from '../handler.js';
import type { Handler } from '../handler.js';
import { given, givenTags, tagsFrom } from '../fields.js';
import { TERMINATOR, toTerminatorDetail } from '../forms/terminator-model.js';
import { changeTerminator, makeTerminator } from '../terminator-changes.js';

/** GET /terminators. */
export const listTerminators: Handler<'management', 'listTerminators'> = async ({ query }, { stores, elementCache }) =>
  keptListOf(await stores.terminators.list(query), TERMINATOR, elementCache);

/** POST /terminators. Fails: `notFound` (service, router), `invalidField` for one too many of a service. */
export const createTerminator: Handler<'management', 'createTerminator'> = async ({ body }, { stores, newId }) => {
  const id = newId();
  const draft: TerminatorDraft = {
    serviceId: body.service,
    routerId: body.router,
    binding: body.binding,
    address: body.address,
    hostId: '',
    instanceId: body.identity ?? '',
    instanceSecret:
      body.identitySecret == null || body.identitySecret === '' ? null : Buffer.from(body.identitySecret, 'base64'),
    cost: body.cost ?? 0,
    precedence: body.precedence ?? 'default',
    tags: tagsFrom(body.tags),
  };
  await makeTerminator(id, draft, stores.terminators);
  return created('terminators', id);
};

/** GET /terminators/{id}. Fails: `notFound`. */
export const detailTerminator: Handler<'management', 'detailTerminator'> = async ({ params }, { stores }) =>
  ok(toTerminatorDetail(await stores.terminators.get(params.id)));

/**
 * PUT /terminators/{id}. What identifies the hosting instance stays: it is settled at creation. Fails: `notFound` (also
 * service, router), `invalidField` for one too many where it would move.
 */
export const updateTerminator: Handler<'management', 'updateTerminator'> = async ({ params, body }, { stores }) => {
  await changeTerminator(
    params.id,
    {
      serviceId: body.service,
      routerId: body.router,
      binding: body.binding,
      address: body.address,
      cost: body.cost ?? 0,
      precedence: body.precedence ?? 'default',
      tags: tagsFrom(body.tags),
    },
    stores,
  );
  return noData();
};

/** PATCH /terminators/{id}. Fails: as PUT. */
export const patchTerminator: Handler<'management', 'patchTerminator'> = async ({ params, body }, { stores }) => {
  await changeTerminator(
    params.id,
    {
      serviceId: given(body.service),
      routerId: given(body.router),
      binding: given(body.binding),
      address: given(body.address),
      cost: given(body.cost),
      precedence: given(body.precedence),
      tags: givenTags(body.tags),
    },
    stores,
  );
  return noData();
};

/** DELETE /terminators/{id}. */
export const deleteTerminator: Handler<'management', 'deleteTerminator'> = async ({ params }, { stores }) => {
  await stores.terminators.remove(params.id);
  return noData();
};

/** GET /services/{id}/terminators. Fails: `notFound`. */
export const listServiceTerminators: Handler<'management', 'listServiceTerminators'> = async (
  { params, query },
  { stores, elementCache },
) => {
  const page = await pageOf(stores.terminators.list({ ...query, ofService: params.id }), () =>
    stores.services.selectable(params.id),
  );
  return keptListOf(page, TERMINATOR, elementCache);
};
