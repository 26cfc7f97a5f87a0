/** The keys and certificates of the network as the database keeps them: sealed, one row for each generation. */
import { isDueForRenewal, isNotYetValid } from '../../domain/pki/authority.js';
import type { IssuedCertificate } from '../../domain/pki/authority.js';
import { certFingerprint } from '../../domain/pki/keys.js';
import type { KeyPair } from '../../domain/pki/keys.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import type { PkiPurpose, PkiRecord } from '../../db/stores/network.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import type { Logger } from '../base/log.js';

/**
 * Time from the commit of a new certificate until something is signed in its name: by then every controller that lives
 * has heard of it, by the announcement or by looking while it hears none, and has told its routers.
 */
export const LEAD_MS = 10_000;

export interface SigningEntity {
  readonly certPem: string;
  readonly fingerprint: string;
  readonly privateKeyPem: string;
}

export interface KeyContext {
  readonly config: Pick<
    Settings,
    'advertise' | 'controlAdvertise' | 'controlListen' | 'tlsNames' | 'listen' | 'name' | 'tlsKey'
  >;
  readonly keyRing: KeyRing;
  readonly trustDomain: string;
  readonly controllerId: string;
  readonly log: Logger;
}

export function isDue({ purpose, certPem, notBefore, generation }: PkiRecord, log: Logger): boolean {
  const now = new Date();
  if (isDueForRenewal(certPem, now)) return true;
  if (!isNotYetValid(certPem, now)) return false;
  log.warn(
    { purpose, generation, notBefore },
    'a certificate is not yet valid, since it was made while a clock was ahead: it is replaced',
  );
  return true;
}

/** The newest that is in use; the oldest when none is. @param newestFirst  of one purpose, at least one */
export const usedNow = (newestFirst: readonly PkiRecord[]): PkiRecord =>
  (newestFirst.find(({ usedInMs }) => usedInMs <= 0) ?? newestFirst.at(-1)) as PkiRecord;

type PkiRow = Pick<PkiRecord, 'purpose' | 'generation'>;

/** Each row has a context of its own: a sealed key that was moved to another row does not open. */
export const contextOfKey = ({ purpose, generation }: PkiRow) => `pki:${purpose}:${generation}`;
/** Context of databases whose check value is of the first form. */
export const firstContextOf = ({ purpose }: PkiRow) => `pki:${purpose}`;

interface Sealing {
  readonly keys: Pick<KeyPair, 'privateKeyPem'>;
  readonly keyRing: KeyRing;
  readonly usedInMs?: number;
  /** Certificate of a root's key by the root before it. */
  readonly crossPem?: string;
}

export function sealed(
  purpose: PkiPurpose,
  generation: number,
  { certPem, notBefore, notAfter }: IssuedCertificate,
  { keys, keyRing, usedInMs = 0, crossPem = '' }: Sealing,
): PkiRecord {
  const sealedKey = keyRing.seal(keys.privateKeyPem, contextOfKey({ purpose, generation }));
  const fingerprint = certFingerprint(certPem);
  const record = { purpose, generation, certPem, fingerprint, notBefore, notAfter, sealedKey };
  return { ...record, usedInMs, crossPem, retiredAt: null };
}

export function opened(record: PkiRecord, keyRing: KeyRing, context = contextOfKey(record)): SigningEntity {
  const { certPem, fingerprint, sealedKey, purpose, generation } = record;
  try {
    return { certPem, fingerprint, privateKeyPem: keyRing.open(sealedKey, context).toString() };
  } catch (cause) {
    throw new ConfigError(
      `The key '${purpose}', generation ${generation}, of this network does not open: ${(cause as Error).message}. ` +
        'Its row of the table pki_entities is not as the controller left it: restore that row from a backup.',
      { cause },
    );
  }
}
