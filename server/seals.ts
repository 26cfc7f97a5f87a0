/** Whether what the database keeps sealed opens with the master keys at hand. */
import type { Seals } from '../db/maintenance/integrity-checks.js';
import type { KeyRing } from '../domain/pki/master-key.js';
import { openCodes, openSecret } from '../handlers/shared/second-factor.js';
import { keyOpens, webhookOpens } from './network-keys.js';
import { secretOpens } from './network-secrets.js';

export function sealsOf(keyRing: KeyRing): Seals {
  return {
    pki: (record) => keyOpens(record, keyRing),
    secret: (secret) => secretOpens(secret, keyRing),
    webhook: (webhook) => webhookOpens(webhook, keyRing),
    mfa: (mfa) => {
      try {
        openSecret(mfa, keyRing);
        openCodes(mfa, keyRing);
        return true;
      } catch {
        return false;
      }
    },
  };
}
