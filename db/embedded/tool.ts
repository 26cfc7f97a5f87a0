/** Running one of PostgreSQL's programs, or of the system's, under the server's account until it ends. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Account } from './account.js';
import { serverEnvironment } from './binaries.js';
import { codeOf, EmbeddedDatabaseError } from './error.js';

export interface ToolRun {
  readonly cwd: string;
  readonly account: Account;
  /** Begins the error message when the program fails. */
  readonly purpose: string;
  readonly input?: string;
}

/** @throws EmbeddedDatabaseError with the last lines of its output */
export async function runTool(
  program: string,
  args: readonly string[],
  { cwd, account, purpose, input = '' }: ToolRun,
): Promise<void> {
  const tool = spawn(program, args, { cwd, env: serverEnvironment(), stdio: 'pipe', ...account });
  let output = '';
  for (const stream of [tool.stdout, tool.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  // A tool that ends before it has read everything says why in its output.
  tool.stdin.on('error', () => undefined).end(input);
  const outcome = await new Promise<number | string | null>((resolve) => {
    tool.once('error', (error) => resolve(codeOf(error) ?? error.message));
    tool.once('close', resolve);
  });
  if (outcome !== 0) {
    throw new EmbeddedDatabaseError(
      `${purpose}: ${path.basename(program)} ended with ${outcome ?? 'a signal'}. ` +
        'Free space or correct what its output names, then start again.',
      { logLines: output.trimEnd().split('\n').slice(-12).join('\n') },
    );
  }
}
