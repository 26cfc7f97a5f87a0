/** What the suites of compiled filters share: a few rows with links, in PostgreSQL, and the ids that a list selects. */
import { openTestDatabase } from '../support/database.js';
import { compileList, Params } from '../../db/filter/index.js';
import type { ListQuery, SymbolTable } from '../../db/filter/index.js';

const ADMINISTRATOR = { isAdmin: true, permissions: [] };

export const peers: SymbolTable = {
  entity: 'peers',
  idSql: 't.id',
  symbols: {
    id: { kind: 'string', sql: 't.id', nullable: false },
    name: { kind: 'string', sql: 't.name', nullable: false },
    nick: { kind: 'string', sql: 't.nick' },
    rows: {
      kind: 'linked',
      entity: () => rows,
      readBy: 'config.read',
      idSql: '{alias}.id',
      from:
        'filter_rows {alias} JOIN filter_links {alias}_l ON {alias}_l.row_id = {alias}.id AND {alias}_l.peer_id ' +
        '= t.id',
    },
  },
};

export const rows: SymbolTable = {
  entity: 'rows',
  idSql: 't.id',
  symbols: {
    id: { kind: 'string', sql: 't.id', nullable: false },
    name: { kind: 'string', sql: 't.name', nullable: false },
    nick: { kind: 'string', sql: 't.nick' },
    cost: { kind: 'number', sql: 't.cost' },
    ratio: { kind: 'number', sql: 't.ratio' },
    on: { kind: 'boolean', sql: 't.is_on' },
    made: { kind: 'date', sql: 't.made_at' },
    token: {
      kind: 'string',
      sql: 't.token_hash',
      equalityOnly: true,
      stored: { type: 'bytea', encode: (token) => Buffer.from(token) },
    },
    attrs: { kind: 'stringSet', sql: 't.attrs' },
    peers: {
      kind: 'linked',
      entity: () => peers,
      readBy: 'config.read',
      idSql: '{alias}.id',
      from:
        'filter_peers {alias} JOIN filter_links {alias}_l ON {alias}_l.peer_id = {alias}.id AND ' +
        '{alias}_l.row_id = t.id',
    },
    tags: { kind: 'tags', sql: 't.tags' },
  },
};

const SCHEMA = `
CREATE TABLE filter_rows (id text COLLATE "C" PRIMARY KEY, name text COLLATE "C" NOT NULL, nick text COLLATE "C",
cost integer,
  ratio float8, is_on boolean, made_at timestamptz(3), token_hash bytea, attrs text[] COLLATE "C" NOT NULL,
  tags jsonb NOT NULL);
CREATE TABLE filter_peers (id text COLLATE "C" PRIMARY KEY, name text COLLATE "C" NOT NULL, nick text COLLATE "C");
CREATE TABLE filter_links (row_id text COLLATE "C" REFERENCES filter_rows,
peer_id text COLLATE "C" REFERENCES filter_peers, PRIMARY KEY (row_id, peer_id));
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX filter_rows_letters ON filter_rows USING gin (name gin_trgm_ops);
CREATE INDEX filter_rows_upper ON filter_rows USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops);
CREATE INDEX filter_rows_attrs ON filter_rows USING gin (attrs);`;

export interface Peer {
  readonly id: string;
  readonly name: string;
  readonly nick: string | null;
}
export interface Row extends Peer {
  readonly cost: number | null;
  readonly ratio: number | null;
  readonly on: boolean | null;
  readonly made: string | null;
  readonly token: string | null;
  readonly attrs: readonly string[];
  readonly tags: Readonly<Record<string, string | number | boolean | null>>;
  readonly peers: readonly string[];
}

export const PEERS: readonly Peer[] = [
  { id: 'p1', name: 'web', nick: null },
  { id: 'p2', name: 'Web', nick: 'w' },
  { id: 'p3', name: 'db', nick: 'd%' },
];

const empty = {
  nick: null,
  cost: null,
  ratio: null,
  on: null,
  made: null,
  token: null,
  attrs: [],
  tags: {},
  peers: [],
};
export const ROWS: readonly Row[] = [
  { ...empty, id: 'a', name: '' },
  {
    id: 'b',
    name: 'Straße',
    nick: 'x',
    cost: 1,
    ratio: 2.5,
    on: true,
    made: '2024-01-01T00:00:00.000Z',
    token: 'secret',
    attrs: ['web'],
    tags: { city: 'Oslo', n: 3 },
    peers: ['p1'],
  },
  {
    id: 'c',
    name: 'strasse 50%',
    nick: 'X',
    cost: 2,
    ratio: 0,
    on: false,
    made: '2024-06-01T12:00:00.123Z',
    token: '',
    attrs: ['db', 'web'],
    tags: { city: 'oslo', n: 2.5, up: true },
    peers: ['p1', 'p2'],
  },
  {
    id: 'd',
    name: 'a_b\\c',
    nick: '',
    cost: 3,
    ratio: -1e10,
    on: true,
    made: '2025-01-01T00:00:00.000Z',
    token: null,
    attrs: ['Web', '3'],
    tags: { city: null, n: '3', up: false },
    peers: ['p1', 'p2', 'p3'],
  },
  {
    id: 'E',
    name: 'éCOLE 💥',
    nick: '3',
    cost: 10,
    ratio: 10,
    on: null,
    made: '1999-12-31T23:59:59.999Z',
    token: 'x',
    attrs: ['éa', 'a%', 'web'],
    tags: { city: 'Bergen', n: 10, up: 'true' },
    peers: ['p3'],
  },
  { ...empty, id: 'f', name: 'Éco', cost: 2147483647, on: false, attrs: ['db'], tags: { n: -3, city: '' } },
];

const insertPeer = 'INSERT INTO filter_peers (id, name, nick) VALUES ($1, $2, $3)';
const insertRow = `INSERT INTO filter_rows (id, name, nick, cost, ratio, is_on, made_at, token_hash, attrs, tags)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

/** A database with these rows; close it at the end. */
export async function openFilterWorld() {
  const database = await openTestDatabase();
  for (const statement of SCHEMA.split(';').filter((part) => part.trim() !== '')) await database.query(statement);
  for (const peer of PEERS) await database.query(insertPeer, [peer.id, peer.name, peer.nick]);
  for (const row of ROWS) {
    await database.query(insertRow, [
      row.id,
      row.name,
      row.nick,
      row.cost,
      row.ratio,
      row.on,
      row.made,
      row.token === null ? null : Buffer.from(row.token),
      row.attrs,
      JSON.stringify(row.tags),
    ]);
    for (const peer of row.peers) await database.query('INSERT INTO filter_links VALUES ($1, $2)', [row.id, peer]);
  }

  const ids = async (query: ListQuery, table = rows, from = 'filter_rows'): Promise<string> => {
    const params = new Params();
    const { where, order, limit, offset } = compileList(table, { ...query, reader: ADMINISTRATOR }, params, {
      defaultLimit: 10,
      maxLimit: 500,
    });
    const text = `SELECT t.id FROM ${from} t${where.sql === '' ? '' : ` WHERE ${where.sql}`} ORDER BY ${order.sql}
      LIMIT ${params.bind(limit)} OFFSET ${params.bind(offset)}`;
    const result = await database.query(text, params.values);
    return result.rows.map((row) => String(row['id'])).join('');
  };
  return { database, ids };
}

export type FilterWorld = Awaited<ReturnType<typeof openFilterWorld>>;
