/**
 * The network's keys and certificates over time: opened from the database under the master key, and renewed while
 * controllers run. Root key and server key stay for the life of the network; each intermediate has a key of its own.
 * Call every function in a transaction that holds `lockStart`.
 */
import {
  createIntermediateCa,
  isDueForRenewal,
  isNotYetValid,
  isSignedBy,
  issueServerCertificate,
  openIssuer,
} from '../../domain/pki/authority.js';
import type { IssuedCertificate } from '../../domain/pki/authority.js';
import { certFingerprint, keyPairOf, newKeyPair } from '../../domain/pki/keys.js';
import type { KeyPair } from '../../domain/pki/keys.js';
import { isOfFirstForm } from '../../domain/pki/master-key.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import { coversNames, parseHostPort, serverNames } from '../../domain/pki/server-name.js';
import { controllerUri } from '../../domain/pki/spiffe.js';
import type { PkiPurpose, PkiRecord } from '../../db/stores/network.js';
import type { StoreSet } from '../../db/stores/stores.js';
import { sealedAgain } from '../../handlers/login/second-factor.js';
import { webhookContext } from '../../domain/webhooks/secret-context.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import { routersReach } from '../settings/control-settings.js';
import type { Logger } from '../base/log.js';
import { resealSecrets } from './network-secrets.js';
import type { Authority } from './pki.js';

export interface SigningEntity {
  readonly certPem: string;
  readonly fingerprint: string;
  readonly privateKeyPem: string;
}

/** The key that serves TLS and signs JWTs, with its certificate of now. */
export interface ServerEntity extends SigningEntity {
  /** Fingerprints of certificates that the key had before, newest first: JWTs signed then name them. */
  readonly earlierFingerprints: readonly string[];
}

/** Keys that a controller uses. */
export interface NetworkKeys {
  readonly authority: Authority;
  readonly server: ServerEntity;
}

const EARLIER_PRINTS = 20;
/** Enrollments that are sealed again at a time. */
const MFA_BATCH = 500;

/** Certificates that may be renewed before they are due. */
export type Renewable = 'server' | 'intermediate';

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

/**
 * The keys to use now. What is due is renewed first: an intermediate after two thirds of its life; a server certificate
 * likewise, or when it lacks an advertised name, or when another intermediate signs; and either when it is not yet
 * valid.
 * @param early  renew this even if it is not due
 * @throws ConfigError when the authority is missing, or not valid by the clock, or a key does not open
 */
export async function currentKeys(tx: StoreSet, context: KeyContext, early?: Renewable): Promise<NetworkKeys> {
  const { keyRing } = context;
  const records = await tx.network.allPki();
  const newestFirst = (purpose: PkiPurpose) => records.filter((record) => record.purpose === purpose).reverse();
  const [root] = newestFirst('root');
  let intermediates = newestFirst('intermediate');
  if (root === undefined || intermediates[0] === undefined) {
    throw new ConfigError('The database has a network without its certificate authority: restore it from a backup.');
  }
  checkRoot(root, new Date());
  if (early === 'intermediate' || isDue(intermediates[0], context.log)) {
    intermediates = [await renewIntermediate(tx, context, root, intermediates[0]), ...intermediates];
  } else {
    opened(root, keyRing); // not needed now, but a fault is better found at a start than years later
  }
  const [issuer] = intermediates as [PkiRecord, ...PkiRecord[]];
  const server = await currentServer(
    tx,
    context,
    opened(issuer, keyRing),
    newestFirst('server')[0],
    early === 'server',
  );
  const inForce = intermediates.filter((record) => record === issuer || record.notAfter.getTime() > Date.now());
  const earlierFingerprints = newestFirst('server')
    .map(({ fingerprint }) => fingerprint)
    .filter((print) => print !== server.fingerprint)
    .slice(0, EARLIER_PRINTS);
  return {
    server: { ...server, earlierFingerprints },
    authority: {
      rootPems: [root.certPem],
      intermediatePems: inForce.map(({ certPem }) => certPem),
      intermediateKeyPem: opened(issuer, keyRing).privateKeyPem,
    },
  };
}

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

function isDue({ purpose, certPem, notBefore, generation }: PkiRecord, log: Logger): boolean {
  const now = new Date();
  if (isDueForRenewal(certPem, now)) return true;
  if (!isNotYetValid(certPem, now)) return false;
  log.warn(
    { purpose, generation, notBefore },
    'a certificate is not yet valid, since it was made while a clock was ahead: it is replaced',
  );
  return true;
}

async function renewIntermediate(
  tx: StoreSet,
  { config, keyRing, log }: KeyContext,
  root: PkiRecord,
  last: PkiRecord,
): Promise<PkiRecord> {
  const keys = await newKeyPair(config.tlsKey);
  const issued = await createIntermediateCa(await openIssuer(opened(root, keyRing)), {
    now: new Date(),
    commonName: INTERMEDIATE_NAME,
    keys,
  });
  const record = sealed('intermediate', last.generation + 1, issued, keys, keyRing);
  await tx.network.addPki(record);
  await tx.issuedCertificates.add([
    { ...issued, kind: 'intermediate', subjectId: 'intermediate', issuerFingerprint: root.fingerprint },
  ]);
  await tx.network.tellPkiChanged();
  log.info({ generation: record.generation, fingerprint: record.fingerprint }, 'a new intermediate signs from now on');
  return record;
}

async function currentServer(
  tx: StoreSet,
  { config, keyRing, trustDomain, controllerId, log }: KeyContext,
  issuer: SigningEntity,
  last: PkiRecord | undefined,
  isEarly: boolean,
): Promise<SigningEntity> {
  const now = new Date();
  const { advertise, controlListen, listen } = config;
  const others = [...config.tlsNames, hostOf(routersReach(config))];
  const required = serverNames({ advertise, others });
  const isGood =
    last !== undefined &&
    coversNames(last.certPem, required) &&
    isSignedBy(last.certPem, issuer.certPem) &&
    !isDue(last, log);
  if (isGood && !isEarly) return opened(last, keyRing);
  const keys = last === undefined ? await newKeyPair(config.tlsKey) : keyPairOf(opened(last, keyRing).privateKeyPem);
  const issued = await issueServerCertificate(await openIssuer(issuer), {
    now,
    commonName: config.name.slice(0, 64),
    keys,
    uri: controllerUri(trustDomain, controllerId),
    names: serverNames({
      advertise,
      listen,
      others: [...others, ...(controlListen === null ? [] : [hostOf(controlListen)])],
    }),
  });
  await tx.network.addPki(sealed('server', (last?.generation ?? 0) + 1, issued, keys, keyRing));
  await tx.issuedCertificates.add([
    { ...issued, kind: 'server', subjectId: controllerId, issuerFingerprint: issuer.fingerprint },
  ]);
  if (last !== undefined) {
    await tx.network.setAdvertise(config.advertise);
    await tx.network.tellPkiChanged();
    log.info({ advertise: config.advertise, notAfter: issued.notAfter }, 'server certificate reissued');
  }
  return { certPem: issued.certPem, fingerprint: issued.fingerprint, privateKeyPem: keys.privateKeyPem };
}

const hostOf = (address: string): string => parseHostPort(address).host;

export const INTERMEDIATE_NAME = 'Edge Controller Intermediate CA';

type PkiRow = Pick<PkiRecord, 'purpose' | 'generation'>;

/** Each row has a context of its own: a sealed key that was moved to another row does not open. */
export const contextOfKey = ({ purpose, generation }: PkiRow) => `pki:${purpose}:${generation}`;
/** In databases whose check value is of the first form. */
const firstContextOf = ({ purpose }: PkiRow) => `pki:${purpose}`;

export function sealed(
  purpose: PkiPurpose,
  generation: number,
  { certPem, notBefore, notAfter }: IssuedCertificate,
  keys: Pick<KeyPair, 'privateKeyPem'>,
  keyRing: KeyRing,
): PkiRecord {
  const sealedKey = keyRing.seal(keys.privateKeyPem, contextOfKey({ purpose, generation }));
  return { purpose, generation, certPem, fingerprint: certFingerprint(certPem), notBefore, notAfter, sealedKey };
}

function opened(record: PkiRecord, keyRing: KeyRing, context = contextOfKey(record)): SigningEntity {
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

/**
 * Seals every key under the current master key, each for its own row. The step of a change of the master key: from then
 * on the old one opens nothing that is in use. And of a database of the first form: from then on its contexts open
 * nothing.
 * @param check  the check value of the database until now
 */
export async function resealAll(tx: StoreSet, keyRing: KeyRing, check: string): Promise<void> {
  for (const record of await tx.network.allPki()) {
    const { privateKeyPem } = opened(
      record,
      keyRing,
      isOfFirstForm(check) ? firstContextOf(record) : contextOfKey(record),
    );
    await tx.network.resealPki({
      purpose: record.purpose,
      generation: record.generation,
      sealedKey: keyRing.seal(privateKeyPem, contextOfKey(record)),
    });
  }
  await resealSecrets(tx, keyRing);
  await resealSecondFactors(tx, keyRing);
  await resealWebhooks(tx, keyRing);
  await tx.network.setMasterKeyCheck(keyRing.checkValue());
}

async function resealWebhooks({ webhooks }: Pick<StoreSet, 'webhooks'>, keyRing: KeyRing): Promise<void> {
  for (const { id, sealed: before } of await webhooks.sealed()) {
    const context = webhookContext(id);
    await webhooks.reseal({ id, sealed: keyRing.seal(keyRing.open(before, context), context) });
  }
}

async function resealSecondFactors({ mfas }: Pick<StoreSet, 'mfas'>, keyRing: KeyRing): Promise<void> {
  let batch = await mfas.after('', MFA_BATCH);
  while (batch.length > 0) {
    for (const mfa of batch) await mfas.reseal(sealedAgain(mfa, keyRing));
    batch = await mfas.after(batch.at(-1)?.id ?? '', MFA_BATCH);
  }
}
