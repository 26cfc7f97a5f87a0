/**
 * What methods of generated code take, read from the documents: generators put what is required first, then the rest in
 * the order of the document, and the body last of its group. `npm run sdk -- signatures` writes those of this tree to
 * test/sdk/signatures.txt, which holds the last release's.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveParameter } from '../spec-document.js';
import type { ApiName, OpenApiDocument, Parameter, PathItem } from '../spec-document.js';
import { httpMethods } from '../spec-document.js';
import { documentOfTree, sdkApis } from './documents.js';
import { ROOT } from './generator.js';

/** By `api operationId`: the parameters in order; those that may be left out end with `?`. */
export type Signatures = ReadonlyMap<string, readonly string[]>;

export const SIGNATURES = join(ROOT, 'test/sdk/signatures.txt');

export function signaturesOf(documents: ReadonlyMap<ApiName, OpenApiDocument>): Signatures {
  const found = [...documents].flatMap(([api, document]) =>
    Object.values(document.paths).flatMap((item) =>
      httpMethods.flatMap((method): [string, string[]][] => {
        const operation = item[method];
        if (operation === undefined) return [];
        return [[`${api} ${operation.operationId}`, parametersOf(document, item, operation.parameters ?? [])]];
      }),
    ),
  );
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parametersOf(document: OpenApiDocument, item: PathItem, own: NonNullable<PathItem['parameters']>): string[] {
  const all = [...(item.parameters ?? []), ...own].map((one) => resolveParameter(document, one));
  const rank = ({ required = false, in: place }: Parameter) => (required ? 0 : 2) + (place === 'body' ? 1 : 0);
  const ordered = all.toSorted((a, b) => rank(a) - rank(b));
  return ordered.map((one) => `${one.in}:${one.name}:${typeOf(one)}${one.required === true ? '' : '?'}`);
}

function typeOf({ schema, type, items }: Parameter): string {
  if (items !== undefined) return `[${items.type ?? ''}]`;
  return type ?? schema?.$ref?.replace('#/definitions/', '') ?? schema?.type ?? 'body';
}

/** A sentence for each change that breaks calls of generated code; additions that break none are not named. */
export function brokenCalls(before: Signatures, after: Signatures): string[] {
  return [...before].flatMap(([operation, old]) => {
    const now = after.get(operation);
    if (now === undefined) return [`${operation}: is gone; operations and their ids stay`];
    const gone = old
      .filter((one) => !now.includes(one))
      .map((one) => `${operation}: ${one} is gone, or is another now`);
    if (gone.length > 0) return gone;
    const required = now.filter((one) => !one.endsWith('?') && !old.includes(one));
    if (required.length > 0) return required.map((one) => `${operation}: ${one} is new; let it be left out`);
    if (old.length === 0 && now.length > 0)
      return [`${operation}: took nothing and takes ${now.join(', ')}; methods of Java and Rust take no object there`];
    return old.flatMap((one, index) =>
      now[index] === one ? [] : [`${operation}: ${now[index] ?? ''} stands where ${one} was; new ones come last`],
    );
  });
}

export function currentSignatures(): Signatures {
  return signaturesOf(
    new Map(sdkApis.map((api) => [api, documentOfTree(api, 'localhost') as unknown as OpenApiDocument])),
  );
}

export function parseSignatures(text: string): Signatures {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [api = '', operation = '', ...parameters] = line.split(' ');
      return [`${api} ${operation}`, parameters];
    }),
  );
}

/** Makes the methods of this tree the ones that later trees are compared with: at a release. */
export function writeSignatures(): void {
  const lines = [...currentSignatures()].map(([operation, parameters]) => [operation, ...parameters].join(' '));
  writeFileSync(SIGNATURES, `${lines.join('\n')}\n`);
}
