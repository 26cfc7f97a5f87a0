/** Terminators that administrators make and change, within the bounds of how many there may be. */
import { DomainError } from '../domain/errors.js';
import { MOST_MADE_BY_HAND } from '../domain/fabric/terminator.js';
import type { TerminatorDraft } from '../domain/model.js';
import type { Changes } from '../db/query/table.js';
import type { StoreSet } from '../db/stores/stores.js';
import type { TerminatorEnd } from '../db/stores/terminators.js';

/** @throws DomainError `notFound` (service, router), `invalidField` for one too many of a service */
export async function makeTerminator(
  id: string,
  draft: TerminatorDraft,
  terminators: Pick<StoreSet['terminators'], 'create'>,
): Promise<void> {
  if (!(await terminators.create(id, draft)))
    throw isFull('service', draft.serviceId, `${MOST_MADE_BY_HAND} terminators made over this API, as many as`);
}

/** @throws DomainError `notFound` (also service, router), `invalidField` for one too many where it would move */
export async function changeTerminator(
  id: string,
  changes: Changes<TerminatorDraft>,
  { terminators }: Pick<StoreSet, 'terminators'>,
) {
  const { serviceId, routerId } = changes;
  const mayStay = serviceId !== undefined && routerId !== undefined;
  if (mayStay && (await terminators.updateInPlace(id, { ...changes, serviceId, routerId }))) return;
  const full = await terminators.fullEnd(id, changes);
  const to = { service: changes.serviceId, router: changes.routerId };
  if (full !== undefined) throw isFull(full, to[full] ?? '', 'as many terminators of this kind as');
  await terminators.update(id, changes);
}

const isFull = (end: TerminatorEnd, id: string, most: string): DomainError =>
  new DomainError('invalidField', {
    field: { field: end, reason: `it has ${most} it may have; delete some`, value: id },
  });
