/** Controllers that share this database. Each writes its own row when it starts and touches it while it lives. */
import type { Controller, Page } from '../../domain/model.js';
import { laterThan } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { expression, json, text, time } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { asyncChange, change, read, unprepared } from '../postgres/statement.js';

/** A controller that showed no sign of life for so long is taken for offline: they come every second. */
const LIFETIME = "interval '4 seconds'";
const IS_ONLINE = `(t.last_seen_at > now() - ${LIFETIME})`;

export const controller = entity<Controller>(
  'controllers',
  {
    name: text().unique(),
    ctrlAddress: text().nullable(),
    certPem: text().filteredBy({ kind: 'string', sql: 't.cert_pem COLLATE "C"', nullable: false }),
    fingerprint: text(),
    isOnline: expression<boolean>(IS_ONLINE).filteredBy({ kind: 'boolean', sql: IS_ONLINE, nullable: false }),
    lastJoinedAt: time(),
    apiAddresses: json<Controller['apiAddresses']>(),
  },
  { name: 'controller', isOpen: true },
);

export type ControllerDraft = Pick<
  Controller,
  'id' | 'name' | 'ctrlAddress' | 'certPem' | 'fingerprint' | 'apiAddresses'
>;

export interface ControllerStore {
  list(request: ListRequest): Promise<Page<Controller>>;
  /** Writes this controller's row and answers its id: that of the row with this name, when there was one. */
  join(draft: ControllerDraft): Promise<string>;
  /** The same at a start; undefined, and nothing is written, while a controller of this name shows signs of life. */
  joinFirst(draft: ControllerDraft): Promise<string | undefined>;
  /** The id that a controller of this name has; undefined when none has joined yet. */
  idOf(name: string): Promise<string | undefined>;
  touch(id: string): Promise<void>;
  /** It ends: it is offline from now on, and its name is free. */
  leave(id: string): Promise<void>;
  /** Returns where each controller that ever joined is reached, and its certificate. */
  endpoints(): Promise<Endpoint[]>;
}

/** @property advertised  for clients and for routers, each as `host:port` */
export interface Endpoint {
  readonly advertised: readonly string[];
  readonly certPem: string;
}

const joined = (name: string, condition: string) =>
  change<{ id: string }>(
    name,
    ({ actor }) => `INSERT INTO controllers AS c (id, name, ctrl_address, cert_pem, fingerprint, api_addresses)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO UPDATE SET ctrl_address = excluded.ctrl_address,
    cert_pem = excluded.cert_pem, fingerprint = excluded.fingerprint, api_addresses = excluded.api_addresses,
    last_joined_at = now(), last_seen_at = now(), updated_at = ${laterThan('c.updated_at')}
  ${condition} RETURNING id${actor}`,
  );
const JOIN = joined('controller-join', '');
const JOIN_FIRST = joined('controller-join-first', `WHERE c.last_seen_at <= now() - ${LIFETIME}`);

const TOUCH = asyncChange(
  'controller-touch',
  ({ returningActor }) => `UPDATE controllers SET last_seen_at = now() WHERE id = $1${returningActor}`,
);

/** A time that is long past: an infinite one has no age. */
const LEAVE = asyncChange(
  'controller-leave',
  ({ returningActor }) => `UPDATE controllers SET last_seen_at = 'epoch' WHERE id = $1${returningActor}`,
);

const ENDPOINTS = read<Endpoint>(
  'controller-endpoints',
  `SELECT array_remove(ARRAY[substr(ctrl_address, 5),
      substring(api_addresses #>> '{edge-client,0,url}' from '^https://([^/]+)')], NULL) AS advertised,
    cert_pem AS "certPem"
  FROM controllers WHERE starts_with(ctrl_address, 'tls:')`,
);

const valuesOf = ({ id, name, ctrlAddress, certPem, fingerprint, apiAddresses }: ControllerDraft) => [
  id,
  name,
  ctrlAddress,
  certPem,
  fingerprint,
  JSON.stringify(apiAddresses),
];

export function controllerStore(db: Db, lists: Lists): ControllerStore {
  return {
    list: (request) => lists.page(db, controller.source, request),
    async join(draft) {
      return (await db.one(JOIN, valuesOf(draft)))?.id ?? draft.id;
    },
    async joinFirst(draft) {
      return (await db.one(JOIN_FIRST, valuesOf(draft)))?.id;
    },
    async idOf(name) {
      return (await db.one(unprepared<{ id: string }>('SELECT', 'SELECT id FROM controllers WHERE name = $1'), [name]))
        ?.id;
    },
    async touch(id) {
      await db.execute(TOUCH, [id]);
    },
    async leave(id) {
      await db.execute(LEAVE, [id]);
    },
    async endpoints() {
      return await db.many(ENDPOINTS);
    },
  };
}
