/** What the suites of docs/operations share: the pages, and the tables and blocks in them. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blocksOf } from './page.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const folder = join(root, 'docs/operations');
export const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
export const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** The cells of every row of the tables of a page. */
export const rowsOf = (name: string): string[][] =>
  textOf(name)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    );

export const blockOf = (name: string, language: string): string => {
  const block = blocksOf(join(folder, name)).find((candidate) => candidate.language === language);
  if (block === undefined) throw new Error(`${name} has no block of ${language}`);
  return `${block.text}\n`;
};
