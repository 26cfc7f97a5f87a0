/** What SDKs are built with, as far as this machine has it. */
import { spawn, spawnSync } from 'node:child_process';
import type { Language } from '../../scripts/sdk/languages.js';

/** Commands that answer their version, and the least that will do. */
const PROGRAMS: Readonly<Record<string, { command: string; args: readonly string[]; least: number }>> = {
  java: { command: 'java', args: ['-version'], least: 11 },
  javac: { command: 'javac', args: ['-version'], least: 17 },
  maven: { command: 'mvn', args: ['-B', '-version'], least: 3 },
  go: { command: 'go', args: ['version'], least: 1.23 },
  python: { command: 'python3', args: ['--version'], least: 3.9 },
  'venv of python': { command: 'python3', args: ['-c', 'import venv, ensurepip; print(1)'], least: 1 },
};
/** All need java, which OpenAPI Generator runs on. */
const NEEDED: Readonly<Record<Language, readonly string[]>> = {
  typescript: ['java'],
  go: ['java', 'go'],
  python: ['java', 'python', 'venv of python'],
  java: ['java', 'javac', 'maven'],
};

/** What a language lacks here, for people; undefined when it lacks nothing. */
export function lackOf(language: Language): string | undefined {
  for (const name of NEEDED[language]) {
    const { command, args, least } = PROGRAMS[name] as (typeof PROGRAMS)[string];
    const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8' });
    // Not the number in a change of colour.
    const [, major = '0', minor = '0'] = /(?<!\[)(\d+)(?:\.(\d+))?/.exec(`${stdout}${stderr}`) ?? [];
    if (status !== 0) return `no ${name} (${command})`;
    const isEnough = Number(major) > Math.floor(least) || isAtLeast(Number(major), Number(minor), least);
    if (!isEnough) return `${name} is ${major}.${minor}, and ${least} is needed`;
  }
  return undefined;
}

/** 1.23 is after 1.9: what stands after the dot is a number of its own. */
function isAtLeast(major: number, minor: number, least: number): boolean {
  const [wantedMajor = 0, wantedMinor = 0] = String(least).split('.').map(Number);
  return major === wantedMajor && minor >= wantedMinor;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a program prints. @throws Error with all that it said when it fails */
export function run(command: string, args: readonly string[], { cwd, env = {} }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let [printed, all] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      all += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      all += text;
    });
    child.once('error', reject);
    child.once('close', (status) => {
      if (status === 0) resolve(printed);
      else reject(new Error(`${[command, ...args].slice(0, 4).join(' ')}: status ${status}\n${all.slice(-6000)}`));
    });
  });
}
