/** The form of network files, by the JSON Schema that editors use too. */
import { Ajv } from 'ajv';
import type { ErrorObject } from 'ajv';
import type { Json } from '../model.js';
import type { ValuePath } from './problem.js';
import { asText, displayed } from './values.js';

export interface Fault {
  readonly path: ValuePath;
  readonly reason: string;
  /** It is about the name at the end of the path, not about its value. */
  readonly isOfName: boolean;
}

/** @returns what finds all faults of a file's value */
export function createFormCheck(schema: object): (value: Json) => Fault[] {
  const validate = new Ajv({ allErrors: true, strict: false, ownProperties: true }).compile(schema);
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map((fault) => faultOf(fault, value));
  };
}

function faultOf({ instancePath, keyword, params }: ErrorObject, value: Json): Fault {
  const path = pathOf(instancePath, value);
  const given = params as Readonly<Record<string, Json>>;
  if (keyword === 'required') return { path, reason: `lacks ${displayed(given['missingProperty'])}`, isOfName: false };
  if (keyword === 'additionalProperties')
    return { path: [...path, asText(given['additionalProperty'])], reason: unknownName(path), isOfName: true };
  return { path, reason: reasonOf(keyword, given), isOfName: false };
}

const unknownName = (path: ValuePath): string => (path.length === 0 ? 'is no kind of entity' : 'is no field of this');

function pathOf(pointer: string, root: Json): ValuePath {
  let value: Json | undefined = root;
  return pointer
    .split('/')
    .slice(1)
    .map((part): string | number => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const isIndex = Array.isArray(value);
      const key = isIndex ? Number(name) : name;
      value = typeof value === 'object' && value !== null ? (value as Record<string | number, Json>)[key] : undefined;
      return key;
    });
}

function reasonOf(keyword: string, params: Readonly<Record<string, Json>>): string {
  const limit = asText(params['limit']);
  switch (keyword) {
    case 'type':
      return `must be ${[params['type']].flat().map(String).join(' or ')}`;
    case 'enum':
      return `must be one of ${[params['allowedValues'] ?? []].flat().map(displayed).join(', ')}`;
    case 'const':
      return `must be ${displayed(params['allowedValue'])}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minimum':
      return `must be ${limit} or more`;
    case 'maximum':
      return `must be ${limit} or less`;
    case 'minItems':
      return `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'uniqueItems':
      return 'must not have an item twice';
    case 'pattern':
      return `must match ${asText(params['pattern'])}`;
    default:
      return `breaks the rule ${keyword}`;
  }
}
