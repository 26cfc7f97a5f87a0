/**
 * Production files that import each other in a circle. What such a file has when it is loaded depends on which of
 * them was asked for first. There is none, of values or of types.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = ['domain', 'db', 'handlers', 'fabric', 'server', 'commands', 'scripts', 'lab'];

interface Imports {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

const isOnlyTypes = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
};

/** The files of this project that one imports when it is loaded, by path from the root. */
function importsOf(file: string, text: string): Imports {
  const found = { values: [] as string[], types: [] as string[] };
  for (const node of ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements) {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) continue;
    const from = node.moduleSpecifier;
    if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith('.')) continue;
    const path = posix.join(posix.dirname(file), from.text).replace(/\.js$/, '.ts');
    found[isOnlyTypes(node) ? 'types' : 'values'].push(path);
  }
  return found;
}

/** Strongly connected components of more than one file, by Tarjan; each sorted. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const visited = new Map<string, { readonly index: number; low: number }>();
  const path: string[] = [];
  const visit = (file: string) => {
    const own = { index: visited.size, low: visited.size };
    visited.set(file, own);
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!graph.has(next)) continue;
      const known = visited.get(next);
      if (known === undefined) own.low = Math.min(own.low, visit(next).low);
      else if (path.includes(next)) own.low = Math.min(own.low, known.index);
    }
    if (own.low === own.index) {
      const circle = path.splice(path.indexOf(file)).sort();
      if (circle.length > 1 || graph.get(file)?.includes(file) === true) circles.push(circle);
    }
    return own;
  };
  for (const file of graph.keys()) if (!visited.has(file)) visit(file);
  return circles;
}

describe('circles of imports', () => {
  it('are found, the largest that there are', () => {
    const graph = { a: ['b'], b: ['c', 'x'], c: ['b', 'a'], d: ['a', 'e'], e: ['f'], f: ['e'], g: ['g'], h: [] };
    expect(circlesOf(new Map(Object.entries(graph)))).to.deep.equal([['a', 'b', 'c'], ['e', 'f'], ['g']]);
  });

  it('are told apart by what is imported', () => {
    const text = `
      import type { A } from './a.js';
      import B, { type C } from '../b.js';
      import './c.js';
      export * from './d.js';
      export type { E } from './e.js';
      export const f = () => import('./f.js');
      import { G } from 'g';`;
    expect(importsOf('server/x/y.ts', text)).to.deep.equal({
      values: ['server/b.ts', 'server/x/c.ts', 'server/x/d.ts'],
      types: ['server/x/a.ts', 'server/x/e.ts'],
    });
  });

  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .map((name) => posix.join(folder, name)),
  );
  const imports = new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]));
  const circles = (edges: (all: Imports) => readonly string[]) =>
    circlesOf(new Map([...imports].map(([file, all]) => [file, edges(all)])));

  it('do not exist among values', () => {
    expect(circles(({ values }) => values)).to.deep.equal([]);
  });

  it('do not exist among types', () => {
    expect(circles(({ values, types }) => [...values, ...types])).to.deep.equal([]);
  });
});
