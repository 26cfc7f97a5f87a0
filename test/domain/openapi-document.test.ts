/** OpenAPI 3.1 as it is derived from 2.0: valid for two validators, and the same contract. */
import { folderOf } from '../../scripts/spec-document.js';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { toOpenApi31 } from '../../scripts/openapi/document.js';
import { toSchema } from '../../scripts/openapi/schema.js';
import { httpMethods, resolveResponse } from '../../scripts/spec-document.js';
import type { JsonObject, OpenApiDocument, Operation, Parameter, Schema } from '../../scripts/spec-document.js';

const read = (file: string) => readFileSync(new URL(`../../generated/${file}`, import.meta.url), 'utf8');
const operationsOf = (paths: Record<string, Record<string, unknown>>) =>
  Object.entries(paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => (item[method] === undefined ? [] : [[method, path, item[method]] as const])),
  );

interface Media {
  readonly schema: JsonObject;
  readonly example?: unknown;
}
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, Media> };
  readonly responses: Record<string, { readonly $ref?: string; readonly content?: Record<string, Media> }>;
}
interface Document31 {
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: Record<string, Record<string, JsonObject>>;
}

/** Every object of a document, with the keys that lead to it. */
function* objectsIn(value: unknown, path: readonly string[] = []): Generator<[readonly string[], JsonObject]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as JsonObject];
  for (const [key, part] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') yield* objectsIn(part, [...path, key]);
  }
}

for (const api of ['client', 'fabric', 'management', 'oidc'] as const) {
  describe(`the ${api} document in OpenAPI 3.1`, function document31() {
    this.timeout(120_000);
    const source = JSON.parse(read(`${folderOf(api)}.json`)) as OpenApiDocument;
    const document = JSON.parse(read(`${folderOf(api)}.openapi.json`)) as Document31;

    it('is valid for swagger-parser', async () => {
      await SwaggerParser.validate(
        structuredClone(document) as unknown as Parameters<typeof SwaggerParser.validate>[0],
      );
    });

    it('is valid for openapi-schema-validator, as 3.1', async () => {
      const validator = new Validator();
      const { valid, errors } = await validator.validate(structuredClone(document) as unknown as JsonObject);
      expect(errors ?? []).to.deep.equal([]);
      expect(valid).to.equal(true);
      expect(validator.version).to.equal('3.1');
    });

    it('is the same as YAML, for readers of 1.1 too', () => {
      const text = read(`${folderOf(api)}.openapi.yml`);
      for (const version of ['1.2', '1.1'] as const) expect(parse(text, { version })).to.deep.equal(document);
    });

    it('has the operations of 2.0, with their answers', () => {
      const summary = (paths: Record<string, Record<string, unknown>>) =>
        operationsOf(paths).map(([method, path, operation]) => {
          const { operationId, responses } = operation as Operation;
          return [method, path, operationId, ...Object.keys(responses)].join(' ');
        });
      expect(summary(document.paths)).to.deep.equal(summary(source.paths));
    });

    it('has the bodies of 2.0, in each of their types', () => {
      for (const [method, path, operation] of operationsOf(document.paths)) {
        const { consumes = source.consumes, parameters = [] } = source.paths[path]?.[method] ?? ({} as Operation);
        // A form is listed among the parameters in 2.0.
        const sent = parameters.filter((one): one is Parameter => 'in' in one && ['body', 'formData'].includes(one.in));
        const { requestBody } = operation as Described;
        expect(Object.keys(requestBody?.content ?? {}), path).to.deep.equal(sent.length === 0 ? [] : consumes);
        expect(requestBody?.required ?? false, path).to.equal(sent.some(({ required }) => required === true));
      }
    });

    it('has an object where a file comes as JSON, and examples of files, which 2.0 has not', () => {
      if (api === 'fabric' || api === 'oidc') return; // the one has no files, those of the other are no JSON
      const { content = {} } = (document.paths['/specs/{id}/spec']?.['get'] as Described).responses['200'] ?? {};
      expect(content['application/json']?.schema).to.deep.equal({ type: 'object' });
      expect(content['application/json']?.example).to.be.an('object');
      expect(content['text/yaml']?.schema).to.deep.equal({ type: 'string', format: 'binary' });
      const ofFiles = operationsOf(source.paths).flatMap(([, path, operation]) =>
        Object.values((operation as Operation).responses)
          .map((response) => resolveResponse(source, response))
          .filter(({ schema }) => schema?.type === 'file')
          .map((response) => [path, 'examples' in response]),
      );
      expect(ofFiles.length).to.be.greaterThan(1);
      expect(ofFiles.filter(([, hasExamples]) => hasExamples)).to.deep.equal([]);
    });

    it('has the examples of 2.0 at the types that they are of', () => {
      let count = 0;
      for (const [method, path, operation] of operationsOf(document.paths)) {
        const { responses } = operation as Described;
        for (const [status, declared] of Object.entries(source.paths[path]?.[method]?.responses ?? {})) {
          const own = responses[status];
          const name = own?.$ref?.split('/').at(-1);
          const { content = {} } = (
            name === undefined ? own : document.components['responses']?.[name]
          ) as Described['responses'][string];
          for (const [type, example] of Object.entries(resolveResponse(source, declared).examples ?? {})) {
            expect(content[type]?.example, `${path} ${status} ${type}`).to.deep.equal(example);
            count += 1;
          }
        }
      }
      expect(count).to.be.greaterThan({ client: 40, fabric: 30, management: 40, oidc: 15 }[api]);
    });

    it('refers only to what is there, and keeps nothing of the older form', () => {
      const words = ['x-nullable', 'x-example', 'collectionFormat', 'consumes', 'produces', 'definitions'];
      for (const [path, object] of objectsIn(document)) {
        const where = path.join('/');
        const isMapOfNames = ['properties', 'schemas', 'mapping'].includes(path.at(-1) ?? '');
        if (!isMapOfNames)
          expect(
            Object.keys(object).filter((key) => words.includes(key)),
            where,
          ).to.deep.equal([]);
        expect(object['type'], where).not.to.equal('file');
        const reference = object['$ref'];
        if (typeof reference !== 'string') continue;
        const [, section = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(reference) ?? [];
        expect(document.components[section], `${where}: ${reference}`).to.have.property(name);
      }
    });

    it('leads from each value of a discriminator to its schema', () => {
      const bases = Object.entries(source.definitions).filter(([, one]) => one.discriminator !== undefined);
      if (api === 'client' || api === 'management') expect(bases).not.to.deep.equal([]);
      for (const [name, { discriminator }] of bases) {
        const found = document.components['schemas']?.[name]?.['discriminator'] as JsonObject;
        expect(found['propertyName']).to.equal(discriminator);
        for (const [value, reference] of Object.entries(found['mapping'] as Record<string, string>)) {
          const subType = reference.replace('#/components/schemas/', '');
          expect(source.definitions[subType]?.['x-discriminator-value']).to.equal(value);
        }
      }
    });
  });
}

describe('the derivation of OpenAPI 3.1', () => {
  const cases: readonly [what: string, source: Schema, derived: JsonObject][] = [
    [
      'null beside a type',
      { type: 'string', 'x-nullable': true, maxLength: 5 },
      { type: ['string', 'null'], maxLength: 5 },
    ],
    [
      'null beside an enum',
      { type: 'string', enum: ['a'], 'x-nullable': true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'null beside a reference',
      { $ref: '#/definitions/tags', 'x-nullable': true },
      { anyOf: [{ $ref: '#/components/schemas/tags' }, { type: 'null' }] },
    ],
    [
      'null beside a composition',
      { description: 'It.', type: 'object', allOf: [{ $ref: '#/definitions/tags' }], 'x-nullable': true },
      {
        description: 'It.',
        anyOf: [{ type: 'object', allOf: [{ $ref: '#/components/schemas/tags' }] }, { type: 'null' }],
      },
    ],
    ['bytes', { type: 'file' }, { type: 'string', format: 'binary' }],
    ['base64', { type: 'string', format: 'byte' }, { type: 'string', contentEncoding: 'base64' }],
    [
      'an example',
      { type: 'integer', format: 'int64', example: 5 },
      { type: 'integer', format: 'int64', examples: [5] },
    ],
    [
      'what is inside',
      {
        type: 'object',
        properties: { list: { type: 'array', items: { type: 'string', 'x-nullable': true } } },
        additionalProperties: { $ref: '#/definitions/tags' },
      },
      {
        type: 'object',
        properties: { list: { type: 'array', items: { type: ['string', 'null'] } } },
        additionalProperties: { $ref: '#/components/schemas/tags' },
      },
    ],
    ['extensions', { type: 'object', 'x-max-bytes': 9 }, { type: 'object', 'x-max-bytes': 9 }],
  ];
  for (const [what, source, derived] of cases) {
    it(`knows ${what}`, () => {
      expect(toSchema(source, 'test')).to.deep.equal(derived);
    });
  }

  const minimal = (operation: Partial<Operation>): OpenApiDocument => ({
    swagger: '2.0',
    info: { title: 'Test', version: '1' },
    basePath: '/test',
    schemes: ['https'],
    consumes: ['application/json'],
    produces: ['application/json'],
    tags: [],
    securityDefinitions: {},
    paths: {
      '/things': {
        post: {
          operationId: 'makeThing',
          summary: 'Make',
          tags: ['Thing'],
          responses: {},
          security: [],
          'x-permission': 'public',
          ...operation,
        },
      },
    },
    parameters: {},
    responses: { failed: { description: 'No.', schema: { $ref: '#/definitions/fault' } } },
    definitions: { fault: { type: 'object' } },
  });
  const derive = (operation: Partial<Operation>) =>
    (toOpenApi31(minimal(operation)) as unknown as Document31).paths['/things']?.['post'];

  it('writes how several values are sent', () => {
    const array = { in: 'query', type: 'array', items: { type: 'string' } } as const;
    const { parameters } = derive({
      parameters: [
        { ...array, name: 'many', collectionFormat: 'multi', 'x-example': ['a'] },
        { ...array, name: 'joined', collectionFormat: 'csv' },
      ],
    }) ?? { parameters: [] };
    const schema = { type: 'array', items: { type: 'string' } };
    expect(parameters).to.deep.equal([
      { name: 'many', in: 'query', required: false, style: 'form', explode: true, schema, example: ['a'] },
      { name: 'joined', in: 'query', required: false, style: 'form', explode: false, schema },
    ]);
  });

  it('gives a body that may be text a schema of its own for each type', () => {
    const body = { name: 'thing', in: 'body', required: true, schema: { $ref: '#/definitions/fault' } } as const;
    const { requestBody } = derive({ consumes: ['application/json', 'text/plain'], parameters: [body] }) ?? {};
    expect(requestBody).to.deep.equal({
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/fault' } },
        'text/plain': { schema: { type: 'string' } },
      },
      required: true,
    });
  });

  it('tells apart the types of bytes and of errors, which 2.0 lists together', () => {
    const produces = ['image/png', 'application/json'];
    const failed = { $ref: '#/responses/failed' };
    const { responses } =
      derive({ produces, responses: { 200: { description: 'Yes.', schema: { type: 'file' } }, default: failed } }) ??
      {};
    expect(responses).to.deep.equal({
      200: { description: 'Yes.', content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } },
      default: { $ref: '#/components/responses/failed' },
    });
    const examples = { 'application/json': {} };
    const shown = derive({ produces, responses: { 200: { description: 'Yes.', schema: { type: 'file' }, examples } } });
    expect(Object.keys(shown?.responses['200']?.content ?? {})).to.deep.equal(produces);
  });

  it('stops at what it does not know', () => {
    expect(() => toSchema({ type: 'string', patern: 'x' } as Schema, 'a place')).to.throw(
      "a place: 'patern' is not known",
    );
    expect(() => derive({ callbacks: {} } as Partial<Operation>)).to.throw("makeThing: 'callbacks' is not known");
  });
});
