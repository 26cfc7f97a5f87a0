/**
 * Secrets of the network that have no certificate, sealed under the master key: at present the key that the tokens of
 * API sessions are derived with. Call every function in a transaction that holds `lockStart`.
 */
import { newTokenKey } from '../../domain/auth/tokens.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import type { StoreSet } from '../../db/stores/stores.js';
import { ConfigError } from '../settings/config.js';

const TOKEN_KEY = 'api-session-tokens';
export const contextOfSecret = (name: string) => `network-secret:${name}`;

type Networks = Pick<StoreSet, 'network'>;

/**
 * The key for `tokenOf`; made when the network has none yet.
 * @throws ConfigError when it does not open
 */
export async function openTokenKey({ network }: Networks, keyRing: KeyRing): Promise<Buffer> {
  const sealed = await network.findSecret(TOKEN_KEY);
  if (sealed !== undefined) return opened(sealed, keyRing);
  const key = newTokenKey();
  await network.saveSecret(TOKEN_KEY, keyRing.seal(key, contextOfSecret(TOKEN_KEY)));
  return key;
}

/** Seals them again under the current master key. */
export async function resealSecrets({ network }: Networks, keyRing: KeyRing): Promise<void> {
  const sealed = await network.findSecret(TOKEN_KEY);
  if (sealed === undefined) return;
  await network.saveSecret(TOKEN_KEY, keyRing.seal(opened(sealed, keyRing), contextOfSecret(TOKEN_KEY)));
}

function opened(sealed: Buffer, keyRing: KeyRing): Buffer {
  try {
    return keyRing.open(sealed, contextOfSecret(TOKEN_KEY));
  } catch (cause) {
    throw new ConfigError(
      `The key '${TOKEN_KEY}' of this network does not open: ${(cause as Error).message}. Its row of the table ` +
        'network_secrets is not as the controller left it: restore that row from a backup, or delete it; then the ' +
        'next start makes a new key, and every client logs in again.',
      { cause },
    );
  }
}
