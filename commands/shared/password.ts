/** A password that an operator gives. Never an argument: those are seen by every user of the machine. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ConfigError } from '../../server/settings/config.js';

export interface PasswordSource {
  readonly passwordFile?: string;
  readonly generate?: true;
}

/**
 * @returns undefined when one is to be made at random: as asked, or where no terminal is there to ask at
 * @throws ConfigError for a file that cannot be read or is empty, and for two answers that differ
 */
export async function givenPassword({ passwordFile, generate }: PasswordSource): Promise<string | undefined> {
  if (passwordFile !== undefined) return passwordIn(passwordFile);
  if (generate === true || !process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const terminal = openTerminal(await refusal('No password was given; nothing was changed.'));
  try {
    const first = await terminal.ask('New password (empty: a random one): ');
    if (first === '') return undefined;
    if ((await terminal.ask('Again: ')) === first) return first;
  } finally {
    terminal.close();
  }
  throw await refusal('The two passwords differ; nothing was changed. Try again.');
}

async function passwordIn(file: string): Promise<string> {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw await refusal(`The password file cannot be read: ${(error as Error).message}. Name one that you may read.`);
  }
  const password = text.split(/\r?\n/)[0] ?? '';
  if (password === '') throw await refusal('The password file has an empty first line: write the password there.');
  return password;
}

async function refusal(message: string): Promise<ConfigError> {
  const { ConfigError: Refused } = await import('../../server/settings/config.js');
  return new Refused(message);
}

interface Terminal {
  ask(question: string): Promise<string>;
  close(): void;
}

/** Nothing of what is typed is shown. @param ended  what a question fails with when the input ends */
function openTerminal(ended: Error): Terminal {
  const silent = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  // One iterator, so that what is typed ahead is the next answer.
  const typed = lines[Symbol.asyncIterator]();
  // Ctrl-D ends the iterator by itself.
  lines.once('SIGINT', () => {
    lines.close();
  });
  return {
    async ask(question) {
      process.stderr.write(question);
      const line = await typed.next();
      process.stderr.write('\n');
      if (line.done === true) throw ended;
      return line.value;
    },
    close: () => {
      lines.close();
    },
  };
}
