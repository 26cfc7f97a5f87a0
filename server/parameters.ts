/** Query and header parameters of an operation, read and checked as its spec says. Unknown ones are ignored. */
import type { IncomingHttpHeaders } from 'node:http';
import type { DomainError } from '../domain/errors.js';
import { invalidField } from '../domain/errors.js';
import type { OperationSpec, ParameterSpec } from '../generated/operation.js';
import formats from '../generated/formats.cjs';

type Values = Record<string, unknown>;

/** @throws DomainError `invalidField` naming the parameter */
export function readQuery(operation: OperationSpec, search: string): Values {
  const values: Values = {};
  if (search === '' && !operation.parameters.some((spec) => spec.required)) return values;
  const query = new URLSearchParams(search);
  for (const spec of operation.parameters) {
    if (spec.in !== 'query') continue;
    const all = query.getAll(spec.name);
    const value =
      spec.type === 'array'
        ? all.length === 0
          ? undefined
          : all.map((item) => check(spec, item))
        : single(spec, all[0]);
    if (value !== undefined) values[spec.name] = value;
  }
  return values;
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
    if (spec.required) throw invalidField(spec.name, `${spec.name} in ${spec.in} is required`, '', ruleOf(spec));
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

/** For the log, which repeats nothing of what was sent. */
function ruleOf({ name, in: place }: ParameterSpec): string {
  return `${name} in ${place}`;
}

function wrongType(spec: ParameterSpec, type: string, text: string): DomainError {
  return invalidField(
    spec.name,
    `${spec.name} in ${spec.in} must be of type ${type}: "${text.slice(0, 100)}"`,
    text.slice(0, 100),
    ruleOf(spec),
  );
}

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
  if (spec.minimum !== null && value < spec.minimum)
    throw invalidField(
      spec.name,
      `${spec.name} in ${spec.in} should be greater than or equal to ${spec.minimum}`,
      text.slice(0, 100),
      ruleOf(spec),
    );
  if (spec.maximum !== null && value > spec.maximum)
    throw invalidField(
      spec.name,
      `${spec.name} in ${spec.in} should be less than or equal to ${spec.maximum}`,
      text.slice(0, 100),
      ruleOf(spec),
    );
  return value;
}

function check(spec: ParameterSpec, text: string): string {
  if (text.includes('\0'))
    throw invalidField(spec.name, `${spec.name} in ${spec.in} must not contain a NUL character`, '', ruleOf(spec));
  if (spec.enum !== null && !spec.enum.includes(text))
    throw invalidField(
      spec.name,
      `${spec.name} in ${spec.in} should be one of [${spec.enum.join(' ')}]`,
      text.slice(0, 100),
      ruleOf(spec),
    );
  if (spec.minLength !== null && text.length < spec.minLength)
    throw invalidField(
      spec.name,
      `${spec.name} in ${spec.in} should be at least ${spec.minLength} chars long`,
      text,
      ruleOf(spec),
    );
  if (spec.maxLength !== null && text.length > spec.maxLength)
    throw invalidField(
      spec.name,
      `${spec.name} in ${spec.in} should be at most ${spec.maxLength} chars long`,
      text.slice(0, 100),
      ruleOf(spec),
    );
  const format = spec.format === null ? undefined : formats[spec.format];
  if (format !== undefined && !format.test(text)) throw wrongType(spec, spec.format ?? '', text);
  return text;
}
