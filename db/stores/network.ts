/** Facts that exist once per network: its trust domain, its keys, its types of the first start. */
import { START_LOCK } from '../postgres/advisory-locks.js';
import type { Db } from '../postgres/contracts.js';
import { change, read, unprepared } from '../postgres/statement.js';

export type PkiPurpose = 'root' | 'intermediate' | 'server';

export interface NetworkRecord {
  readonly trustDomain: string;
  readonly masterKeyCheck: string;
  readonly advertise: string;
}

/** A signing entity: its certificate, and its private key sealed under the master key. */
export interface PkiRecord {
  readonly purpose: PkiPurpose;
  readonly generation: number;
  readonly sealedKey: Buffer;
  readonly certPem: string;
  readonly fingerprint: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A row of the table `network_secrets`. */
export interface NetworkSecret {
  readonly name: string;
  readonly sealed: Buffer;
}

/** Keys and secrets that the network keeps under its master key. */
interface NetworkKeys {
  addPki(record: PkiRecord): Promise<void>;
  /** Notifies every controller at commit, so that it loads the present keys. */
  tellPkiChanged(): Promise<void>;
  /** Every generation of every purpose, oldest first. */
  allPki(): Promise<PkiRecord[]>;
  /** Replaces a sealed key by the same key sealed again. */
  resealPki(record: Pick<PkiRecord, 'purpose' | 'generation' | 'sealedKey'>): Promise<void>;
  setMasterKeyCheck(check: string): Promise<void>;
  /** Answers a secret that the network keeps sealed and has no certificate for. */
  findSecret(name: string): Promise<Buffer | undefined>;
  /** Replaces what is there under the name. */
  saveSecret(name: string, sealed: Buffer): Promise<void>;
}

/** The first start of a network, and each later one. */
interface NetworkStart {
  /** Holds off every other controller that starts on this database until the transaction ends. */
  lockStart(): Promise<void>;
  seedIdentityTypes(names: readonly string[]): Promise<void>;
  seedConfigTypes(
    types: readonly { readonly id: string; readonly name: string; readonly schema: object }[],
  ): Promise<void>;
  hasDefaultAdmin(): Promise<boolean>;
  /** Hashes of the default administrator's passwords; none when there is only a certificate. */
  defaultAdminPasswords(): Promise<readonly string[]>;
}

export interface NetworkStore extends NetworkKeys, NetworkStart {
  find(): Promise<NetworkRecord | undefined>;
  create(record: NetworkRecord): Promise<void>;
  setAdvertise(advertise: string): Promise<void>;
  findNetworkJwt(name: string, signedBy: string): Promise<string | undefined>;
  saveNetworkJwt(name: string, token: string, signedBy: string): Promise<void>;
}

const PKI_COLUMNS = `purpose, generation, sealed_key AS "sealedKey", cert_pem AS "certPem", fingerprint,
  not_before AS "notBefore", not_after AS "notAfter"`;

const CREATE = change(
  'network-create',
  ({ returningActor }) =>
    `INSERT INTO network (trust_domain, master_key_check, advertise) VALUES ($1, $2, $3)${returningActor}`,
);

const SET_ADVERTISE = change(
  'network-set-advertise',
  ({ returningActor }) => `UPDATE network SET advertise = $1${returningActor}`,
);

const RESEAL_PKI = change(
  'network-reseal-pki',
  ({ returningActor }) =>
    `UPDATE pki_entities SET sealed_key = $3 WHERE purpose = $1 AND generation = $2${returningActor}`,
);

const SET_MASTER_KEY_CHECK = change(
  'network-set-master-key-check',
  ({ returningActor }) => `UPDATE network SET master_key_check = $1${returningActor}`,
);

const SAVE_SECRET = change(
  'network-save-secret',
  ({ returningActor }) => `INSERT INTO network_secrets (name, sealed_secret) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET sealed_secret = excluded.sealed_secret${returningActor}`,
);

const ADD_PKI = change(
  'network-add-pki',
  ({
    returningActor,
  }) => `INSERT INTO pki_entities (purpose, generation, sealed_key, cert_pem, fingerprint, not_before, not_after)
  VALUES ($1, $2, $3, $4, $5, $6, $7)${returningActor}`,
);

const SEED_IDENTITY_TYPES = change(
  'network-seed-identity-types',
  ({ returningActor }) => `INSERT INTO identity_types (id, name, is_system) SELECT n, n, true FROM unnest($1::text[]) n
  ON CONFLICT DO NOTHING${returningActor}`,
);

const SEED_CONFIG_TYPES = change(
  'network-seed-config-types',
  ({ returningActor }) => `INSERT INTO config_types (id, name, schema, target, is_system)
  SELECT t.id, t.name, t.schema, 'service', true
  FROM jsonb_to_recordset($1::jsonb) AS t (id text, name text, schema jsonb)
  ON CONFLICT DO NOTHING${returningActor}`,
);

const JWT = read<{ token: string }>('network-jwt', 'SELECT token FROM network_jwts WHERE name = $1 AND signed_by = $2');

const SAVE_NETWORK_JWT = change(
  'network-save-network-jwt',
  ({ returningActor }) => `INSERT INTO network_jwts (name, token, signed_by) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET token = excluded.token, signed_by = excluded.signed_by,
    created_at = now()${returningActor}`,
);

const NOTIFY_PKI = change('network-tell-pki-changed', ({ actor }) => `SELECT pg_notify('edge', 'pki')${actor}`);

/** Statements of the start of a controller are not kept prepared. */
const LOCK_START = unprepared('SELECT', 'SELECT pg_advisory_xact_lock($1)');
const NETWORK = unprepared<NetworkRecord>(
  'SELECT',
  'SELECT trust_domain AS "trustDomain", master_key_check AS "masterKeyCheck", advertise FROM network',
);
const ALL_PKI = unprepared<PkiRecord>('SELECT', `SELECT ${PKI_COLUMNS} FROM pki_entities ORDER BY purpose, generation`);
const FIND_SECRET = unprepared<{ sealed: Buffer }>(
  'SELECT',
  'SELECT sealed_secret AS sealed FROM network_secrets WHERE name = $1',
);
const HAS_DEFAULT_ADMIN = unprepared<{ found: boolean }>(
  'SELECT',
  'SELECT EXISTS (SELECT FROM identities WHERE is_default_admin) AS found',
);
const DEFAULT_ADMIN_PASSWORDS = unprepared<{ hash: string }>(
  'SELECT',
  `SELECT a.password_hash AS hash FROM identities i JOIN authenticators a ON a.identity_id = i.id
        WHERE i.is_default_admin AND a.password_hash IS NOT NULL`,
);

const valuesOfPki = (record: PkiRecord): unknown[] => [
  record.purpose,
  record.generation,
  record.sealedKey,
  record.certPem,
  record.fingerprint,
  record.notBefore,
  record.notAfter,
];

export function networkStore(db: Db): NetworkStore {
  return {
    async lockStart() {
      await db.execute(LOCK_START, [START_LOCK]);
    },
    find: () => db.one(NETWORK),
    async create(record) {
      await db.execute(CREATE, [record.trustDomain, record.masterKeyCheck, record.advertise]);
    },
    async setAdvertise(advertise) {
      await db.execute(SET_ADVERTISE, [advertise]);
    },
    async addPki(record) {
      await db.execute(ADD_PKI, valuesOfPki(record));
    },
    async tellPkiChanged() {
      await db.execute(NOTIFY_PKI);
    },
    allPki: () => db.many(ALL_PKI),
    async resealPki({ purpose, generation, sealedKey }) {
      await db.execute(RESEAL_PKI, [purpose, generation, sealedKey]);
    },
    async setMasterKeyCheck(check) {
      await db.execute(SET_MASTER_KEY_CHECK, [check]);
    },
    async findSecret(name) {
      const row = await db.one(FIND_SECRET, [name]);
      return row?.sealed;
    },
    async saveSecret(name, sealed) {
      await db.execute(SAVE_SECRET, [name, sealed]);
    },
    async seedIdentityTypes(names) {
      await db.execute(SEED_IDENTITY_TYPES, [names]);
    },
    async seedConfigTypes(types) {
      const values = types.map(({ id, name, schema }) => ({ id, name, schema }));
      await db.execute(SEED_CONFIG_TYPES, [JSON.stringify(values)]);
    },
    async hasDefaultAdmin() {
      const row = await db.one(HAS_DEFAULT_ADMIN);
      return row?.found ?? false;
    },
    async defaultAdminPasswords() {
      const rows = await db.many(DEFAULT_ADMIN_PASSWORDS);
      return rows.map(({ hash }) => hash);
    },
    async findNetworkJwt(name, signedBy) {
      const row = await db.one(JWT, [name, signedBy]);
      return row?.token;
    },
    async saveNetworkJwt(name, token, signedBy) {
      await db.execute(SAVE_NETWORK_JWT, [name, token, signedBy]);
    },
  };
}
