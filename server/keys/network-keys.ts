/**
 * The network's keys and certificates over time: opened from the database under the master key, and renewed while
 * controllers run. The server key stays for the life of the network; each intermediate has a key of its own.
 * Call every function in a transaction that holds `lockStart`.
 */
import { isSignedBy, issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { keyPairOf, newKeyPair } from '../../domain/pki/keys.js';
import { isOfFirstForm } from '../../domain/pki/master-key.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import { coversNames, parseHostPort, serverNames } from '../../domain/pki/server-name.js';
import { controllerUri } from '../../domain/pki/spiffe.js';
import type { PkiRecord } from '../../db/stores/network.js';
import type { StoreSet } from '../../db/stores/stores.js';
import { sealedAgain } from '../../handlers/login/second-factor.js';
import { webhookContext } from '../../domain/webhooks/secret-context.js';
import { routersReach } from '../settings/control-settings.js';
import { openAuthority, renewAuthority } from './authority-keys.js';
import { resealSecrets } from './network-secrets.js';
import type { Authority } from './pki.js';
import { contextOfKey, firstContextOf, usedNow, isDue, LEAD_MS, opened, sealed } from './pki-records.js';
import type { KeyContext, SigningEntity } from './pki-records.js';

/** The key that serves TLS and signs JWTs, with its certificate of now. */
export interface ServerEntity extends SigningEntity {
  /** The same key, with the certificate that names it in JWTs: one that routers have been told of. */
  readonly named: SigningEntity;
  /** Fingerprints of other certificates of the key, newest first: JWTs name them, or will. */
  readonly otherFingerprints: readonly string[];
}

/** Keys that a controller uses. */
export interface NetworkKeys {
  readonly authority: Authority;
  readonly server: ServerEntity;
  /** Milliseconds until the next of them comes into use; undefined when all are. */
  readonly changesInMs: number | undefined;
}

const OTHER_PRINTS = 20;
/** Enrollments that are sealed again at a time. */
const MFA_BATCH = 500;

/** Certificates that may be renewed before they are due. */
export type Renewable = 'server' | 'intermediate' | 'root';

/**
 * The keys to use now. What is due is renewed first: an intermediate after two thirds of its life; a server certificate
 * likewise, or when it lacks a name of a controller that is there, or when another intermediate signs; and either when
 * it is not yet valid.
 * @param early  renew this even if it is not due
 * @throws ConfigError when the authority is missing, or not valid by the clock, or a key does not open
 */
export async function currentKeys(tx: StoreSet, context: KeyContext, early?: Renewable): Promise<NetworkKeys> {
  const { keyRing } = context;
  const kept = await renewAuthority(tx, context, await tx.network.allPki(), early === 'server' ? undefined : early);
  const { issuer, authority } = openAuthority(kept, keyRing);
  const renewed = await renewServer(tx, context, issuer, serversOf(kept)[0], early === 'server');
  const records = renewed === undefined ? kept : [...kept, renewed];
  const coming = records.map(({ usedInMs }) => usedInMs).filter((ms) => ms > 0);
  return {
    server: serverOf(records, keyRing),
    authority,
    changesInMs: coming.length === 0 ? undefined : Math.min(...coming),
  };
}

const serversOf = (records: readonly PkiRecord[]) => records.filter(({ purpose }) => purpose === 'server').reverse();

function serverOf(records: readonly PkiRecord[], keyRing: KeyRing): ServerEntity {
  const servers = serversOf(records);
  const named = usedNow(servers);
  const others = servers.map(({ fingerprint }) => fingerprint).filter((print) => print !== named.fingerprint);
  return {
    ...opened(servers[0] as PkiRecord, keyRing),
    named: opened(named, keyRing),
    otherFingerprints: others.slice(0, OTHER_PRINTS),
  };
}

/** Reissues the server certificate when it is due, lacks a name, or another intermediate signs by now. */
async function renewServer(
  tx: StoreSet,
  { config, keyRing, trustDomain, controllerId, log }: KeyContext,
  issuer: SigningEntity,
  last: PkiRecord | undefined,
  isEarly: boolean,
): Promise<PkiRecord | undefined> {
  const now = new Date();
  const { advertise, controlListen, listen } = config;
  const own = serverNames({ advertise, others: [...config.tlsNames, hostOf(routersReach(config))] });
  // All controllers show this certificate: each asks for the names of all, so that none takes away another one's.
  const others = await tx.network.nameServer([...own.dns, ...own.ip]);
  const required = serverNames({ advertise, others });
  const isGood =
    last !== undefined &&
    coversNames(last.certPem, required) &&
    isSignedBy(last.certPem, issuer.certPem) &&
    !isDue(last, log);
  if (isGood && !isEarly) return undefined;
  const keys = last === undefined ? await newKeyPair(config.tlsKey) : keyPairOf(opened(last, keyRing).privateKeyPem);
  const issued = await issueServerCertificate(openIssuer(issuer), {
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
  const generation = (last?.generation ?? 0) + 1;
  const usedInMs = last === undefined ? 0 : LEAD_MS;
  const record = sealed('server', generation, issued, { keys, keyRing, usedInMs });
  await tx.network.addPki(record);
  await tx.issuedCertificates.add([
    { ...issued, kind: 'server', subjectId: controllerId, issuerFingerprint: issuer.fingerprint },
  ]);
  if (last !== undefined) {
    await tx.network.setAdvertise(config.advertise);
    await tx.network.tellPkiChanged();
    log.info({ advertise: config.advertise, notAfter: issued.notAfter }, 'server certificate reissued');
  }
  return record;
}

const hostOf = (address: string): string => parseHostPort(address).host;

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
