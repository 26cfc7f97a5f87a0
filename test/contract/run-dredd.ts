/** Runs Dredd, from its own folder and in its own process, against a controller. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Api } from '../../generated/operation.js';
import { ADMIN } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import type { JsonObject } from './dredd-document.js';
import { SETTINGS_VARIABLE } from './transaction.js';
import type { HookSettings, Outcome } from './transaction.js';

/** This file runs from dist/test/contract/; Dredd is in test/contract/dredd/ of the sources. */
const DREDD = fileURLToPath(new URL('../../../test/contract/dredd/', import.meta.url));

export interface DreddRun {
  readonly outcomes: readonly Outcome[];
  readonly exitCode: number | null;
  /** What Dredd said, for a failure that no outcome shows. */
  readonly output: string;
}

/** @param document  what Dredd reads; see `dreddDocument` */
export async function runDredd(api: Api, controller: TestController, document: JsonObject): Promise<DreddRun> {
  const program = join(DREDD, 'node_modules/dredd/bin/dredd');
  if (!existsSync(program)) throw new Error('Dredd is not installed: npm ci --prefix test/contract/dredd');
  const directory = mkdtempSync(join(tmpdir(), 'edge-contract-'));
  const [documentFile, authorityFile, outcomesFile] = [`${api}.json`, 'authority.pem', 'outcomes.jsonl'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  try {
    writeFileSync(documentFile, JSON.stringify(document));
    writeFileSync(authorityFile, await authorityOf(controller));
    writeFileSync(outcomesFile, '');
    const settings: HookSettings = { api, url: localUrl(controller), ...ADMIN, outcomesFile };
    const { exitCode, output } = await run(
      program,
      [documentFile, settings.url, '--hookfiles', join(DREDD, 'hooks.cjs'), '--loglevel', 'warning', '--no-color'],
      directory,
      {
        NODE_EXTRA_CA_CERTS: authorityFile,
        EDGE_CONTRACT_HOOKS: new URL('hooks.js', import.meta.url).href,
        [SETTINGS_VARIABLE]: JSON.stringify(settings),
      },
    );
    const outcomes = readFileSync(outcomesFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Outcome);
    return { outcomes, exitCode, output };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The controller by the name that its certificate has. */
function localUrl({ url }: TestController): string {
  return `https://localhost:${new URL(url).port}`;
}

/** The network's own authority, so that Dredd verifies the controller like any client. */
async function authorityOf({ database }: TestController): Promise<string> {
  const {
    rows: [row],
  } = await database.query("SELECT cert_pem FROM pki_entities WHERE purpose = 'root' ORDER BY generation DESC LIMIT 1");
  return String(row?.['cert_pem']);
}

function run(
  program: string,
  options: string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--require', join(DREDD, 'light-copy.cjs'), program, ...options],
      {
        cwd,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (exitCode) => {
      resolve({ exitCode, output });
    });
  });
}
