/**
 * The release before this one, built from git: the last tag `v*` that is not this very commit, or, as long as no
 * release has one, the commit with which 0.1.0 ended. A clone without it (shallow, or without tags and that commit)
 * cannot say.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The end of 0.1.0, which has no tag. Any tag takes its place. */
const END_OF_0_1_0 = '7e76d048b700d12cea42e627e0961886e9ed474d';

export interface ReleaseBefore {
  /** As `git describe` has it, such as `v0.2.0`. */
  readonly name: string;
  readonly commit: string;
}

const git = (...args: readonly string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

const commitOf = (name: string): string | undefined => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);

/** Undefined where this clone does not have it. */
export function findReleaseBefore(): ReleaseBefore | undefined {
  const head = commitOf('HEAD');
  const tags = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname')?.split('\n') ?? [];
  for (const name of [...tags.filter((tag) => tag !== ''), END_OF_0_1_0]) {
    const commit = commitOf(name);
    if (commit !== undefined && commit !== head)
      return { name: name === END_OF_0_1_0 ? 'the end of 0.1.0' : name, commit };
  }
  return undefined;
}

/**
 * Its program, compiled without its tests and scripts, with the packages that are installed here.
 * @returns the file to run, with `start` as its first argument
 */
export async function buildRelease({ commit }: ReleaseBefore, place: string): Promise<string> {
  mkdirSync(place);
  const archive = join(place, 'release.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: root });
  await run('tar', ['-xf', archive], { cwd: place });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  const file = join(place, 'tsconfig.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as { include: string[]; compilerOptions: object };
  const include = settings.include.filter((folder) => folder !== 'test' && folder !== 'scripts');
  writeFileSync(file, JSON.stringify({ ...settings, include }));
  await run(process.execPath, ['scripts/build.mjs', '--no-check'], { cwd: place });
  const command = join(place, 'dist/commands/main.js');
  if (existsSync(command)) return command;
  // 0.1.0 had one command, and no name for it.
  const only = join(place, 'start.mjs');
  writeFileSync(only, "process.argv.splice(2, 1);\nawait import('./dist/server/main.js');\n");
  return only;
}
