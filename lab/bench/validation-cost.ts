/**
 * What it costs to check an answer against its spec, compared with what it costs to write it: on a real list of 500.
 */
import { performance } from 'node:perf_hooks';
import { operations } from '../../generated/operations.js';
import { validatorsOf } from '../../server/http/spec-check.js';
import { MANAGEMENT } from './world.js';
import type { World } from './world.js';

export interface ValidationCost {
  readonly items: number;
  readonly bytes: number;
  readonly validateUs: number;
  readonly stringifyUs: number;
  /** Whether the answer passed: another controller's may not. */
  readonly isValid: boolean;
}

const SECONDS = 0.5;

export async function measureValidation({ admin }: World): Promise<ValidationCost> {
  const { json, data } = await admin.send('GET', `${MANAGEMENT}/identities?limit=500`);
  const name = operations.management.listIdentities.responses['200']?.validator;
  const validate = typeof name === 'string' ? validatorsOf.management[name] : undefined;
  if (validate === undefined) throw new Error('the list of identities has no validator');
  return {
    items: Array.isArray(data) ? data.length : 0,
    bytes: Buffer.byteLength(JSON.stringify(json)),
    isValid: validate(json),
    validateUs: timeUs(() => validate(json)),
    stringifyUs: timeUs(() => JSON.stringify(json)),
  };
}

/** The median of single runs, after as many unmeasured ones as make it fast. */
function timeUs(act: () => unknown): number {
  const times: number[] = [];
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end;) {
    const start = performance.now();
    act();
    times.push(performance.now() - start);
  }
  const warm = times.slice(Math.floor(times.length / 3)).sort((a, b) => a - b);
  return (warm[Math.floor(warm.length / 2)] ?? NaN) * 1000;
}
