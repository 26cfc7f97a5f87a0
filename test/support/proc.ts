import { readFileSync } from 'node:fs';

/** What a file below /proc says; empty when the process is gone. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
