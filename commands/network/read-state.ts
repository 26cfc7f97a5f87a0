/** Reads what a network has. */
import type { JsonObject } from '../../domain/model.js';
import { KIND_NAMES } from '../../domain/network-files/kind-names.js';
import { KINDS } from '../../domain/network-files/kinds.js';
import type { ReferenceTarget } from '../../domain/network-files/kind-fields.js';
import { networkState, partOfState } from '../../domain/network-files/state.js';
import type { State } from '../../domain/network-files/state.js';
import type { Reader } from './access.js';
import { asText } from '../../domain/network-files/values.js';

/**
 * @param hasConfigs  of which identities the service configs are wanted
 * @param onList  before each list that is read, with what it is a list of and how much is read
 */
export async function readState(
  reader: Reader,
  hasConfigs: (identity: JsonObject) => boolean,
  onList: (what: string, done: number) => void,
): Promise<State> {
  const lists = new Map<ReferenceTarget, JsonObject[]>();
  const count = () => [...lists.values()].reduce((sum, list) => sum + list.length, 0);
  for (const name of KIND_NAMES) {
    onList(name, count());
    const kind = KINDS[name];
    lists.set(name, await reader.list(kind.operations.list, partOfState(kind)));
  }
  onList('controllers', count());
  lists.set('controllers', await reader.list('listControllers', ({ id = null, name = null }) => ({ id, name })));
  const areThere = (['configs', 'services'] as const).every((name) => (lists.get(name) ?? []).length > 0);
  if (areThere) {
    onList('service configs', count());
    lists.set('identities', await withServiceConfigs(lists.get('identities') ?? [], reader, hasConfigs));
  }
  const details = Object.fromEntries(lists) as Record<ReferenceTarget, JsonObject[]>;
  return networkState(details, { ownId: reader.identityId, isExisting: reader.isExisting?.() === true });
}

async function withServiceConfigs(
  identities: readonly JsonObject[],
  reader: Reader,
  hasConfigs: (identity: JsonObject) => boolean,
): Promise<JsonObject[]> {
  const ids = identities.filter(hasConfigs).map(({ id }) => asText(id));
  const pairs = await reader.serviceConfigs(ids);
  return identities.map((identity) => {
    const own = pairs.get(asText(identity['id']));
    if (own === undefined) return identity;
    return {
      ...identity,
      serviceConfigs: own.map(({ serviceId: service, configId: config }) => ({ service, config })),
    };
  });
}
