/** A validator's fault in the words that clients of this field know. */
import type validators from '../../generated/management/validators.cjs';
import { DomainError, invalidField } from '../../domain/errors.js';
import { nearestWord } from '../../domain/nearest-word.js';
import { jsonStart, valueText } from '../../domain/value-text.js';
import type { IgnoredNames } from './ignored-names.js';

export type BodyFault = validators.ValidationFault;

/** `/processes/0/path` as `processes.0.path`. */
function pathOf(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

function valueAt(body: unknown, pointer: string): unknown {
  let value = body;
  for (const part of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}

/** Characters of the sentence about what should have been an object. */
const SHOWN_OF_OBJECT = 300;
const SHOWN_OF_NAME = 100;

/** Fields whose refused value is not shown: it may be a secret, or a part of one. */
const secretField = /password|secret|key|code/i;
/** A number; only its name speaks of a secret. */
const openField = /(^|\.)minPasswordLength$/;

/** Names of credentials that other faults than a wrong type may show: only their form is refused then. */
const credentialField = /token|jwt|csr|pem/i;

/** A value of the wrong type, unless it may hold a credential: what is or should be a list or an object may. */
const shownOfWrongType = (field: string, types: string, value: unknown): unknown =>
  credentialField.test(field) || /object|array/.test(types) || (typeof value === 'object' && value !== null)
    ? ''
    : value;

const mayBeSecret = (field: string): boolean => secretField.test(field) && !openField.test(field);

/**
 * @param bodyName  the body parameter's name in the spec
 * @param ignored  names in the body that have no effect: one may be meant for what is missing
 */
export function bodyFault(fault: BodyFault, body: unknown, bodyName: string, ignored: IgnoredNames): DomainError {
  const error = plainFault(fault, body, bodyName);
  error.sentence = sentenceOf(fault, body, error.field?.field ?? '', ignored);
  return error;
}

/** Suggests what may have been meant. It repeats names and values of the spec, and names that were sent. */
function sentenceOf(
  { keyword, params, instancePath }: BodyFault,
  body: unknown,
  field: string,
  ignored: IgnoredNames,
): string | undefined {
  if (keyword === 'required') {
    const sent = ignored.like(field);
    return sent === undefined ? undefined : `The body has ${sent.slice(0, SHOWN_OF_NAME)}, which is not known here.`;
  }
  const value = valueAt(body, instancePath);
  if (typeof value !== 'string') return undefined;
  if (keyword === 'enum') {
    const allowed = (params['allowedValues'] as readonly unknown[]).filter((item) => typeof item === 'string');
    const near = nearestWord(value.slice(0, SHOWN_OF_NAME), allowed);
    return near === undefined ? undefined : `Did you mean ${near}?`;
  }
  if (keyword !== 'type') return undefined;
  const types = [params['type']].flat();
  if (types.includes('boolean')) return 'Write true or false without quotes.';
  return types.includes('integer') || types.includes('number') ? 'Write a number without quotes.' : undefined;
}

function plainFault(fault: BodyFault, body: unknown, bodyName: string): DomainError {
  const at = pathOf(fault.instancePath);
  const logReason = ruleOf(fault);
  if (fault.keyword === 'required') {
    const missing = String(fault.params['missingProperty']);
    const field = at === '' ? missing : `${at}.${missing}`;
    return invalidField(field, `${field} in body is required`, undefined, logReason);
  }
  const field = at === '' ? bodyName : at;
  const value = valueAt(body, fault.instancePath);
  const shown = mayBeSecret(field) || fault.keyword === 'maxBytes' ? '' : value;
  if (fault.keyword === 'type') return typeFault(fault, field, shown);
  // Clients of this field know an empty name as a missing one.
  if (fault.keyword === 'minLength' && fault.params['limit'] === 1)
    return invalidField(field, `${field} is required`, shown, logReason);
  return invalidField(field, `${field} in body ${requirement(fault.keyword, fault.params)}`, shown, logReason);
}

/** A wrong JSON type could not even be read into the model, and has the code of that; free objects have another. */
function typeFault(fault: BodyFault, field: string, value: unknown): DomainError {
  const types = [fault.params['type']]
    .flat()
    .filter((type) => type !== 'null')
    .join(' or ');
  if (types === 'object' && fault.instancePath !== '') {
    return invalidField(
      field,
      `${field} in body must be of type object: ${jsonStart(value, SHOWN_OF_OBJECT)}`.slice(0, SHOWN_OF_OBJECT),
      value,
      ruleOf(fault),
    );
  }
  return new DomainError('unparsableBody', {
    field: {
      field,
      reason: `${field} in body must be of type ${types}`,
      value: valueText(shownOfWrongType(field, types, value)),
    },
    logReason: ruleOf(fault),
  });
}

/** The rule of the spec that a body broke: names in the spec only, since names in the body may be anything. */
function ruleOf({ keyword, params, schemaPath }: BodyFault): string {
  return keyword === 'required'
    ? `required ${String(params['missingProperty'])} ${schemaPath}`
    : `${keyword} ${schemaPath}`;
}

const shownValues = (allowed: readonly (string | null)[]): string =>
  allowed.filter((item) => item !== null && !/^posture[A-Z]/.test(item)).join(' ');

/**
 * Returns the requirement that a value breaks: the end of a sentence.
 * @param params  of the rule, as the validator names them
 */
export function requirement(keyword: string, params: Readonly<Record<string, unknown>>): string {
  const limit = String(params['limit']);
  switch (keyword) {
    case 'enum':
      return `should be one of [${shownValues(params['allowedValues'] as readonly (string | null)[])}]`;
    case 'minLength':
      return `should be at least ${limit} chars long`;
    case 'maxLength':
      return `should be at most ${limit} chars long`;
    case 'maxBytes':
      return `should be at most ${limit} bytes long as JSON text`;
    case 'minimum':
      return `should be greater than or equal to ${limit}`;
    case 'maximum':
      return `should be less than or equal to ${limit}`;
    case 'minItems':
      return `should have at least ${limit} items`;
    case 'maxItems':
      return `should have at most ${limit} items`;
    case 'uniqueItems':
      return "shouldn't contain duplicates";
    case 'pattern':
      return `should match '${String(params['pattern'])}'`;
    case 'format':
      return `must be of type ${String(params['format'])}`;
    default:
      return `is invalid (${keyword})`;
  }
}

/** Returns path and rule by which a response of ours broke its spec, for the log only: never the value. */
export function describeFault(fault: BodyFault | undefined): { path: string; rule: string } {
  return {
    path: fault?.instancePath ?? '',
    rule: `${fault?.keyword ?? 'unknown'} ${JSON.stringify(fault?.params ?? {})} ${fault?.schemaPath ?? ''}`,
  };
}
