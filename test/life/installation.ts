/**
 * The compiled command with its packages, where another user may read it: in place if that is possible, else a copy.
 */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { MAIN } from '../support/process.js';

const run = promisify(execFile);
const DIST = dirname(dirname(MAIN));

export interface Installation {
  readonly node: string;
  readonly main: string;
}

/** @param place  where a copy may be made */
export async function installationFor(owner: { uid: number; gid: number }, place: string): Promise<Installation> {
  const inPlace = { node: process.execPath, main: MAIN };
  const works = await run(inPlace.node, [inPlace.main, '--version'], { ...owner, cwd: '/', env: {} }).then(
    () => true,
    () => false,
  );
  return works ? inPlace : copyInto(place);
}

/** Everything that the running command needs, and nothing of the development tools. */
export function copyInto(place: string): Installation {
  chmodSync(place, 0o755);
  const home = join(place, 'controller');
  mkdirSync(join(home, 'node_modules'), { recursive: true });
  cpSync(DIST, join(home, 'dist'), { recursive: true, filter: (path) => path !== join(DIST, 'test') });
  const modules = findUp('node_modules');
  const manifest = join(dirname(modules), 'package.json');
  copyFileSync(manifest, join(home, 'package.json'));
  const copy = (name: string): void => {
    const [from, to] = [join(modules, name), join(home, 'node_modules', name)];
    if (existsSync(to) || !existsSync(from)) return;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    neededBy(join(to, 'package.json')).forEach(copy);
  };
  neededBy(manifest).forEach(copy);
  const node = join(home, 'node');
  copyFileSync(process.execPath, node);
  return { node, main: join(home, 'dist', 'commands', 'main.js') };
}

function neededBy(manifest: string): string[] {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
}

function findUp(name: string): string {
  for (let directory = DIST; ; directory = dirname(directory)) {
    if (existsSync(join(directory, name))) return join(directory, name);
    if (directory === dirname(directory)) throw new Error(`no ${name} above ${DIST}`);
  }
}
