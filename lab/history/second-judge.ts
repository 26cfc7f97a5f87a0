/**
 * Has the registers judged a second time, by Porcupine (lab/history/porcupine/, a program in Go): it knows nothing of
 * versions, and looks for an order by itself. Only where Go is found and its packages can be had.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ofKind } from './record.js';
import type { Entry, Read, Write } from './record.js';

const run = promisify(execFile);
const SOURCE = fileURLToPath(new URL('../../../lab/history/porcupine/', import.meta.url));
const BUILD_MS = 180_000;

/** An operation as the program reads it. */
export interface JudgedOperation {
  readonly key: string;
  readonly client: number;
  readonly start: number;
  /** Absent: it may have been done at any time after its start. */
  readonly end?: number;
  readonly do: 'read' | 'write' | 'swap' | 'refused';
  readonly value: string;
  readonly expected: string;
}

/**
 * Operations that say something. Writes that may not have been done, and that nobody has seen, are left out: they may
 * be put behind all others.
 */
export function judgedOperations(entries: readonly Entry[]): JudgedOperation[] {
  const all = ofKind(entries, 'write', 'read');
  const clients = new Map([...new Set(all.map(({ client }) => client))].map((client, index) => [client, index]));
  const seen = new Set([
    ...ofKind(entries, 'read').flatMap(({ value }) => value ?? []),
    ...ofKind(entries, 'audit').flatMap(({ after }) => after ?? []),
  ]);
  const values = new Map(
    all.flatMap(({ key, version, value }) => (version === undefined ? [] : [[`${key} ${version}`, value]])),
  );
  return all.flatMap((operation): JudgedOperation[] => {
    const { key, client, start, end, value = '' } = operation;
    const base = { key, client: clients.get(client) ?? 0, start, value };
    if (operation.kind === 'read')
      return operation.outcome === 'ok' && operation.value !== undefined
        ? [{ ...base, end, do: 'read', expected: '' }]
        : [];
    return judgedWrite(operation, base, values, seen);
  });
}

function judgedWrite(
  { key, end, outcome, answer, base: version, value }: Write,
  fields: Pick<JudgedOperation, 'key' | 'client' | 'start' | 'value'>,
  values: ReadonlyMap<string, Read['value']>,
  seen: ReadonlySet<string>,
): JudgedOperation[] {
  const expected = version === undefined ? undefined : values.get(`${key} ${version}`);
  if (outcome === 'failed')
    return answer.startsWith('412') && expected !== undefined ? [{ ...fields, end, do: 'refused', expected }] : [];
  if (outcome === 'unknown' && !seen.has(value)) return [];
  const kind = expected === undefined ? 'write' : 'swap';
  return [{ ...fields, ...(outcome === 'ok' ? { end } : {}), do: kind, expected: expected ?? '' }];
}

export interface SecondVerdict {
  /** One line, with what it came to or why there is none. */
  readonly line: string;
  readonly isIllegal: boolean;
}

/** Never throws: without Go there is no second judge. */
export async function judgeAgain(entries: readonly Entry[]): Promise<SecondVerdict> {
  const place = mkdtempSync(join(tmpdir(), 'edge-porcupine-'));
  try {
    const program = join(place, 'judge');
    await run('go', ['build', '-o', program, '.'], { cwd: SOURCE, timeout: BUILD_MS });
    const text = await output(program, judgedOperations(entries));
    const verdicts = text
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    const of = (wanted: string) => verdicts.filter(([, , verdict]) => verdict === wanted);
    const count = verdicts.reduce((sum, [, operations]) => sum + Number(operations), 0);
    const illegal = of('illegal').map(([key]) => key);
    const told = illegal.length === 0 ? '' : `: ${illegal.join(', ')}`;
    return {
      line:
        `${verdicts.length} registers with ${count} operations: ${of('ok').length} linearizable, ` +
        `${of('unknown').length} undecided in time, ${illegal.length} not${told}`,
      isIllegal: illegal.length > 0,
    };
  } catch (error) {
    const reason = (error as Error).message.split('\n').slice(0, 2).join(' ');
    return { line: `no second judge: Go or its package Porcupine is not here (${reason})`, isIllegal: false };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function output(program: string, operations: readonly JudgedOperation[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [], { stdio: ['pipe', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(text);
      else reject(new Error(`it ended with ${String(code)}`));
    });
    child.stdin.end(operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''));
  });
}
