// Which test files there are, which ones a command line means, and in what order a run of all takes them.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

export const TESTS = 'dist/test';
const ENDING = '.test.js';

/**
 * Files are in the first of these groups that has their name. What takes long is named whole, before its folder: it
 * must not come last.
 */
const GROUPS = {
  /** They compare waiting times: nothing else runs meanwhile. */
  alone: ['api/hostile-floods'],
  /** They measure gaps in seconds: beside them runs what gives way. */
  drills: ['lab/*-drill'],
  /** Compilers at work: they take what the others leave of the machine. */
  patient: ['sdk/*'],
  /** One at a time: they use what a system has once, the copy of PostgreSQL below /var/lib. */
  once: ['life/upgrade', 'life/package', 'life/packages', 'life/places', 'life/deploy-systemd', 'db/embedded-system'],
  /** Controllers as processes: they wait most of their time. */
  processes: [
    'lab/history',
    'interop/outages',
    'browser/explorer',
    'life/first-start',
    'life/renewal',
    'life/kill',
    'browser/*',
    'interop/*',
    'life/*',
  ],
  others: ['contract/*', '*'],
};

/** All of them, as paths below dist/test. */
export function testFiles(root) {
  const names = readdirSync(join(root, TESTS), { recursive: true, encoding: 'utf8' });
  // A source that was removed leaves what it was compiled to.
  const hasSource = (name) => existsSync(join(root, 'test', name.replace(/js$/, 'ts')));
  return names.filter((name) => name.endsWith(ENDING) && hasSource(name)).sort();
}

/** By group: its files, in the order in which they are taken. @param names  below dist/test */
export function grouped(names) {
  const left = new Set(names);
  const take = (pattern) => {
    const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}\\.test\\.js$`);
    const taken = [...left].filter((name) => expression.test(name));
    taken.forEach((name) => left.delete(name));
    return taken.map((name) => join(TESTS, name));
  };
  return Object.fromEntries(Object.entries(GROUPS).map(([group, patterns]) => [group, patterns.flatMap(take)]));
}

/**
 * The files that a word of the command line means: a path of the source or of what it was compiled to, a folder of
 * test/, or the bare name of a file.
 * @param names  below dist/test
 */
export function filesNamed(names, word) {
  const name = word.replace(/^(\.\/)?(dist\/)?(test\/)?/, '').replace(/(\.test)?(\.[jt]s)?$|\/$/, '');
  const isMeant = (file) => {
    const own = file.slice(0, -ENDING.length);
    return own === name || basename(own) === name || own.startsWith(`${name}/`);
  };
  const exact = names.filter((file) => file === name + ENDING);
  return (exact.length > 0 ? exact : names.filter(isMeant)).map((file) => join(TESTS, file));
}
