/** Whether what the database keeps sealed opens with the master keys at hand, each as the secret of its own row. */
import type { Seals } from '../../db/stores/integrity-check.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import { openCodes, openSecret } from '../../handlers/login/second-factor.js';
import { webhookContext } from '../../domain/webhooks/secret-context.js';
import { contextOfKey } from './pki-records.js';
import { contextOfSecret } from './network-secrets.js';

export const sealsOf = (keyRing: KeyRing): Seals => ({
  pki: (record) => doesOpen(() => keyRing.open(record.sealedKey, contextOfKey(record))),
  secret: ({ name, sealed }) => doesOpen(() => keyRing.open(sealed, contextOfSecret(name))),
  webhook: ({ id, sealed }) => doesOpen(() => keyRing.open(sealed, webhookContext(id))),
  mfa: (mfa) =>
    doesOpen(() => {
      openSecret(mfa, keyRing);
      openCodes(mfa, keyRing);
    }),
});

function doesOpen(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}
