/**
 * Pages of the documentation whose commands are run: their blocks, and a shell that keeps its variables between them.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './poll.js';
import { MAIN } from './process.js';

export interface Block {
  /** `sh` or `sql`. */
  readonly language: string;
  /** Words after the language, such as `stopped`. */
  readonly notes: readonly string[];
  readonly text: string;
  /** The heading above it. */
  readonly section: string;
  readonly line: number;
}

/** The fenced blocks of a page that have a language, in order. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let section = '';
  let open: { info: string; line: number; lines: string[] } | undefined;
  readFileSync(page, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      const fence = /^```(.*)$/.exec(line)?.[1];
      if (open === undefined) {
        if (fence !== undefined) open = { info: fence, line: index + 1, lines: [] };
        else section = /^#+ (.*)$/.exec(line)?.[1] ?? section;
      } else if (fence === undefined) {
        open.lines.push(line);
      } else {
        const [language = '', ...notes] = open.info.split(' ');
        if (language !== '') blocks.push({ language, notes, text: open.lines.join('\n'), section, line: open.line });
        open = undefined;
      }
    });
  return blocks;
}

/**
 * `npx edge-controller` without looking for its package, which a test must not fetch.
 * @returns the directory, for the path of a shell
 */
export function placeShim(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const shim = join(directory, 'npx');
  writeFileSync(shim, `#!/bin/sh\n[ "$1" = edge-controller ] && shift\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(shim, 0o755);
  return directory;
}

/** Lines of standard error that tell of no trouble: of the log, of progress on a slow machine, and of its users. */
const NEWS = /^{"level":"info",|^(?:Taking|Restoring) the snapshot: |runs as a user that other programs use as well/;

/** What a command writes to standard error, but for those. */
export const withoutNews = (stderr: string): string =>
  stderr
    .split('\n')
    .filter((line) => !NEWS.test(line))
    .join('\n');

/**
 * One test for each block. Each builds on those before it: after one that failed the rest are not run, and say so.
 * @returns  whether one has failed
 */
export function itEachBlock(blocks: readonly Block[], run: (block: Block) => Promise<void>): () => boolean {
  let hasFailed = false;
  for (const block of blocks)
    it(`${block.section}, line ${block.line}`, async function runs() {
      if (hasFailed) {
        const { test } = this;
        if (test !== undefined) test.title += ' (not run: a block before it failed)';
        this.skip(); // it builds on the one that failed, which is reported
      }
      hasFailed = true;
      await run(block);
      hasFailed = false;
    });
  return () => hasFailed;
}

export interface Shell {
  /** Runs a block to its end. @returns what it wrote @throws with that when a command of it fails */
  run(text: string): Promise<{ readonly stdout: string; readonly stderr: string }>;
  close(): Promise<void>;
}

const DEADLINE_MS = 60_000;

/** `/bin/sh` that stops at the first failure. @param place  its directory for scripts, not its working directory */
export function openShell({
  cwd,
  place,
  env,
}: {
  cwd: string;
  place: string;
  env: Readonly<Record<string, string>>;
}): Shell {
  const shell = spawn('/bin/sh', ['-eu'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  let isOver = false;
  const ended = new Promise<void>((resolve) => {
    shell.once('close', () => {
      isOver = true;
      resolve();
    });
  });
  shell.stdin.on('error', () => undefined);
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  let count = 0;
  return {
    async run(text) {
      count += 1;
      const [file, mark] = [join(place, `block-${count}.sh`), `-- end of block ${count} --\n`];
      writeFileSync(file, `${text}\n`);
      const from = [output.stdout.length, output.stderr.length];
      shell.stdin.write(
        `. ${file} < /dev/null\nprintf '%s\\n' '${mark.trim()}'; printf '%s\\n' '${mark.trim()}' >&2\n`,
      );
      const fresh = () => [output.stdout.slice(from[0]), output.stderr.slice(from[1])] as const;
      const isDone = () => fresh().every((each) => each.endsWith(mark));
      await until('the block ends', () => isOver || isDone(), DEADLINE_MS);
      if (!isDone()) throw new Error(`the block failed:\n${text}\n${fresh().join('\n')}`);
      const [stdout = '', stderr = ''] = fresh().map((each) => each.slice(0, -mark.length));
      return { stdout, stderr };
    },
    async close() {
      shell.stdin.end();
      await ended;
    },
  };
}
