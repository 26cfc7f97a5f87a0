/**
 * Objects that a network needs to exist, made at the first start and completed at every later one: keys and
 * certificates, the default administrator, the built-in policy and types. Runs in one transaction behind a lock, so
 * that of two first starts on one database one makes everything and the other finds it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defaultAuthPolicy, defaultAuthPolicySettings } from '../../domain/auth/auth-policy.js';
import type { PasswordHasher } from '../../domain/auth/passwords.js';
import { newId } from '../../domain/auth/tokens.js';
import { builtinConfigTypes } from '../../domain/config/builtin-types.js';
import { newIdentity } from '../../domain/new-identity.js';
import { createIntermediateCa, createRootCa, openIssuer } from '../../domain/pki/authority.js';
import { newKeyPair } from '../../domain/pki/keys.js';
import { createKeyRing, newMasterKey, parseMasterKey } from '../../domain/pki/master-key.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import { newTrustDomain } from '../../domain/pki/spiffe.js';
import { adminPasswordIn, masterKeyIn } from '../../db/embedded/paths.js';
import type { StoreSet, Stores } from '../../db/stores/stores.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import { readSecret, writeSecret } from '../data/data-dir.js';
import type { Logger } from '../base/log.js';
import { INTERMEDIATE_NAME, ROOT_NAME } from './authority-keys.js';
import { currentKeys, resealAll } from './network-keys.js';
import { sealed } from './pki-records.js';
import type { NetworkKeys, Renewable } from './network-keys.js';
import { openTokenKey } from './network-secrets.js';

export interface Network {
  readonly trustDomain: string;
  readonly keys: NetworkKeys;
  readonly keyRing: KeyRing;
  /** Derives the tokens of API sessions. */
  readonly tokenKey: Buffer;
  /** Set when this start made the default administrator with a random password. */
  readonly newAdmin?: { readonly username: string; readonly password: string; readonly file: string };
}

const ALL_IDENTITY_TYPES = ['User', 'Device', 'Service', 'Router', 'Default'];

/**
 * Opens the network of this database, making what is missing.
 * @throws ConfigError when the master key is another one's
 */
export async function openNetwork(
  config: Settings,
  stores: Stores,
  passwords: PasswordHasher,
  controllerId: string,
  log: Logger,
): Promise<Network> {
  return stores.transaction(async (tx) => {
    await tx.network.lockStart();
    const record = await tx.network.find();
    const keyRing = openKeyRing(config, record !== undefined);
    if (record === undefined) {
      await createNetwork(config, tx, keyRing);
      log.info('new network: keys, certificates and built-in entities are made');
    } else if (keyRing.matches(record.masterKeyCheck) === 'none') {
      throw new ConfigError(
        'The master key is not the one that this database was made with, so its keys cannot be opened. ' +
          'Set EDGE_MASTER_KEY (or EDGE_MASTER_KEY_FILE, or master.key in the data directory) to the key that ' +
          'this network was last started with.',
      );
    } else if (keyRing.matches(record.masterKeyCheck) === 'old') {
      await resealAll(tx, keyRing, record.masterKeyCheck);
      log.info('all keys are sealed again, under the present master key; earlier ones are no longer needed');
    }
    const trustDomain = record?.trustDomain ?? (await tx.network.find())?.trustDomain ?? '';
    if (record !== undefined && config.trustDomain !== null && config.trustDomain !== trustDomain) {
      throw new ConfigError(
        `The trust domain of this network is ${trustDomain} and cannot be changed: remove EDGE_TRUST_DOMAIN.`,
      );
    }
    const keys = await currentKeys(tx, { config, keyRing, trustDomain, controllerId, log });
    const tokenKey = await openTokenKey(tx, keyRing);
    await tx.network.seedIdentityTypes(ALL_IDENTITY_TYPES);
    await tx.authPolicies.seed(defaultAuthPolicy.id, defaultAuthPolicy.name, defaultAuthPolicySettings);
    await tx.network.seedConfigTypes(builtinConfigTypes);
    const newAdmin = await createDefaultAdmin(config, tx, passwords, log);
    return { trustDomain, keys, keyRing, tokenKey, ...(newAdmin === undefined ? {} : { newAdmin }) };
  });
}

/**
 * The key from the setting, from its file, or from the data directory, where a first start makes it.
 * @throws ConfigError when it is missing though the network `exists`, and for what is no key
 */
export function openKeyRing(config: Settings, exists: boolean): KeyRing {
  const file = masterKeyFileOf(config);
  let current = givenMasterKey(config);
  if (current === undefined) {
    refuseWithoutKey(config, file, exists);
    current = newMasterKey();
    writeSecret(file, `${current}\n`);
  }
  try {
    return createKeyRing(parseMasterKey(current), config.oldMasterKeys.map(parseMasterKey));
  } catch (error) {
    throw new ConfigError(`The master key cannot be used: ${(error as Error).message}`);
  }
}

/**
 * Refuses a start without its master key before anything is made in the database.
 * @param exists  asked only when no key is given
 * @throws ConfigError as `openKeyRing` does
 */
export async function requireMasterKey(config: Settings, exists: () => Promise<boolean>): Promise<void> {
  if (givenMasterKey(config) === undefined) refuseWithoutKey(config, masterKeyFileOf(config), await exists());
}

const masterKeyFileOf = (config: Settings): string => config.masterKeyFile ?? masterKeyIn(config.dataDir);

function givenMasterKey(config: Settings): string | undefined {
  const file = masterKeyFileOf(config);
  return config.masterKey ?? (config.masterKeyFile === null ? readSecret(file) : readKeyFile(file));
}

/** @throws ConfigError unless this start may make the key of a new network */
function refuseWithoutKey(config: Settings, file: string, exists: boolean): void {
  if (exists || config.masterKeyFile !== null)
    throw new ConfigError(
      `The master key of this network is missing: ${file} does not exist. Put it back, or set EDGE_MASTER_KEY.`,
    );
  if (config.databaseUrl !== null && !config.masterKeyLocal)
    throw new ConfigError(
      'No master key is set for the new network in the database of DATABASE_URL. Without its key that database ' +
        'cannot be used, so the key must not exist ' +
        'on one disk alone: make one (openssl rand -base64 32), keep a copy, and set it as EDGE_MASTER_KEY on ' +
        `every controller. Or set EDGE_MASTER_KEY_LOCAL=true to have it made in ${file}.`,
    );
}

/** The operator's own file, wherever they keep it: a mounted secret is usually a link. */
function readKeyFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`The master key file cannot be read: ${(error as Error).message}`);
  }
}

async function createNetwork(config: Settings, tx: StoreSet, keyRing: KeyRing): Promise<void> {
  const now = new Date();
  const rootKeys = await newKeyPair(config.tlsKey);
  const root = await createRootCa({ now, commonName: ROOT_NAME, keys: rootKeys });
  const intermediateKeys = await newKeyPair(config.tlsKey);
  const intermediate = await createIntermediateCa(
    openIssuer({ certPem: root.certPem, privateKeyPem: rootKeys.privateKeyPem }),
    { now, commonName: INTERMEDIATE_NAME, keys: intermediateKeys },
  );
  await tx.network.create({
    trustDomain: config.trustDomain ?? newTrustDomain(),
    masterKeyCheck: keyRing.checkValue(),
    advertise: config.advertise,
  });
  await tx.network.addPki(sealed('root', 1, root, { keys: rootKeys, keyRing: keyRing }));
  await tx.network.addPki(sealed('intermediate', 1, intermediate, { keys: intermediateKeys, keyRing: keyRing }));
  await tx.issuedCertificates.add([
    { ...intermediate, kind: 'intermediate', subjectId: 'intermediate', issuerFingerprint: root.fingerprint },
  ]);
}

/**
 * The keys to use now: renewed when they are due, or what another controller has put in their place. For a controller
 * that runs on, and for an administrator who wants one renewed early; a start does the same.
 */
export async function refreshKeys(
  config: Settings,
  stores: Stores,
  network: Pick<Network, 'keyRing' | 'trustDomain'>,
  controllerId: string,
  log: Logger,
  early?: Renewable,
): Promise<NetworkKeys> {
  return stores.transaction(async (tx) => {
    await tx.network.lockStart();
    return currentKeys(
      tx,
      { config, keyRing: network.keyRing, trustDomain: network.trustDomain, controllerId, log },
      early,
    );
  });
}

async function createDefaultAdmin(
  config: Settings,
  tx: StoreSet,
  passwords: PasswordHasher,
  log: Logger,
): Promise<Network['newAdmin']> {
  if (await tx.network.hasDefaultAdmin()) {
    if (config.adminPassword !== null && !(await isDefaultPassword(tx, passwords, config.adminPassword)))
      log.warn(UNUSED_PASSWORD);
    return undefined;
  }
  const password = config.adminPassword ?? randomBytes(18).toString('base64url');
  const id = newId();
  await tx.identities.create(
    id,
    { ...newIdentity({ name: 'Default Admin', typeId: 'User', isAdmin: true }), isDefaultAdmin: true },
    [],
  );
  await tx.authenticators.createUpdb({
    id: newId(),
    identityId: id,
    username: config.adminUsername,
    passwordHash: await passwords.hash(password),
    tags: {},
  });
  if (config.adminPassword !== null) return undefined;
  const file = adminPasswordIn(config.dataDir);
  writeSecret(file, `${password}\n`);
  return { username: config.adminUsername, password, file };
}

const UNUSED_PASSWORD =
  'EDGE_ADMIN_PASSWORD is not the password of the default administrator: it is used at the first start only. ' +
  'Change the password with PATCH /edge/management/v1/current-identity/authenticators/{id}, and remove the setting';

/** One hash, about 12 ms, at starts that have the setting. */
async function isDefaultPassword(tx: StoreSet, passwords: PasswordHasher, password: string): Promise<boolean> {
  for (const hash of await tx.network.defaultAdminPasswords()) {
    // A damaged hash is none that the password fits; it must not stop the start.
    if (await passwords.verify(hash, password).catch(() => false)) return true;
  }
  return false;
}
