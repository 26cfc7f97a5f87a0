/** The certificate authority of the network over time: which intermediate signs, which are trusted. */
import {
  createCrossCertificate,
  createIntermediateCa,
  createRootCa,
  isNotYetValid,
  isSignedBy,
  openIssuer,
} from '../../domain/pki/authority.js';
import { newKeyPair } from '../../domain/pki/keys.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import type { PkiPurpose, PkiRecord } from '../../db/stores/network.js';
import type { StoreSet } from '../../db/stores/stores.js';
import { ConfigError } from '../settings/config.js';
import type { Authority } from './pki.js';
import { usedNow, isDue, LEAD_MS, opened, sealed } from './pki-records.js';
import type { KeyContext, SigningEntity } from './pki-records.js';

export const ROOT_NAME = 'Edge Controller Root CA';
export const INTERMEDIATE_NAME = 'Edge Controller Intermediate CA';

/** Nothing that a root signs is valid when the root itself is not, and no controller can renew it. */
function checkRoot({ notBefore, notAfter, certPem }: PkiRecord, now: Date): void {
  const clock = `the clock of this machine says ${now.toISOString()}. Correct the clock if it is wrong.`;
  const startOver =
    'start over with an empty database (of the embedded one: move master.key and postgres out of the data ' +
    'directory), and enroll again';
  if (now >= notAfter)
    throw new ConfigError(
      `The root certificate of this network ended on ${notAfter.toISOString()}, and ${clock} If it is right, ` +
        `the network is at its end: ${startOver}.`,
    );
  if (isNotYetValid(certPem, now)) {
    throw new ConfigError(
      `The root certificate of this network begins on ${notBefore.toISOString()} only, but ${clock} If it is right, ` +
        `it was ahead when the network was made: ${startOver}.`,
    );
  }
}

const newestFirst = (records: readonly PkiRecord[], purpose: PkiPurpose) =>
  records.filter((record) => record.purpose === purpose).reverse();

/** The newest root signs; those before it are trusted until they are retired or end. */
const rootsInForce = (records: readonly PkiRecord[]): PkiRecord[] =>
  newestFirst(records, 'root').filter(
    ({ retiredAt, notAfter }, index) => index === 0 || (retiredAt === null && notAfter > new Date()),
  );

const rootOf = ({ certPem }: PkiRecord, roots: readonly PkiRecord[]): number =>
  roots.findIndex((root) => isSignedBy(certPem, root.certPem));

/**
 * Renews the intermediate when it is due, or below a new root. The new one is trusted at once, and signs when all
 * controllers and routers have been told of it.
 * @param early  make this again even if it is not due
 * @returns all records
 * @throws ConfigError when the authority is missing, or not valid by the clock, or a key does not open
 */
export async function renewAuthority(
  tx: StoreSet,
  context: KeyContext,
  records: readonly PkiRecord[],
  early: 'root' | 'intermediate' | undefined,
): Promise<readonly PkiRecord[]> {
  const [root] = newestFirst(records, 'root');
  const intermediates = newestFirst(records, 'intermediate');
  const [newest] = intermediates;
  if (root === undefined || newest === undefined)
    throw new ConfigError('The database has a network without its certificate authority: restore it from a backup.');
  checkRoot(root, new Date());
  opened(root, context.keyRing); // often not needed now, but a fault is better found at a start than years later
  if (early === undefined && !isDue(newest, context.log)) return records;
  const usedInMs = isUsable(usedNow(intermediates)) ? LEAD_MS : 0;
  const made = early === 'root' ? [await makeRoot(tx, context, root)] : [];
  const [signing = root] = made;
  return [...records, ...made, await renewIntermediate(tx, context, signing, { last: newest, usedInMs })];
}

/** Opens the authority as it is now. @returns also the intermediate that signs */
export function openAuthority(
  records: readonly PkiRecord[],
  keyRing: KeyRing,
): { readonly authority: Authority; readonly issuer: SigningEntity } {
  const roots = rootsInForce(records);
  const intermediates = newestFirst(records, 'intermediate');
  const record = usedNow(intermediates);
  const issuer = opened(record, keyRing);
  const others = intermediates.filter(
    (other) => other !== record && other.notAfter.getTime() > Date.now() && rootOf(other, roots) >= 0,
  );
  return {
    issuer,
    authority: {
      rootPems: roots.map(({ certPem }) => certPem),
      // Cross-certificates from the root that signed the issuer down to the oldest that a client may know alone.
      crossPems: roots.slice(Math.max(0, rootOf(record, roots)), -1).map(({ crossPem }) => crossPem),
      intermediatePems: [record, ...others].map(({ certPem }) => certPem),
      intermediateKeyPem: issuer.privateKeyPem,
    },
  };
}

/**
 * Trusts the roots before the newest no more.
 * @param isForced  also while certificates below them let somebody in
 * @returns how many certificates that are in use are refused from now on
 * @throws ConfigError when there is nothing to retire, or too early
 */
export async function retireRoots(tx: StoreSet, isForced: boolean): Promise<number> {
  const records = await tx.network.allPki();
  const [newest, ...before] = rootsInForce(records);
  if (newest === undefined || before.length === 0)
    throw new ConfigError('There is one root only: `edge-controller renew root` makes another one.');
  const intermediates = newestFirst(records, 'intermediate');
  if (rootOf(usedNow(intermediates), [newest]) < 0)
    throw new ConfigError('The new root does not sign yet. Try again in a few seconds.');
  const old = intermediates.filter((record) => rootOf(record, [newest]) < 0);
  const count = await tx.issuedCertificates.countInUse(old.map(({ fingerprint }) => fingerprint));
  if (count > 0 && !isForced)
    throw new ConfigError(
      `${count} certificates of identities, routers or API sessions are still below an earlier root. Their owners ` +
        'exchange them for new ones as these end; --force refuses them from now on, and their owners enroll again.',
    );
  await tx.network.retireRootsBefore(newest.generation);
  await tx.network.tellPkiChanged();
  return count;
}

/**
 * Makes a root with a key of its own. Its certificate by the root before leads those who know that one alone to it.
 */
async function makeRoot(tx: StoreSet, { config, keyRing, log }: KeyContext, last: PkiRecord): Promise<PkiRecord> {
  const [keys, generation] = [await newKeyPair(config.tlsKey), last.generation + 1];
  // A name of its own: some programs look for an issuer by its name alone.
  const wanted = { now: new Date(), commonName: `${ROOT_NAME} ${generation}`, keys };
  const root = await createRootCa(wanted);
  const cross = await createCrossCertificate(openIssuer(opened(last, keyRing)), wanted);
  const record = sealed('root', generation, root, { keys, keyRing, crossPem: cross.certPem });
  await tx.network.addPki(record);
  await tx.issuedCertificates.add([
    { ...cross, kind: 'intermediate', subjectId: `root ${generation}`, issuerFingerprint: last.fingerprint },
  ]);
  log.info({ generation, fingerprint: record.fingerprint }, 'there is a new root');
  return record;
}

/** Whether clients accept what it signs now. */
const isUsable = ({ certPem, notAfter }: PkiRecord): boolean => {
  const now = new Date();
  return !isNotYetValid(certPem, now) && notAfter > now;
};

async function renewIntermediate(
  tx: StoreSet,
  { config, keyRing, log }: KeyContext,
  root: PkiRecord,
  { last, usedInMs }: { readonly last: PkiRecord; readonly usedInMs: number },
): Promise<PkiRecord> {
  const keys = await newKeyPair(config.tlsKey);
  const issued = await createIntermediateCa(openIssuer(opened(root, keyRing)), {
    now: new Date(),
    commonName: INTERMEDIATE_NAME,
    keys,
  });
  const record = sealed('intermediate', last.generation + 1, issued, { keys, keyRing, usedInMs });
  await tx.network.addPki(record);
  await tx.issuedCertificates.add([
    { ...issued, kind: 'intermediate', subjectId: 'intermediate', issuerFingerprint: root.fingerprint },
  ]);
  await tx.network.tellPkiChanged();
  const { generation, fingerprint } = record;
  log.info({ generation, fingerprint, usedInMs }, 'there is a new intermediate: routers are told, then it signs');
  return record;
}
