/** Services of all APIs, as the fabric knows them. */
import type { FabricService } from '../../domain/fabric/service.js';
import type * as Response from '../../generated/fabric-api/response.js';
import { created, listOf, noData, ok, pageOf } from '../handler.js';
import type { Handler } from '../handler.js';
import { baseFields, givenName, givenTags, requireName, tagsFrom } from '../fields.js';
import { idleTimeFrom, strategyFrom } from '../access/service-views.js';
import { linksAt } from './links-at.js';
import { toFabricTerminator } from './terminator-form.js';

const toServiceDetail = (service: FabricService): Response.ServiceDetail => ({
  maxIdleTimeMillis: service.maxIdleTimeMillis,
  name: service.name,
  terminatorStrategy: service.terminatorStrategy,
  ...baseFields(service, linksAt('services', service.id)),
});

/** GET /services. */
export const listServices: Handler<'fabric', 'listServices'> = async ({ query }, { stores }) =>
  listOf(await stores.fabricServices.list(query), toServiceDetail);

/** POST /services: one that no other API shows. Fails: `duplicate` (name), `notFound` (strategy). */
export const createService: Handler<'fabric', 'createService'> = async ({ body }, { stores, newId }) => {
  const id = newId();
  await stores.fabricServices.create(id, serviceFrom(body));
  return created('services', id);
};

/** GET /services/{id}. Fails: `notFound`. */
export const detailService: Handler<'fabric', 'detailService'> = async ({ params }, { stores }) =>
  ok(toServiceDetail(await stores.fabricServices.get(params.id)));

/** PUT /services/{id}: what the fabric does not know of it stays. Fails: `notFound` (also strategy), `duplicate`. */
export const updateService: Handler<'fabric', 'updateService'> = async ({ params, body }, { stores }) => {
  await stores.fabricServices.update(params.id, serviceFrom(body));
  return noData();
};

/** PATCH /services/{id}. Fails: as PUT. */
export const patchService: Handler<'fabric', 'patchService'> = async ({ params, body }, { stores }) => {
  await stores.fabricServices.update(params.id, {
    name: givenName(body.name),
    maxIdleTimeMillis: idleTimeFrom(body.maxIdleTimeMillis),
    terminatorStrategy: strategyFrom(body.terminatorStrategy),
    tags: givenTags(body.tags),
  });
  return noData();
};

/** DELETE /services/{id}. Fails: `notFound`. */
export const deleteService: Handler<'fabric', 'deleteService'> = async ({ params }, { stores }) => {
  await stores.fabricServices.remove(params.id);
  return noData();
};

/** GET /services/{id}/terminators. Fails: `notFound`. */
export const listServiceTerminators: Handler<'fabric', 'listServiceTerminators'> = async (
  { params, query },
  { stores },
) => {
  const page = await pageOf(stores.fabricTerminators.list({ ...query, ofService: params.id }), () =>
    stores.fabricServices.get(params.id),
  );
  return listOf(page, toFabricTerminator);
};

const serviceFrom = (body: {
  readonly name: string;
  readonly maxIdleTimeMillis?: number | null;
  readonly terminatorStrategy?: string | null;
  readonly tags?: Readonly<Record<string, unknown>> | null;
}) => ({
  name: requireName(body.name),
  maxIdleTimeMillis: idleTimeFrom(body.maxIdleTimeMillis) ?? 0,
  terminatorStrategy: strategyFrom(body.terminatorStrategy) ?? ('smartrouting' as const),
  tags: tagsFrom(body.tags),
});
