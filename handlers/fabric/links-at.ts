/** Links of the answers of this API. */
import type { NamedRef } from '../../domain/model.js';
import type { Links } from '../reply.js';

/** Collections whose entities have terminators. */
const WITH_TERMINATORS = new Set(['routers', 'services']);

/** `self`, and the nested list that entities of this collection have. */
export function linksAt(collection: string, id: string): Links {
  const self = `./${collection}/${id}`;
  const links = { self: { href: self } };
  return WITH_TERMINATORS.has(collection) ? { ...links, terminators: { href: `${self}/terminators` } } : links;
}

export const refAt = (collection: string, { id, name }: NamedRef) => ({
  _links: linksAt(collection, id),
  entity: collection,
  id,
  name,
});
