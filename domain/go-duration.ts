/** Durations as clients written in Go send them: `90s`, `1h30m`, `1.5h`. */
import { invalidField } from './errors.js';

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * @param field  that a refusal names
 * @returns milliseconds, which may have a fraction or be negative
 * @throws DomainError `invalidField`, with the reason that Go gives
 */
export function parseGoDuration(field: string, text: string): number {
  const fault = (what: string) => invalidField(field, `time: ${what} "${text}"`, text);
  if (/^[-+]?0$/.test(text)) return 0;
  // Sticky: each part begins where the one before it ended, so that a text is read once.
  const part = /(\d+(?:\.\d*)?|\.\d+)([^\d.]*)/y;
  part.lastIndex = /^[-+]/.test(text) ? 1 : 0;
  let ms = 0;
  do {
    const [, amount, unit = ''] = part.exec(text) ?? [];
    if (amount === undefined) throw fault('invalid duration');
    if (unit === '') throw fault('missing unit in duration');
    const factor = Object.hasOwn(UNIT_MS, unit) ? UNIT_MS[unit] : undefined;
    if (factor === undefined) throw fault(`unknown unit "${unit}" in duration`);
    ms += Number(amount) * factor;
  } while (part.lastIndex < text.length);
  return text.startsWith('-') ? -ms : ms;
}
