// Compiles the JSON Schemas into one CommonJS module of validators per API.

import { _, Ajv, type AnySchemaObject, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import requiredKeyword from 'ajv/dist/vocabularies/validation/required.js';
import type { Catalog } from './catalog.js';
import { stringFormats } from './formats.js';
import { SchemaSet } from './schemas.js';
import { dropUnused } from './unused.js';

export interface Validators {
  readonly code: string;
  /** The validators of bodies once more, of the same names: these go on after a fault, and serve refusals only. */
  readonly allFaults: string;
  /** The validator of one element of a response's `data`, by the response's definition. */
  readonly items: ReadonlyMap<string, string>;
}

export function emitValidators(catalog: Catalog): Validators {
  const requests = new SchemaSet(catalog, 'request');
  for (const name of catalog.roots('request')) requests.id(name);
  const responses = new SchemaSet(catalog, 'response');
  const items = new Map<string, string>();
  for (const name of catalog.roots('response')) {
    responses.id(name);
    const item = responses.itemId(name);
    if (item !== null) items.set(name, item);
  }
  const code = compile(createAjv(false), new Map([...requests.schemas, ...responses.schemas]));
  return { code, allFaults: compile(createAjv(true), requests.schemas), items };
}

function compile(ajv: Ajv, schemas: ReadonlyMap<string, AnySchemaObject>): string {
  for (const [id, schema] of schemas) ajv.addSchema(schema, id);
  return dropUnused(standalone.default(ajv, Object.fromEntries([...schemas.keys()].sort().map((id) => [id, id]))));
}

function createAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({
    strict: true,
    allErrors,
    messages: false,
    // A call per reference costs a third more time on lists of identities; inlining costs a quarter more text.
    inlineRefs: true,
    discriminator: true,
    unicodeRegExp: true,
    validateFormats: true,
    formats: Object.fromEntries(Object.entries(stringFormats).map(([name, source]) => [name, new RegExp(source, 'u')])),
    code: { source: true, esm: false, lines: false, optimize: true, formats: _`require("../formats.cjs")` },
  });
  const standard: CodeKeywordDefinition = requiredKeyword.default;
  ajv.removeKeyword('required');
  ajv.addKeyword('nullIsAbsent');
  const code = (cxt: KeywordCxt): void => {
    checkRequired(cxt, standard);
  };
  ajv.addKeyword({
    keyword: 'maxBytes',
    type: 'object',
    schemaType: 'number',
    error: { message: '', params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    code: (cxt) => {
      cxt.fail(_`Buffer.byteLength(JSON.stringify(${cxt.data})) > ${cxt.schemaCode}`);
    },
  });
  ajv.addKeyword({ ...standard, keyword: 'required', $data: false, before: 'properties', code });
  return ajv;
}

/** `required`, except that null does not count as present where `nullIsAbsent` is next to it. */
function checkRequired(cxt: KeywordCxt, standard: CodeKeywordDefinition): void {
  const parent = cxt.parentSchema as { required: readonly string[]; nullIsAbsent?: boolean };
  if (parent.nullIsAbsent !== true) {
    standard.code(cxt);
    return;
  }
  for (const name of parent.required) {
    cxt.setParams({ missingProperty: name });
    cxt.fail(_`${cxt.data}[${name}] === undefined || ${cxt.data}[${name}] === null`);
  }
}
