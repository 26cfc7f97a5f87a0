/** Identity types: fixed at first start, only read. */
import type { IdentityType, LazyRow, Page } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { text } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';

/** Open to every session, so it offers only what its items show. */
export const identityType = entity<IdentityType>(
  'identity_types',
  { name: text().unique() },
  { name: 'identityType', isOpen: true },
);

export interface IdentityTypeStore {
  get(id: string): Promise<IdentityType>;
  list(request: ListRequest): Promise<Page<LazyRow<IdentityType>>>;
}

export function identityTypeStore(db: Db, lists: Lists): IdentityTypeStore {
  return {
    get: (id) => identityType.get(db, id),
    list: (request) => lists.unread(db, identityType.source, request),
  };
}
