/**
 * Takes a snapshot: the content of all tables as of one moment, by a cursor over each, so that memory is bounded
 * whatever their size. Others read and write meanwhile; only what they free is not reused until it is done.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Db } from '../postgres/contracts.js';
import { dropDraft, finishDraft, openDraft } from '../embedded/own-files.js';
import { isOfCluster, quoted, sequenceNames, tableShapes } from '../schema/catalog.js';
import type { TableShape } from '../schema/catalog.js';
import { READ_ALL } from '../postgres/maintenance-connection.js';
import type { MaintenanceLane } from '../postgres/maintenance-connection.js';
import { FORMAT, FORMAT_VERSION } from './snapshot-format.js';
import type { SnapshotHeader } from './snapshot-format.js';
import { migrationHashes } from '../schema/shipped-schema.js';
import { unprepared } from '../postgres/statement.js';

export interface SnapshotResult {
  readonly tables: number;
  readonly rows: number;
}

export interface SnapshotOptions {
  /** Path of the finished snapshot. Until it is whole it has this name with `.partial` behind. */
  readonly file: string;
  readonly release: string;
  readonly onProgress: (table: string, rows: number) => void;
}

/** A row may have a mebibyte and more. */
const FETCH = 64;
/** The processors have others to serve; the fastest level gets most of what there is to gain from text. */
const LEVEL = 1;

/** @throws Error of the file or of the database; then there is no file */
export async function takeSnapshot(
  lane: MaintenanceLane,
  { file, release, onProgress }: SnapshotOptions,
): Promise<SnapshotResult> {
  return lane.transaction(async (tx) => {
    const result = { tables: 0, rows: 0 };
    const draft = openDraft(file);
    const { stream: target } = draft;
    try {
      await pipeline(Readable.from(linesOf(tx, release, onProgress, result)), createGzip({ level: LEVEL }), target);
      finishDraft(draft);
    } catch (error) {
      if (!target.closed) await once(target, 'close');
      dropDraft(draft);
      throw error;
    }
    return result;
  }, READ_ALL);
}

async function* linesOf(
  tx: Db,
  release: string,
  onProgress: SnapshotOptions['onProgress'],
  result: { tables: number; rows: number },
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const line = (value: object) => text(`${JSON.stringify(value)}\n`);
  const text = (lines: string) => {
    hash.update(lines);
    return lines;
  };
  yield line(await headerOf(tx, release));
  for (const shape of await tableShapes(tx)) {
    yield line({ table: shape.name, columns: shape.columns });
    let rows = 0;
    for await (const lines of rowsOf(tx, shape)) {
      rows += lines.length;
      onProgress(shape.name, rows);
      yield text(`${lines.join('\n')}\n`);
    }
    result.tables += 1;
    result.rows += rows;
  }
  // Sequences are read after all rows, so that they are past every number that a row has.
  for (const name of await sequenceNames(tx)) {
    const rows = await tx.many(
      unprepared<{ last: string; isCalled: boolean }>(
        'SELECT',
        `SELECT last_value::text AS last, is_called AS "isCalled" FROM ${quoted(name)}`,
      ),
    );
    yield line({ sequence: name, ...rows[0] });
  }
  yield `${JSON.stringify({ rows: result.rows, sha256: hash.digest('hex') })}\n`;
}

async function headerOf(tx: Db, release: string): Promise<SnapshotHeader> {
  const network = await tx.one(
    unprepared<{ trustDomain: string; masterKeyCheck: string; now: Date }>(
      'SELECT',
      'SELECT trust_domain AS "trustDomain", master_key_check AS "masterKeyCheck", now() AS now FROM network',
    ),
  );
  if (network === undefined) throw new Error('a database without its network');
  const { now, ...known } = network;
  return {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    createdAt: now.toISOString(),
    release,
    ...known,
    migrations: migrationHashes(),
  };
}

/** The text of each value, as PostgreSQL writes and reads it back without loss. */
async function* rowsOf(tx: Db, { name, columns }: TableShape): AsyncGenerator<string[]> {
  const values = columns.map((column) => (isOfCluster(column) ? 'NULL' : `${quoted(column.name)}::text`));
  await tx.execute(
    unprepared(
      'DECLARE',
      `DECLARE snapshot NO SCROLL CURSOR FOR SELECT json_build_array(${values.join(', ')})::text AS line
    FROM ${quoted(name)}`,
    ),
  );
  for (;;) {
    const rows = await tx.many(unprepared<{ line: string }>('FETCH', `FETCH ${FETCH} FROM snapshot`));
    if (rows.length > 0) yield rows.map(({ line }) => line);
    if (rows.length < FETCH) break;
  }
  await tx.execute(unprepared('CLOSE', 'CLOSE snapshot'));
}
