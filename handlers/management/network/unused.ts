/** Identities and services that nobody uses. */
import type { UnusedIdentity, UnusedService } from '../../../db/stores/unused-view.js';
import type * as Response from '../../../generated/management/response.js';
import { isoTime, isoTimeOrNull } from '../../fields.js';
import { listOf } from '../../handler.js';
import type { Handler } from '../../handler.js';

/** Default, as the document has it. */
const DAYS = 90;

/** GET /network/unused/identities. */
export const listUnusedIdentities: Handler<'management', 'listUnusedIdentities'> = async (
  { query: { days = DAYS, ...list }, caller },
  { stores },
) => listOf(await stores.unused.identities({ ...list, reader: caller }, days), toUnusedIdentity);

/** GET /network/unused/services. */
export const listUnusedServices: Handler<'management', 'listUnusedServices'> = async (
  { query: { days = DAYS, ...list }, caller },
  { stores },
) => listOf(await stores.unused.services({ ...list, reader: caller }, days), toUnusedService);

const timesOf = ({
  createdAt,
  lastUsedAt,
  unusedSince,
}: Pick<UnusedIdentity, 'createdAt' | 'lastUsedAt' | 'unusedSince'>) => ({
  createdAt: isoTime(createdAt),
  lastUsedAt: isoTimeOrNull(lastUsedAt),
  unusedSince: isoTime(unusedSince),
});

const toUnusedIdentity = (found: UnusedIdentity): Response.UnusedIdentity => ({
  id: found.id,
  name: found.name,
  disabled: found.isDisabled,
  roleAttributes: [...found.roleAttributes],
  ...timesOf(found),
});

const toUnusedService = (found: UnusedService): Response.UnusedService => ({
  id: found.id,
  name: found.name,
  roleAttributes: [...found.roleAttributes],
  terminators: found.terminators,
  ...timesOf(found),
});
