/** Where the files of deploy/ are, and the programs that read them. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const deploy = join(root, 'deploy');
export const chart = join(deploy, 'helm/edge-controller');
export const textOf = (path: string): string => readFileSync(join(deploy, path), 'utf8');

/** Where a program is: by a variable, or on the path. */
export function programAt(variable: string, name: string): string | undefined {
  const given = process.env[variable];
  const found = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return [...(given === undefined || given === '' ? [] : [given]), ...found].find((path) => existsSync(path));
}

/** Why a test that needs it is not run. */
export const lackOf = (path: string | undefined, name: string, variable: string): string | undefined =>
  path === undefined ? `no ${name} on the path or in ${variable}` : undefined;
