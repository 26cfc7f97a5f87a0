/** Checks of the network in its database: its key, its certificates, and the time. */
import type { LockWaits } from '../../db/stores/network-overview.js';
import type { NetworkRecord, PkiPurpose, PkiRecord } from '../../db/stores/network.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import { failed, passed, warning } from './finding.js';
import type { Finding } from './finding.js';

/** Whether the key at hand is that of the network. */
export function examineKey({ masterKeyCheck }: NetworkRecord, keyRing: KeyRing): Finding {
  switch (keyRing.matches(masterKeyCheck)) {
    case 'current':
      return passed('master key', 'The master key is that of the network.');
    case 'old':
      return warning(
        'master key',
        'The network is still sealed under a key of EDGE_OLD_MASTER_KEYS.',
        'Start the controller, which seals it again under the present one.',
      );
    case 'none':
      return failed(
        'master key',
        'The master key is not the one that this database was made with, so its keys cannot be opened.',
        'Set EDGE_MASTER_KEY (or EDGE_MASTER_KEY_FILE, or master.key in the data directory) to the key that ' +
          'this network was last started with.',
      );
  }
}

const DAY_MS = 86_400_000;
const SOON_MS = 30 * DAY_MS;
const day = (at: Date): string => at.toISOString().slice(0, 10);

/** Checks the newest certificate of each kind: the root, the intermediate that signs, and the server certificate. */
export function examineCertificates(records: readonly PkiRecord[], now = new Date()): Finding[] {
  return (['root', 'intermediate', 'server'] as const).map((purpose) => {
    const newest = records.filter((record) => record.purpose === purpose).at(-1);
    return newest === undefined
      ? failed('certificates', `The ${purpose} certificate is not in the database.`, 'Restore a backup.')
      : examineCertificate(purpose, newest, now);
  });
}

function examineCertificate(purpose: PkiPurpose, { notBefore, notAfter }: PkiRecord, now: Date): Finding {
  const name = `The ${purpose} certificate`;
  const renew =
    purpose === 'root'
      ? 'Correct the clock if it is wrong. Else the network is at its end: start over with an empty database.'
      : `Start the controller, which renews it, or run \`edge-controller renew ${purpose}\`.`;
  if (now >= notAfter) return failed('certificates', `${name} ended on ${day(notAfter)}.`, renew);
  if (now < notBefore)
    return failed('certificates', `${name} begins on ${notBefore.toISOString()} only.`, `Look at the clock. ${renew}`);
  if (notAfter.getTime() - now.getTime() < SOON_MS)
    return warning('certificates', `${name} ends on ${day(notAfter)}.`, renew);
  return passed('certificates', `${name} is good until ${day(notAfter)}.`);
}

const WARN_MS = 2_000;
const FAULT_MS = 30_000;

/** This machine's clock against that of the database, which decides about sessions. */
export async function examineClock(clockMs: () => Promise<number>): Promise<Finding> {
  const before = Date.now();
  const at = await clockMs();
  const after = Date.now();
  // Differences below the time that the question took cannot be seen.
  const apart = Math.round(at < before ? before - at : Math.max(0, at - after));
  const message = `This clock and that of the database are ${(apart / 1000).toFixed(1)} s apart`;
  const fix = 'Keep both machines in time with NTP (timedatectl status).';
  if (apart >= FAULT_MS) return failed('clock', `${message}.`, fix);
  return apart >= WARN_MS ? warning('clock', `${message}.`, fix) : passed('clock', `${message}.`);
}

/** Statements that wait for a lock which somebody holds for too long. */
export function examineWaits(found: LockWaits | undefined): Finding {
  if (found === undefined) return passed('locks', 'No statement waits for a lock of the database.');
  return warning(
    'locks',
    `${found.waiting} statements have waited for more than 2 s for what process ${found.pid} of PostgreSQL holds.`,
    `See what it does in pg_stat_activity; to end it: SELECT pg_terminate_backend(${found.pid});`,
  );
}
