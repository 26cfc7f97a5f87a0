/**
 * The adapter to the linear-time regular expressions (RE2 syntax: no look-around, no back references). Patterns come
 * from administrators and texts from anybody who may write a config: neither may hold up the process.
 */
import { RE2JS } from 're2js';

const MAX_PATTERN_CHARACTERS = 1_000;
/** `[0-9]+(h|m|s|ms)` has 10 instructions; repeat counts multiply them. Time is at most text times instructions. */
const MAX_INSTRUCTIONS = 1_000;

export interface Pattern {
  readonly source: string;
  /** Cost of `test` for each character, in instructions. */
  readonly instructions: number;
  /** True when the pattern occurs anywhere in the text. */
  test(text: string): boolean;
}

/** @throws Error that says why the pattern cannot be used */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_PATTERN_CHARACTERS)
    throw new Error(`the pattern is longer than ${MAX_PATTERN_CHARACTERS} characters`);
  const compiled = compile(source);
  const instructions = compiled.programSize();
  if (instructions > MAX_INSTRUCTIONS) throw new Error('the pattern is too large: use smaller repeat counts');
  return { source, instructions, test: (text) => compiled.test(text) };
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (cause) {
    const text = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, '') : 'unreadable';
    throw new Error(`the pattern is not in RE2 syntax: ${text}`, { cause });
  }
}
