/** Each rule of the linter finds what it is for: one change of our own documents at a time. */
import { expect } from 'chai';
import { lintBundled } from '../../scripts/lint-specs.js';
import { loadSpecs } from '../../scripts/spec-bundle.js';
import type { ApiName } from '../../scripts/spec-document.js';
import { ERROR_TABLE } from '../../server/http/error-table.js';
import { at, projectDir } from '../fixtures/specs/zoo.js';

type Json = Record<string, unknown>;
type Change = (document: Json) => void;

const documents = loadSpecs(projectDir);
const OF_EXAMPLES = ['example', 'examples', 'x-example'];
/** Without examples: to check all of them takes most of the linter's time. */
const plain = JSON.parse(
  JSON.stringify(documents, (key, value: unknown) => (OF_EXAMPLES.includes(key) ? undefined : value)),
) as typeof documents;
const definition = (document: Json, name: string, ...path: (string | number)[]): Json =>
  at(document, 'definitions', name, ...path);
const without =
  (keyword: string, ...path: (string | number)[]): Change =>
  (document) => {
    delete at(document, ...path)[keyword];
  };
const withValue =
  (keyword: string, value: unknown, ...path: (string | number)[]): Change =>
  (document) => {
    at(document, ...path)[keyword] = value;
  };

const operation = (path: string, method: string): string[] => ['paths', path, method];

/** What is wrong, in which document, and the finding: where and the rule. */
const CASES: [what: string, api: ApiName, change: Change, where: string, rule: string][] = [
  [
    'an optional property of a request that null cannot stand for',
    'management',
    without('x-nullable', 'definitions', 'servicePatch', 'properties', 'name'),
    'servicePatch.name',
    'optional-null',
  ],
  [
    'an optional reference in a request that null cannot stand for',
    'management',
    withValue('semantic', { $ref: '#/definitions/semantic' }, 'definitions', 'servicePolicyPatch', 'properties'),
    'servicePolicyPatch.semantic',
    'optional-null',
  ],
  [
    'null of nothing that is known',
    'management',
    withValue('x-nullable', true, 'definitions', 'caPatch', 'properties', 'tags'),
    'definition caPatch.tags',
    'nullable-typed',
  ],
  [
    'a text of a body without a bound',
    'management',
    without('maxLength', 'definitions', 'serviceCreate', 'properties', 'name'),
    'serviceCreate.name',
    'text-length',
  ],
  [
    'a text in a list of a body without a bound',
    'management',
    without('maxLength', 'definitions', 'serviceCreate', 'properties', 'configs', 'items'),
    'serviceCreate.configs[]',
    'text-length',
  ],
  [
    'a parameter without a bound',
    'client',
    without('maxLength', 'parameters', 'filter'),
    'parameter listServices.filter',
    'text-length',
  ],
  [
    'a parameter whose values have no bound',
    'client',
    without('maxLength', 'parameters', 'roleFilter', 'items'),
    'parameter listServices.roleFilter[]',
    'text-length',
  ],
  [
    'a name that may be empty',
    'management',
    without('minLength', 'definitions', 'identityCreate', 'properties', 'name'),
    'identityCreate.name',
    'name-length',
  ],
  [
    'an integer without its smallest value',
    'management',
    without('minimum', 'definitions', 'disableParams', 'properties', 'durationMinutes'),
    'disableParams.durationMinutes',
    'integer-bounds',
  ],
  [
    'an integer without its greatest value',
    'management',
    without('maximum', 'definitions', 'routerCreate', 'properties', 'cost'),
    'routerCreate.cost',
    'integer-bounds',
  ],
  [
    'an integer parameter without its greatest value',
    'client',
    without('maximum', 'parameters', 'offset'),
    'parameter listServices.offset',
    'integer-bounds',
  ],
  [
    'an integer without a format',
    'client',
    without('format', 'definitions', 'pagination', 'properties', 'limit'),
    'definition pagination.limit',
    'integer-format',
  ],
  [
    'a header that is an integer without a format',
    'client',
    without('format', 'responses', 'tooManyRequests', 'headers', 'Retry-After'),
    'response tooManyRequests Retry-After',
    'integer-format',
  ],
  [
    'a closed set that stands in prose',
    'management',
    without('enum', 'definitions', 'authenticatorCreate', 'properties', 'method'),
    'authenticatorCreate.method',
    'closed-set',
  ],
  [
    'a closed set of a parameter that stands in prose',
    'client',
    without('enum', 'parameters', 'roleSemantic'),
    'parameter listServices.roleSemantic',
    'closed-set',
  ],
  [
    'a reference to a closed set that has no values',
    'management',
    without('enum', 'definitions', 'semantic'),
    'servicePolicyCreate.semantic',
    'closed-set',
  ],
  [
    'a kind that does not list its sub-types',
    'management',
    withValue('enum', ['OS'], 'definitions', 'postureCheckType'),
    'definition postureCheckCreate',
    'discriminator',
  ],
  [
    'constants of two enumerations that generators give one name',
    'client',
    without('x-enum-varnames', 'definitions', 'postureResponseType'),
    'definition postureResponseType',
    'constants',
  ],
  [
    'names of constants that are not one for each value',
    'management',
    withValue('x-enum-varnames', ['PRECEDENCE_DEFAULT'], 'definitions', 'terminatorPrecedence'),
    'definition terminatorPrecedence',
    'constants',
  ],
  [
    'a default in a change',
    'management',
    withValue('default', 0, 'definitions', 'routerPatch', 'properties', 'cost'),
    'routerPatch.cost',
    'default',
  ],
  [
    'a default in what a change refers to',
    'management',
    withValue('default', 0, 'definitions', 'terminatorCost'),
    'definition terminatorCost',
    'default',
  ],
  [
    'a flag that does not say what it is when it is absent',
    'management',
    without('default', 'definitions', 'edgeRouterCreate', 'properties', 'isTunnelerEnabled'),
    'edgeRouterCreate.isTunnelerEnabled',
    'default',
  ],
  [
    'an offset without its default',
    'client',
    without('default', 'parameters', 'offset'),
    'parameter listServices.offset',
    'default',
  ],
  [
    'codes of errors as free text',
    'client',
    without('enum', 'definitions', 'apiError', 'properties', 'code'),
    'definition apiError.code',
    'error-codes',
  ],
  [
    'a refusal without its challenge',
    'client',
    without('headers', 'responses', 'unauthorized'),
    'GET /services',
    'headers',
  ],
  [
    'an overload that does not say when to try again',
    'client',
    without('headers', 'responses', 'tooManyRequests'),
    'GET /services',
    'headers',
  ],
  ['an error without Allow', 'client', without('headers', 'responses', 'error'), 'GET /version', 'headers'],
  [
    'a new entity without its address',
    'management',
    without('headers', 'paths', '/services', 'post', 'responses', '201'),
    'POST /services',
    'headers',
  ],
  [
    'a header that nobody describes',
    'client',
    without('description', 'responses', 'unauthorized', 'headers', 'WWW-Authenticate'),
    'response unauthorized WWW-Authenticate',
    'headers',
  ],
  [
    'errors of a type that is not produced',
    'management',
    withValue('produces', ['application/jwt'], ...operation('/cas/{id}/jwt', 'get')),
    'GET /cas/{id}/jwt',
    'media-types',
  ],
  [
    'bytes that are answered as text',
    'client',
    withValue('type', 'string', ...operation('/.well-known/est/cacerts', 'get'), 'responses', '200', 'schema'),
    'GET /.well-known/est/cacerts',
    'media-types',
  ],
  [
    'an operation that never refuses a request',
    'client',
    without('400', ...operation('/version', 'get'), 'responses'),
    'GET /version',
    'usual-errors',
  ],
  [
    'a definition that nothing uses',
    'client',
    withValue('relic', { type: 'string', description: 'Of old.' }, 'definitions'),
    'definition relic',
    'unused',
  ],
  [
    'a definition that is kept and used',
    'client',
    withValue('x-kept', 'for old times', 'definitions', 'meta'),
    'definition meta',
    'unused',
  ],
  [
    'a definition without description',
    'client',
    without('description', 'definitions', 'meta'),
    'definition meta',
    'described',
  ],
  [
    'a field without description',
    'client',
    (document) => {
      delete definition(document, 'meta', 'properties', 'apiVersion')['description'];
    },
    'definition meta.apiVersion',
    'described',
  ],
];

describe('the linter of the specs', () => {
  it('finds nothing in the documents of this revision', () => {
    for (const api of ['client', 'fabric', 'management', 'oidc'] as const)
      expect(lintBundled(api, documents[api])).to.deep.equal([]);
  });

  it('reads the codes of errors in all documents that have them from the one table', () => {
    const codes = [...new Set(Object.values(ERROR_TABLE).map(({ code }) => code))].sort();
    for (const api of ['client', 'fabric', 'management'] as const)
      expect(documents[api].definitions['apiError']?.properties?.['code']?.enum).to.deep.equal(codes);
  });

  for (const [what, api, change, where, rule] of CASES) {
    it(`finds ${what}`, () => {
      const document = structuredClone(plain[api]);
      change(document as unknown as Json);
      const findings = lintBundled(api, document).map((finding) => finding.split(': ').slice(0, 3).join(': '));
      expect(findings).to.include(`${api}: ${where}: ${rule}`);
    });
  }
});
