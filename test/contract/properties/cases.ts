/**
 * The cases of one operation: what is sent, by whom, and what must come of it. All follow from the document and the
 * seed.
 */
import fc from 'fast-check';
import type { Operation, Parameter, Schema, ServedDocument } from './document.js';
import { mutationsOf } from './mutations.js';
import { careOf } from './special.js';
import type { Validator } from './validator.js';
import { parameterValues, valuesOf } from './values.js';
import type { Hints, ParameterTexts } from './values.js';

export type Kind =
  | 'valid'
  | 'invalid body'
  | 'invalid parameter'
  | 'ordinary'
  | 'nobody'
  | 'unknown id'
  | 'wrong media'
  | 'unacceptable'
  | 'wrong method';

export interface Case {
  readonly kind: Kind;
  /** For people: what is odd about it. */
  readonly what: string;
  readonly method: string;
  /** Texts of the path by their names; one that is not given is about what is there. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: none is sent. */
  readonly body: unknown;
}

export interface Maker {
  readonly document: ServedDocument;
  readonly requests: Validator;
  readonly hints: (operationId: string) => Hints;
  readonly seed: number;
  /** Valid cases of an operation with a body; all other numbers follow from it. */
  readonly budget: number;
}

/** What is odd about a valid case: nothing. */
const VALID = 'valid';

/** A body that is made of the values of its schema: JSON, or a form. */
export const hasMadeBody = ({ body, consumes, isForm }: Operation): boolean =>
  body !== undefined && (isForm || consumes.includes('application/json'));

/** What a form can carry: it has no null, and all in it is text. */
const fitsForm = (value: unknown): value is Record<string, string | string[]> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value as Record<string, unknown>).every((one) =>
    [one].flat().every((text) => typeof text === 'string'),
  );

/** Whether a body is as the schema says. In a form a list of one looks like a text. */
function isFaulty({ requests }: Maker, { isForm }: Operation, schema: Schema, value: unknown): boolean {
  if (!isForm) return requests.faultOf(schema, value) !== undefined;
  if (!fitsForm(value)) return false;
  const { properties = {} } = schema;
  const members = Object.entries(value).map(([name, one]) => [
    name,
    properties[name]?.type === 'array' ? [one].flat() : one,
  ]);
  return requests.faultOf(schema, Object.fromEntries(members)) !== undefined;
}

export function casesOf(maker: Maker, operation: Operation): Case[] {
  const { budget, document } = maker;
  const { most = budget } = careOf(operation.id);
  const isPlain = operation.body === undefined && operation.parameters.every((one) => one.in === 'path');
  const valid = sample(
    maker,
    operation,
    validCases(maker, operation),
    Math.min(most, isPlain ? Math.ceil(budget / 4) : budget),
  );
  const first = valid.find(({ what }) => what === VALID) ?? valid[0];
  if (first === undefined) return [];
  const single = (kind: Kind, change: Partial<Case> = {}): Case => ({ ...first, kind, what: kind, ...change });
  const cases: Case[] = [...valid];
  if (hasMadeBody(operation)) cases.push(...invalidBodies(maker, operation, budget));
  if (operation.parameters.length > 0) cases.push(...invalidParameters(maker, operation, first, Math.ceil(budget / 2)));
  cases.push(single('ordinary'));
  if (operation.permission !== 'public')
    cases.push(single('nobody'), single('nobody', { headers: { ...first.headers, 'zt-session': 'no-such-token' } }));
  if (operation.path.includes('{id}')) cases.push(single('unknown id', { path: { ...first.path, id: 'no-such-id' } }));
  if (operation.body !== undefined)
    cases.push(
      single('wrong media', { headers: { ...first.headers, 'content-type': 'application/xml' }, body: '<no/>' }),
    );
  // The provider passes over an Accept that it cannot meet, as its clients expect.
  if (operation.api !== 'oidc')
    cases.push(single('unacceptable', { headers: { ...first.headers, accept: 'application/x-nothing' } }));
  const methods = document.methods.get(operation.path) ?? [];
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.includes(method));
  if (methods[0] === operation.method)
    cases.push(...others.slice(0, 2).map((method) => single('wrong method', { method, body: undefined })));
  return cases;
}

/** The same for the same seed and operation, whichever others are run. */
function sample<T>({ seed }: Maker, { api, id }: Operation, arbitrary: fc.Arbitrary<T>, count: number): T[] {
  let own = seed | 0;
  for (const letter of `${api} ${id}`) own = (Math.imul(own, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return fc.sample(arbitrary, { seed: own, numRuns: count });
}

function validCases(maker: Maker, operation: Operation): fc.Arbitrary<Case> {
  const { document } = maker;
  const hints = maker.hints(operation.id);
  const parts = operation.parameters
    .filter(({ name, required }) => name !== 'Authorization' || required === true)
    .map((parameter): fc.Arbitrary<readonly [Parameter, ParameterTexts | undefined]> => {
      const values: fc.Arbitrary<ParameterTexts | undefined> = parameterValues(document, parameter, hints);
      const given =
        parameter.in === 'path'
          ? hints(`path ${parameter.name}`) === undefined
            ? fc.constant(undefined)
            : values
          : parameter.required === true
            ? values
            : fc.option(values, { nil: undefined, freq: 2 });
      return given.map((value) => [parameter, value] as const);
    });
  return fc.record({ given: fc.tuple(...parts), body: bodies(maker, operation) }).map(({ given, body }) => {
    const of = (place: Parameter['in']) =>
      given.flatMap(([{ name, in: where }, values]) =>
        where === place ? (values?.texts ?? []).map((value) => [name, value] as const) : [],
      );
    const free = given.flatMap(([{ name }, values]) => (values?.isFree === true ? [name] : []));
    const headers = of('header').filter(([, value]) => /^[\x20-\x7e]*$/.test(value));
    return {
      kind: 'valid',
      what: free.length === 0 ? VALID : `any text as ${free.join(', ')}`,
      method: operation.method,
      path: Object.fromEntries(of('path')),
      query: of('query').filter(([, value]) => value.isWellFormed()),
      headers: Object.fromEntries(headers),
      body,
    };
  });
}

function bodies({ document, requests, hints }: Maker, { body, id, isForm }: Operation): fc.Arbitrary<unknown> {
  if (body === undefined) return fc.constant(undefined);
  return valuesOf(document, body, hints(id)).filter(
    (value) => requests.faultOf(body, value) === undefined && (!isForm || fitsForm(value)),
  );
}

/** Valid bodies with one thing wrong, of which the document says that they are not valid. */
function invalidBodies(maker: Maker, operation: Operation, count: number): Case[] {
  const { document } = maker;
  const { body: schema } = operation;
  if (schema === undefined) return [];
  const drawn = sample(maker, operation, fc.tuple(validCases(maker, operation), fc.nat()), count);
  return drawn.flatMap(([valid, choice]): Case[] => {
    const wrong = mutationsOf(document, schema, valid.body).filter(({ value }) =>
      isFaulty(maker, operation, schema, value),
    );
    const chosen = wrong[choice % Math.max(1, wrong.length)];
    return chosen === undefined ? [] : [{ ...valid, kind: 'invalid body', what: chosen.what, body: chosen.value }];
  });
}

/** One parameter with a text that its rules do not allow. */
function invalidParameters(maker: Maker, operation: Operation, valid: Case, count: number): Case[] {
  const wrong = operation.parameters.flatMap((parameter): Case[] =>
    wrongTexts(parameter).map(([what, text]) => {
      const change: Partial<Case> =
        parameter.in === 'query'
          ? { query: [...valid.query.filter(([name]) => name !== parameter.name), [parameter.name, text]] }
          : parameter.in === 'path'
            ? { path: { ...valid.path, [parameter.name]: text } }
            : { headers: { ...valid.headers, [parameter.name]: text } };
      return { ...valid, kind: 'invalid parameter', what: `${parameter.in} ${parameter.name}: ${what}`, ...change };
    }),
  );
  if (wrong.length === 0) return [];
  return sample(maker, operation, fc.shuffledSubarray(wrong, { minLength: Math.min(count, wrong.length) }), 1)
    .flat()
    .slice(0, count);
}

function wrongTexts(parameter: Parameter): (readonly [what: string, text: string])[] {
  const rules = parameter.type === 'array' ? { ...parameter, ...parameter.items } : parameter;
  const { type, minimum, maximum, minLength, maxLength, format } = rules;
  const found: (readonly [string, string])[] = [];
  if (parameter.name === 'Authorization') return found;
  if (type === 'integer') found.push(['no number', 'many'], ['a fraction', '1.5'], ['hexadecimal', '0x10']);
  if (format === 'int64') found.push(['beyond 64 bits', '9223372036854775808']);
  if (minimum !== undefined) found.push(['too small', String(minimum - 1)]);
  if (maximum !== undefined && Number.isSafeInteger(maximum)) found.push(['too large', String(maximum + 1)]);
  if (type === 'boolean') found.push(['no boolean', 'yes']);
  if (rules.enum !== undefined) found.push(['none of the set', 'no-such-thing']);
  if (maxLength !== undefined && maxLength < 8000) found.push(['too long', 'x'.repeat(maxLength + 1)]);
  if (minLength !== undefined && minLength > 0 && parameter.in !== 'path') found.push(['empty', '']);
  return found;
}
