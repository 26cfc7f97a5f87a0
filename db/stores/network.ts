/** Facts that exist once per network: its trust domain, its keys, its types of the first start. */
import type { BuiltinConfigType } from '../../domain/config/builtin-types.js';
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
  /** Milliseconds until something is signed in its name; not above 0 when it is in use. */
  readonly usedInMs: number;
  /** Certificate of a root's key by the root before it; empty for the first, and for what is no root. */
  readonly crossPem: string;
  /** A root is trusted no more since then. */
  readonly retiredAt: Date | null;
}

/** A row of the table `network_secrets`. */
export interface NetworkSecret {
  readonly name: string;
  readonly sealed: Buffer;
}

/** Keys of the network with their certificates. */
interface PkiEntities {
  addPki(record: PkiRecord): Promise<void>;
  /** Notifies every controller at commit, so that it loads the present keys. */
  tellPkiChanged(): Promise<void>;
  /** Every generation of every purpose, oldest first. */
  allPki(): Promise<PkiRecord[]>;
  /** Replaces a sealed key by the same key sealed again. */
  resealPki(record: Pick<PkiRecord, 'purpose' | 'generation' | 'sealedKey'>): Promise<void>;
  /** Trusts the roots before this generation no more. */
  retireRootsBefore(generation: number): Promise<void>;
}

/** Keys and secrets that the network keeps under its master key. */
interface NetworkKeys extends PkiEntities {
  setMasterKeyCheck(check: string): Promise<void>;
  /**
   * Takes note that a controller is reached by these hosts.
   * @returns these and those of all controllers that were there in the last day, sorted
   */
  nameServer(hosts: readonly string[]): Promise<string[]>;
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
  seedConfigTypes(types: readonly BuiltinConfigType[]): Promise<void>;
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

/** A controller that was not there for so long has left. One that comes back gets its names at its start. */
const NAMES_KEPT = "interval '1 day'";

const PKI_COLUMNS = `purpose, generation, sealed_key AS "sealedKey", cert_pem AS "certPem", fingerprint,
  not_before AS "notBefore", not_after AS "notAfter",
  (extract(epoch FROM used_from - clock_timestamp()) * 1000)::float8 AS "usedInMs",
  cross_pem AS "crossPem", retired_at AS "retiredAt"`;

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

const RETIRE_ROOTS = change(
  'network-retire-roots',
  ({ returningActor }) =>
    `UPDATE pki_entities SET retired_at = now()
    WHERE purpose = 'root' AND generation < $1 AND retired_at IS NULL${returningActor}`,
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
  }) => `INSERT INTO pki_entities (purpose, generation, sealed_key, cert_pem, fingerprint, not_before, not_after,
    used_from, cross_pem)
  VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 millisecond', $9)${returningActor}`,
);

const SEED_IDENTITY_TYPES = change(
  'network-seed-identity-types',
  ({ returningActor }) => `INSERT INTO identity_types (id, name, is_system) SELECT n, n, true FROM unnest($1::text[]) n
  ON CONFLICT DO NOTHING${returningActor}`,
);

const SEED_CONFIG_TYPES = change(
  'network-seed-config-types',
  ({ returningActor }) => `INSERT INTO config_types (id, name, schema, target, is_system)
  SELECT t.id, t.name, t.schema, t.target, true
  FROM jsonb_to_recordset($1::jsonb) AS t (id text, name text, schema jsonb, target text)
  ON CONFLICT DO NOTHING${returningActor}`,
);

const JWT = read<{ token: string }>('network-jwt', 'SELECT token FROM network_jwts WHERE name = $1 AND signed_by = $2');

const NAME_SERVER = change(
  'network-name-server',
  ({ returningActor }) => `WITH old AS (DELETE FROM server_names
    WHERE last_seen_at < now() - ${NAMES_KEPT} AND name <> ALL ($1))
  INSERT INTO server_names (name) SELECT DISTINCT unnest($1::text[])
  ON CONFLICT (name) DO UPDATE SET last_seen_at = now()${returningActor}`,
);

const SERVER_NAMES = unprepared<{ name: string }>('SELECT', 'SELECT name FROM server_names ORDER BY name');

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
  record.usedInMs,
  record.crossPem,
];

/** Rows of the table `pki_entities`. */
const pkiEntities = (db: Db): PkiEntities => ({
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
  async retireRootsBefore(generation) {
    await db.execute(RETIRE_ROOTS, [generation]);
  },
});

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
    ...pkiEntities(db),
    async setMasterKeyCheck(check) {
      await db.execute(SET_MASTER_KEY_CHECK, [check]);
    },
    async nameServer(hosts) {
      await db.execute(NAME_SERVER, [hosts]);
      return (await db.many(SERVER_NAMES)).map(({ name }) => name);
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
      const values = types.map(({ id, name, schema, target }) => ({ id, name, schema, target }));
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
