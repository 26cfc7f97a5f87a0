/** A name means one thing: no two files of production export the same one. knip finds exports that nothing imports. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const PRODUCTION = ['domain', 'db', 'handlers', 'fabric', 'server', 'commands'];
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;

/** The specs give both APIs operations of one name, and messages of the control channel are called like operations. */
const isNamedBySpec = (file: string) => /^(handlers\/(client|fabric|management)|fabric\/messages)\//.test(file);

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });

describe('the names that production files export', () => {
  it('are exported by one file each', () => {
    const filesOf = new Map<string, Set<string>>();
    for (const file of PRODUCTION.flatMap(filesBelow)) {
      const text = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      for (const [, name = ''] of text.matchAll(EXPORT)) filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
    }
    expect(filesOf.size, 'names found').to.be.greaterThan(1500);
    const doubled = [...filesOf].filter(([, files]) => files.size > 1 && ![...files].every(isNamedBySpec));
    expect(doubled.map(([name]) => name)).to.deep.equal([]);
  });
});
