/** Reads and checks query and header parameters of an operation as its spec says. Unknown ones are noted. */
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError, invalidField } from '../../domain/errors.js';
import type { OperationSpec, ParameterSpec } from '../../generated/operation.js';
import formats from '../../generated/formats.cjs';
import { requirement } from './faults.js';
import type { IgnoredNames } from './ignored-names.js';

type Values = Record<string, unknown>;

/** @throws DomainError `invalidField` naming the parameter */
export function readQuery(operation: OperationSpec, search: string, ignored: IgnoredNames): Values {
  const values: Values = {};
  if (search === '' && !operation.parameters.some((spec) => spec.required)) return values;
  const query = new URLSearchParams(search);
  let known = 0;
  for (const spec of operation.parameters) {
    if (spec.in !== 'query') continue;
    const all = query.getAll(spec.name);
    known += all.length;
    const value =
      spec.type === 'array'
        ? all.length === 0
          ? undefined
          : all.map((item) => check(spec, item))
        : single(spec, all[0]);
    if (value !== undefined) values[spec.name] = value;
  }
  if (known < query.size) noteUnknown(operation, query, ignored);
  return values;
}

function noteUnknown({ parameters }: OperationSpec, query: URLSearchParams, ignored: IgnoredNames): void {
  const known = parameters.filter((spec) => spec.in === 'query').map(({ name }) => name);
  for (const name of new Set(query.keys())) if (!known.includes(name)) ignored.add('query', [name], () => known);
}

export function readHeaders(operation: OperationSpec, headers: IncomingHttpHeaders): Values {
  const values: Values = {};
  for (const spec of operation.parameters) {
    if (spec.in !== 'header') continue;
    const header = headers[spec.name.toLowerCase()];
    const value = single(spec, Array.isArray(header) ? header[0] : header);
    if (value !== undefined) values[spec.name] = value;
  }
  return values;
}

function single(spec: ParameterSpec, text: string | undefined): unknown {
  if (text === undefined || (text === '' && spec.type !== 'string')) {
    if (spec.required) throw refused(spec, 'is required', '');
    return undefined;
  }
  switch (spec.type) {
    case 'integer':
      return integer(spec, text);
    case 'number':
      return number(spec, text);
    case 'boolean': {
      if (text !== 'true' && text !== 'false') throw wrongType(spec, 'boolean', text);
      return text === 'true';
    }
    case 'string':
    case 'array':
      return check(spec, text);
  }
}

/** Rule for the log, which repeats nothing of what was sent. */
function ruleOf({ name, in: place }: ParameterSpec): string {
  return `${name} in ${place}`;
}

/** Counts characters, as the same keyword does in a body: one beyond UTF-16's first plane counts once, not twice. */
const isShorter = (text: string, limit: number): boolean =>
  text.length < limit || (text.length < 2 * limit && [...text].length < limit);

/** Finds what is wrong with one value of a text, or of a list of texts. */
export function checkText(spec: ParameterSpec, text: string): DomainError | undefined {
  try {
    check(spec, text);
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

const MAX_SHOWN = 100;

/** @param broken  what the text breaks, in the words of `requirement` */
function refused(spec: ParameterSpec, broken: string, text: string): DomainError {
  const message = `${spec.name} in ${spec.in} ${broken}`;
  return invalidField(spec.name, message, text.slice(0, MAX_SHOWN), ruleOf(spec));
}

const wrongType = (spec: ParameterSpec, format: string, text: string): DomainError =>
  refused(spec, `${requirement('format', { format })}: "${text.slice(0, MAX_SHOWN)}"`, text);

function integer(spec: ParameterSpec, text: string): number {
  if (!/^[+-]?\d{1,19}$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text))
    throw wrongType(spec, spec.format ?? 'int64', text);
  const value = range(spec, Number(text), text);
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER));
}

function number(spec: ParameterSpec, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw wrongType(spec, 'number', text);
  return range(spec, value, text);
}

function range(spec: ParameterSpec, value: number, text: string): number {
  const { minimum, maximum } = spec;
  if (minimum !== null && value < minimum) throw refused(spec, requirement('minimum', { limit: minimum }), text);
  if (maximum !== null && value > maximum) throw refused(spec, requirement('maximum', { limit: maximum }), text);
  return value;
}

function check(spec: ParameterSpec, text: string): string {
  const { enum: allowedValues, minLength, maxLength } = spec;
  if (text.includes('\0')) throw refused(spec, 'must not contain a NUL character', '');
  if (allowedValues !== null && !allowedValues.includes(text))
    throw refused(spec, requirement('enum', { allowedValues }), text);
  if (minLength !== null && isShorter(text, minLength))
    throw refused(spec, requirement('minLength', { limit: minLength }), text);
  if (maxLength !== null && !isShorter(text, maxLength + 1))
    throw refused(spec, requirement('maxLength', { limit: maxLength }), text);
  const format = spec.format === null ? undefined : formats[spec.format];
  if (format !== undefined && !format.test(text)) throw wrongType(spec, spec.format ?? '', text);
  return text;
}
