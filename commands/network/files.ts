/** Network files on disk: which are read, and how exports are written. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ownDirectory, replaceOwnFile } from '../../db/embedded/own-files.js';
import type { Json } from '../../domain/model.js';
import type { KindName } from '../../domain/network-files/kind-names.js';
import { NetworkFileError } from '../../domain/network-files/problem.js';
import { convertedExport, isStockExport } from '../../domain/network-files/stock-export.js';
import type { ConvertedExport } from '../../domain/network-files/stock-export.js';
import { MAX_FILE_BYTES, readYaml, writeYaml } from '../../domain/network-files/yaml.js';
import type { ReadYaml } from '../../domain/network-files/yaml.js';

const SCHEMA_FILE = 'network-files.schema.json';

/** The JSON Schema of network files, as it is shipped. */
export const schemaText = (): string =>
  readFileSync(new URL(`../../generated/${SCHEMA_FILE}`, import.meta.url), 'utf8');

const HEAD = [`yaml-language-server: $schema=./${SCHEMA_FILE}`];

/**
 * Reads files; of a folder, those that end in `.yml` and `.yaml`, in the order of their names.
 * @throws NetworkFileError
 */
export function readNetworkFiles(paths: readonly string[]): ReadYaml[] {
  return paths.flatMap(filesAt).map((file) => readYaml(file, textOf(file)));
}

/** A line with a number of more than 53 bits, of no use here, which would be refused. */
const NOT_EXACT = /^ *"?capabilitiesMask"?: *\d+,?\r?\n/gm;

/** Reads what `ziti ops export` wrote. @throws NetworkFileError */
export function readStockExport(file: string): ConvertedExport {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw refused(file, 'there is no such file');
  const { value } = readYaml(file, textOf(file).replace(NOT_EXACT, ''));
  if (!isStockExport(value))
    throw refused(file, 'this is no export of the existing controller, as `ziti ops export all` writes it');
  return convertedExport(value);
}

function filesAt(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw refused(path, 'there is no such file');
  if (!found.isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => /\.ya?ml$/.test(name));
  if (names.length === 0) throw refused(path, 'this folder has no file that ends in .yml or .yaml');
  return names.sort().map((name) => join(path, name));
}

function textOf(file: string): string {
  const found = statSync(file);
  if (found.size > MAX_FILE_BYTES) throw tooLong(file);
  const bytes = readFileSync(file);
  if (bytes.length > MAX_FILE_BYTES) throw tooLong(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused(file, 'the file is no text in UTF-8');
  }
}

const tooLong = (file: string): NetworkFileError =>
  refused(file, `the file has more than ${MAX_FILE_BYTES / 1024 / 1024} MiB: split it into several`);

const refused = (file: string, reason: string): NetworkFileError =>
  new NetworkFileError([{ place: { file, line: 1, column: 1 }, field: '', reason }]);

/** The whole content as the text of one file. */
export const fileText = (content: Content): string =>
  writeYaml(Object.fromEntries([...content].map(([kind, items]) => [kind, [...items]])), HEAD);

type Content = ReadonlyMap<KindName, readonly Json[]>;

/** One file, with the schema for editors next to it. @returns its path */
export function writeFile(path: string, content: Content): string {
  const place = ownDirectory(dirname(path));
  const file = join(place, basename(path));
  replaceOwnFile(join(place, SCHEMA_FILE), schemaText());
  replaceOwnFile(file, fileText(content));
  return file;
}

/** One file for each kind, with the schema for editors next to them. @returns the path of the folder */
export function writeFolder(path: string, content: Content): string {
  const place = ownDirectory(path);
  replaceOwnFile(join(place, SCHEMA_FILE), schemaText());
  for (const [kind, items] of content) {
    replaceOwnFile(join(place, `${kind}.yaml`), fileText(new Map([[kind, items]])));
  }
  return place;
}
