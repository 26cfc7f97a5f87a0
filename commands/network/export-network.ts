/** Reads a network as files have it. */
import type { Json } from '../../domain/model.js';
import type { KindName } from '../../domain/network-files/kind-names.js';
import { contentOf } from '../../domain/network-files/state.js';
import type { NetworkAccess } from './access.js';
import type { ImportOutput } from './import-network.js';
import { readState } from './read-state.js';

/** Returns the content by kind, in the order of dependence; only the kinds that are wanted. */
export async function contentFrom(
  access: Pick<NetworkAccess, 'read'>,
  only: ReadonlySet<KindName> | undefined,
  progress: ImportOutput['progress'],
): Promise<Map<KindName, Json[]>> {
  const isWithIdentities = only === undefined || only.has('identities');
  return contentOf(await access.read((reader) => readState(reader, () => isWithIdentities, progress)), only);
}
