/**
 * Checks config data against the JSON Schema of its config type: the adapter to the validator library. Schemas are
 * user-supplied, so none can make a check run long: patterns are linear, unique items are found by hashing, and every
 * check has a budget of steps. The schema itself is read and bounded by `schema-shape.ts`.
 */
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { formats } from './formats.js';
import type { Pattern } from './patterns.js';
import { toFieldError } from './schema-errors.js';
import { invalidSchema, type SchemaNode } from './schema-fault.js';
import { plainSchema, type PlainDocument } from './schema-shape.js';

export interface ConfigSchema {
  /** @throws DomainError `invalidField` that names the first fault */
  validate(data: unknown): void;
  /** Estimated memory in KiB. */
  readonly kib: number;
}

/** Limit of one check; a config of 1000 port ranges takes about 12,000. A step is at most about 0.4 us. */
const BUDGET_STEPS = 500_000;

/** Steps that are left. Checks are synchronous, so one counter per schema will do. */
interface Budget {
  steps: number;
}
class BudgetSpent extends Error {}

/** @throws DomainError `invalidField` on `schema`, `invalid schema …` */
export function compileConfigSchema(schema: object): ConfigSchema {
  const plain = plainSchema(schema as SchemaNode);
  const budget: Budget = { steps: 0 };
  const check = compile(plain, budget);
  return {
    kib: plain.kib,
    validate: (data) => {
      budget.steps = BUDGET_STEPS;
      if (runs(check, data)) return;
      // The outermost of nested faults comes last: the failed `anyOf`, `else` or `not` rather than what failed in it.
      const fault = check.errors?.at(-1);
      if (fault) throw toFieldError(fault);
    },
  };
}

function compile({ schema, patterns }: PlainDocument, budget: Budget): ValidateFunction {
  const ajv = new Ajv(options(patterns, budget));
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (isOn: boolean) => (isOn ? uniqueItems(budget) : () => true),
  });
  ajv.addKeyword({
    keyword: 'weight',
    before: '$ref',
    errors: false,
    compile: (weight: number) => (data: unknown) => {
      spend(budget, weight + sizeOf(data));
      return true;
    },
  });
  try {
    return ajv.compile(schema);
  } catch (cause) {
    throw invalidSchema(cause instanceof Error ? cause.message : 'cannot be compiled');
  }
}

function options(patterns: ReadonlyMap<string, Pattern>, budget: Budget): Options {
  const regExp = (source: string) => {
    const pattern = patterns.get(source) as Pattern;
    return {
      test: (text: string) => {
        spend(budget, 1 + Math.ceil((text.length * pattern.instructions) / 16));
        return pattern.test(text);
      },
      // The library tells patterns apart by this text.
      toString: () => source,
    };
  };
  // Optimized code runs no faster in a measurable way and takes two to five times as long to make.
  return {
    strict: false,
    meta: false,
    validateSchema: false,
    logger: false,
    addUsedSchema: false,
    inlineRefs: false,
    ownProperties: true,
    verbose: true,
    formats,
    code: { regExp: Object.assign(regExp, { code: '' }), optimize: false },
    loopRequired: 8,
    loopEnum: 20,
  };
}

function runs(check: ValidateFunction, data: unknown): boolean {
  try {
    return check(data);
  } catch (error) {
    if (!(error instanceof BudgetSpent || error instanceof RangeError)) throw error;
    throw toFieldError({ keyword: 'weight', instancePath: '', params: {} });
  }
}

function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new BudgetSpent();
}

/** Returns the cost of checking one value, apart from the values below it. */
function sizeOf(data: unknown): number {
  if (typeof data === 'string') return data.length >> 6;
  if (Array.isArray(data)) return data.length >> 3;
  return typeof data === 'object' && data !== null ? Object.keys(data).length : 0;
}

type Check = ((data: unknown[]) => boolean) & { errors?: { keyword: string; params: object }[] };

/** Linear in the size of the data, where comparing each with each is quadratic in the number of items. */
function uniqueItems(budget: Budget): Check {
  const check: Check = (data) => {
    const seen = new Map<string, number>();
    for (const [j, item] of data.entries()) {
      const key = canonical(item);
      spend(budget, 1 + (key.length >> 6));
      const i = seen.get(key);
      if (i !== undefined) {
        check.errors = [{ keyword: 'uniqueItems', params: { i, j } }];
        return false;
      }
      seen.set(key, j);
    }
    return true;
  };
  return check;
}

/** The same text for equal values: names sorted, numbers as JSON has them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`;
}
