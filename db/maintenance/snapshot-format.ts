/**
 * The file of a snapshot: text in gzip, one JSON value a line. First an object that says what it is, then for each
 * table an object with its columns and an array for each row, with the text of each value; then the sequences; at the
 * end the number of rows and the SHA-256 of all that stands before. Nothing is believed before the end was read.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SchemaError } from '../schema/schema-error.js';
import { migrationNames } from '../schema/migrate.js';
import type { TableShape } from '../schema/catalog.js';
import { migrationHashes } from '../schema/shipped-schema.js';
import type { MigrationHash } from '../schema/shipped-schema.js';

export const FORMAT = 'edge-controller snapshot';
/** Raised when a reader of before would misread it. */
export const FORMAT_VERSION = 1;

export interface SnapshotHeader {
  readonly format: typeof FORMAT;
  readonly formatVersion: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Release of the controller that took it. */
  readonly release: string;
  readonly trustDomain: string;
  /** Identifies the master key that seals its keys, and reveals nothing of it. */
  readonly masterKeyCheck: string;
  readonly migrations: readonly MigrationHash[];
}

export type TableLine = { readonly table: string; readonly columns: TableShape['columns'] };
export type SequenceLine = { readonly sequence: string; readonly last: string; readonly isCalled: boolean };
export type EndLine = { readonly rows: number; readonly sha256: string };

/** The file cannot be restored; the message says why. */
export class SnapshotError extends SchemaError {}

/** Items of a snapshot, in the order of reading. Rows come as they stand in the file. */
export type Item =
  | { readonly kind: 'header'; readonly header: SnapshotHeader }
  | { readonly kind: 'table'; readonly line: TableLine }
  | { readonly kind: 'rows'; readonly rows: readonly string[] }
  | { readonly kind: 'sequence'; readonly line: SequenceLine }
  | { readonly kind: 'end'; readonly rows: number };

/** Longer than any row that was ever written: a value has at most some mebibytes. */
const MAX_LINE = 256 * 1024 * 1024;
const ROWS = 256;
const ROWS_CHARACTERS = 1024 * 1024;

/** Reads to the end and compares the checksum there. @throws SnapshotError for what is damaged, or no snapshot */
export async function* readSnapshot(file: string): AsyncGenerator<Item> {
  const hash = createHash('sha256');
  let rows: string[] = [];
  let size = 0;
  let count = 0;
  let isBegun = false;
  let end: EndLine | undefined;
  for await (const line of linesOf(file)) {
    if (end !== undefined) throw damaged(file, 'something follows its end');
    if (isBegun && line.startsWith('[')) {
      hash.update(line).update('\n');
      rows.push(line);
      size += line.length;
      count += 1;
      if (rows.length < ROWS && size < ROWS_CHARACTERS) continue;
    }
    if (rows.length > 0) yield { kind: 'rows', rows };
    [rows, size] = [[], 0];
    if (isBegun && line.startsWith('[')) continue;
    const value = objectIn(line, file);
    if (!isBegun) {
      isBegun = true;
      yield { kind: 'header', header: headerIn(value, file) };
    } else if ('sha256' in value) {
      end = value as EndLine;
      continue;
    } else if ('table' in value) yield { kind: 'table', line: tableIn(value, file) };
    else if ('sequence' in value) yield { kind: 'sequence', line: sequenceIn(value, file) };
    else throw damaged(file, 'a line is of no known kind');
    hash.update(line).update('\n');
  }
  if (end === undefined) throw damaged(file, 'it ends too early');
  if (end.rows !== count || end.sha256 !== hash.digest('hex')) throw damaged(file, 'its checksum does not fit');
  yield { kind: 'end', rows: count };
}

async function* linesOf(file: string): AsyncGenerator<string> {
  // Errors of both come out of the second one; a reader that leaves early closes both.
  const text = pipeline(createReadStream(file), createGunzip(), () => undefined);
  text.setEncoding('utf8');
  /** Put together once: a line may come in many thousand pieces. */
  let pieces: string[] = [];
  let size = 0;
  try {
    for await (const chunk of text as AsyncIterable<string>) {
      const [end = '', ...next] = chunk.split('\n');
      pieces.push(end);
      size += end.length;
      if (size > MAX_LINE) throw damaged(file, 'a line has no end');
      const last = next.pop();
      if (last === undefined) continue;
      yield pieces.join('');
      yield* next;
      [pieces, size] = [[last], last.length];
    }
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    if (syscall !== undefined)
      throw new SnapshotError(`The snapshot ${file} cannot be read (${code}): name one that you may read.`, {
        cause: error,
      });
    if (code === 'Z_BUF_ERROR') throw damaged(file, 'it ends too early');
    throw damaged(file, code.startsWith('Z_') ? 'it is no gzip, or bytes of it were changed' : String(error));
  }
  if (size > 0) throw damaged(file, 'it ends too early');
}

function damaged(file: string, what: string): SnapshotError {
  return new SnapshotError(
    `The snapshot ${file} is damaged, or is none: ${what}. Nothing was changed. Use another one.`,
  );
}

function objectIn(line: string, file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw damaged(file, 'a line cannot be read');
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isPair = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => isText((value as Record<string, unknown>)[name]));

function headerIn(value: Record<string, unknown>, file: string): SnapshotHeader {
  const { format, formatVersion, createdAt, release, trustDomain, masterKeyCheck, migrations } = value;
  if (format !== FORMAT) throw damaged(file, 'it does not begin as a snapshot does');
  if (typeof formatVersion !== 'number' || formatVersion > FORMAT_VERSION)
    throw new SnapshotError(
      `The snapshot ${file} was taken by a newer release (${isText(release) ? release : 'unknown'}), in a form that ` +
        'this one does not know. Nothing was changed. Use that release or a later one.',
    );
  const isWhole =
    [createdAt, release, trustDomain, masterKeyCheck].every(isText) &&
    Array.isArray(migrations) &&
    migrations.every((one) => isPair(one, 'name', 'sha256'));
  if (!isWhole) throw damaged(file, 'its first line lacks something');
  return value as unknown as SnapshotHeader;
}

function tableIn(value: Record<string, unknown>, file: string): TableLine {
  const { table, columns } = value;
  if (!isText(table) || !Array.isArray(columns) || !columns.every((one) => isPair(one, 'name', 'type')))
    throw damaged(file, 'the head of a table lacks something');
  return value as unknown as TableLine;
}

function sequenceIn(value: Record<string, unknown>, file: string): SequenceLine {
  if (!isPair(value, 'sequence', 'last') || typeof value['isCalled'] !== 'boolean')
    throw damaged(file, 'a sequence lacks something');
  return value as unknown as SequenceLine;
}

/**
 * Finds the migrations that make the schema that a snapshot was taken of.
 * @throws SnapshotError when this release does not have them
 */
export function migrationsOf({ migrations, release }: SnapshotHeader, file: string): string[] {
  const known = new Map(migrationHashes().map(({ name, sha256 }) => [name, sha256]));
  const unknown = migrations.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (unknown.length > 0)
    throw new SnapshotError(
      `The snapshot ${file} was taken by a newer release (${release}; it has ${unknown.join(', ')}). Nothing was ` +
        'changed. Use that release or a later one.',
    );
  const names = migrations.map(({ name }) => name);
  const isBeginning = names.length > 0 && names.every((name, index) => name === migrationNames[index]);
  const changed = migrations.find(({ name, sha256 }) => known.get(name) !== sha256);
  if (!isBeginning || changed !== undefined)
    throw new SnapshotError(
      `The snapshot ${file} was taken by another program than this one (${release}): its schema is made in other ` +
        `steps${changed === undefined ? '' : `, ${changed.name} for one`}. Nothing was changed. Use that program.`,
    );
  return names;
}
