/**
 * YAML of network files, read with places and written so that every reader takes it alike. A file holds one document of
 * plain values: no tags, anchors, aliases or merge keys, so that it never means more than it says.
 */
import { Document, LineCounter, Scalar, isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { ParsedNode } from 'yaml';
import type { Json, JsonObject } from '../model.js';
import { fieldText, NetworkFileError } from './problem.js';
import type { ValuePath, Place } from './problem.js';
import { hasHidden, withoutHidden } from './values.js';

/** A file of a hundred thousand identities has about 15 MiB. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Depth that a request may have, plus the list with its entity around it. */
const MAX_DEPTH = 66;

export interface ReadYaml {
  readonly value: Json;
  /**
   * Returns the location of the value at the path, or of the nearest existing value above it; of a list or an object,
   * that of its name.
   * @param isOfName  of the name, whatever the value is
   */
  placeOf(path: ValuePath, isOfName?: boolean): Place;
}

/** @throws NetworkFileError */
export function readYaml(file: string, text: string): ReadYaml {
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const refuse = (offset: number, path: ValuePath, reason: string): never => {
    throw new NetworkFileError([{ place: placeAt(offset), field: fieldText(path), reason }]);
  };
  const document = parsed(text, lines, () => refuse(0, [], 'it is nested too deeply to be read'));
  const [fault] = document.errors;
  if (fault !== undefined) refuse(fault.pos[0], [], faultText(fault.code, fault.message));

  const read = (node: unknown, path: ValuePath, at: number): Json => {
    if (path.length > MAX_DEPTH) refuse(at, path, `it is nested deeper than ${MAX_DEPTH} levels`);
    if (node === null || node === undefined) return null;
    const { range, tag, anchor } = node as ParsedNode & { tag?: string; anchor?: string };
    const [start] = range;
    if (isAlias(node)) return refuse(start, path, 'aliases are not taken: write the value out');
    if (anchor !== undefined) refuse(start, path, 'anchors are not taken: write the value out');
    if (tag !== undefined) refuse(start, path, 'tags such as !!str are not taken: quote a text');
    if (isMap(node)) {
      const names = new Set<string>();
      const entries = node.items.map(({ key, value }): [string, Json] => {
        if (!isScalar(key)) return refuse(startOf(key) ?? start, path, 'a name must be a plain text');
        const name = nameOf(read(key, path, start), key);
        const place = startOf(key) ?? start;
        if (names.has(name)) refuse(place, [...path, name], 'is given more than once');
        names.add(name);
        return [name, read(value, [...path, name], place)];
      });
      return Object.fromEntries(entries);
    }
    if (isSeq(node)) return node.items.map((item, index) => read(item, [...path, index], start));
    if (!isScalar(node)) return refuse(start, path, 'is nothing that a file may hold');
    return scalar(node, (reason) => refuse(start, path, reason));
  };
  return {
    value: read(document.contents, [], 0),
    placeOf: (path, isOfName = false) => placeAt(nearest(document.contents, path, isOfName)),
  };
}

function parsed(text: string, lineCounter: LineCounter, onTooDeep: () => never) {
  try {
    return parseDocument(text, {
      lineCounter,
      version: '1.2',
      schema: 'core',
      merge: false,
      resolveKnownTags: false,
      uniqueKeys: false, // seen while reading, in less than the square of their number
      prettyErrors: false,
      logLevel: 'error', // or it is silent about a second document
    });
  } catch (error) {
    if (error instanceof RangeError) return onTooDeep();
    throw error;
  }
}

const faultText = (code: string, message: string): string =>
  code === 'MULTIPLE_DOCS' ? 'a file holds one document: split it into several files' : `is no YAML: ${message}`;

const startOf = (node: unknown): number | undefined => (node as Partial<ParsedNode> | null)?.range?.[0];

/** `1: x` and `"1": x` are alike, as in JSON. */
const nameOf = (value: Json, key: Scalar): string =>
  typeof value === 'string' ? value : (key.source ?? JSON.stringify(value));

const EXACT_DIGITS = 15;
const [SMALLEST, LARGEST] = [1e-40, 1e40];

function scalar({ value, source = '' }: Scalar, refuse: (reason: string) => never): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) refuse('has a NUL character or half of a surrogate pair');
    return value;
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) return refuse('is no value that a file may hold');
  const digits = source.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '');
  if (digits.length > EXACT_DIGITS && !isExact(value, source))
    refuse('is a number that cannot be kept as it is: quote it, when it is a text');
  const size = Math.abs(value);
  if (size !== 0 && (size < SMALLEST || size > LARGEST))
    refuse('is a number that is not kept: it is too large or small');
  return value;
}

const isExact = (value: number, source: string): boolean =>
  /^[-+]?\d+$/.test(source) ? Number.isSafeInteger(value) : String(value) === source.replace(/^\+/, '');

function nearest(root: unknown, path: ValuePath, isOfName: boolean): number {
  let offset = startOf(root) ?? 0;
  let node: unknown = root;
  for (const part of path) {
    if (isSeq(node) && typeof part === 'number') node = node.items[part];
    else if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && nameOf(key.value as Json, key) === String(part));
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
      if (isScalar(node) && !isOfName) offset = startOf(node) ?? offset;
      continue;
    } else break;
    offset = startOf(node) ?? offset;
  }
  return offset;
}

/** @param head  lines of comment, without the mark */
export function writeYaml(value: JsonObject, head: readonly string[]): string {
  // Readers of YAML 1.1 take `yes`, `1_000` and the like for more than texts: they are quoted.
  const document = new Document(value, {
    version: '1.2',
    schema: 'core',
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && hasHidden(node.value.replaceAll('\n', ''))) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = document.toString({ lineWidth: 0 });
  return `${head.map((line) => `# ${line}\n`).join('')}${escaped(text)}`;
}

/** Such characters are only in texts in double quotes, which take them in this form. */
const escaped = (text: string): string => text.split('\n').map(withoutHidden).join('\n');
