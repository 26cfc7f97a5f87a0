/** Examples of the documents: there is one for everything, and the controller itself would answer and take it. */
import { expect } from 'chai';
import { lintExamples, lintMissingExamples } from '../../scripts/lint-specs/examples.js';
import { bodyExample } from '../../scripts/examples/entities.js';
import { loadSpecs } from '../../scripts/spec-bundle.js';
import { httpMethods, resolveResponse } from '../../scripts/spec-document.js';
import type { JsonObject, OpenApiDocument, Schema } from '../../scripts/spec-document.js';
import { operations } from '../../generated/operations.js';
import type { OperationSpec } from '../../generated/operation.js';
import { validatorsOf } from '../../server/http/spec-check.js';
import { projectDir } from '../fixtures/specs/zoo.js';

const JSON_TYPE = 'application/json';
const documents = loadSpecs(projectDir);

function* operationsOf(document: OpenApiDocument) {
  for (const [path, item] of Object.entries(document.paths))
    for (const method of httpMethods) {
      const operation = item[method];
      if (operation !== undefined) yield { path, operation };
    }
}

for (const api of ['client', 'fabric', 'management', 'oidc'] as const) {
  describe(`examples of the ${api} document`, () => {
    const document = documents[api];
    const specs: Readonly<Record<string, OperationSpec>> = operations[api];
    const faultsOf = (name: string | null | undefined, value: unknown) => {
      const validate = validatorsOf[api][name ?? ''];
      return validate === undefined || validate(value) ? [] : validate.errors;
    };

    it('are answers that the controller would send', () => {
      let count = 0;
      for (const { operation } of operationsOf(document)) {
        for (const [status, response] of Object.entries(operation.responses)) {
          const example = resolveResponse(document, response).examples?.[JSON_TYPE];
          const { validator, kind } = specs[operation.operationId]?.responses[status] ?? {};
          if (example === undefined || kind !== 'json') continue;
          expect(faultsOf(validator, example), `${operation.operationId} ${status}`).to.deep.equal([]);
          count += 1;
        }
      }
      expect(count).to.be.greaterThan({ client: 40, fabric: 30, management: 40, oidc: 15 }[api]);
    });

    it('are bodies that the controller would take', () => {
      for (const { operation } of operationsOf(document)) {
        const example = bodyExample(document, operation);
        const body = specs[operation.operationId]?.body;
        if (body === null || body === undefined) continue;
        expect(example, operation.operationId).not.to.equal(undefined);
        if (body.kind === 'json') expect(faultsOf(body.validator, example), operation.operationId).to.deep.equal([]);
      }
    });

    it('are there for every success that has JSON', () => {
      const without = [...operationsOf(document)].flatMap(({ operation }) =>
        Object.entries(operation.responses)
          .filter(([status]) => status.startsWith('2'))
          .filter(([, response]) => resolveResponse(document, response).examples === undefined)
          .map(([status]) => operation.operationId + (specs[operation.operationId]?.responses[status]?.kind ?? '')),
      );
      expect(without.filter((line) => line.endsWith('json'))).to.deep.equal([]);
    });
  });
}

describe('composed answers', () => {
  const answerOf = (operationId: string, status = '200') => {
    for (const { operation } of operationsOf(documents.management)) {
      const response = operation.responses[status];
      if (operation.operationId === operationId && response !== undefined)
        return resolveResponse(documents.management, response).examples?.[JSON_TYPE] as JsonObject;
    }
    throw new Error(`no ${operationId}`);
  };
  const bodyOf = (operationId: string) => {
    const found = [...operationsOf(documents.management)].find(
      ({ operation }) => operation.operationId === operationId,
    );
    return found === undefined ? undefined : bodyExample(documents.management, found.operation);
  };

  it('show the entity as its example created it, under one id', () => {
    const { data } = answerOf('detailService') as { data: JsonObject };
    expect(data).to.include({ name: 'print-hall', encryptionRequired: true });
    expect(answerOf('createService', '201')['data']).to.deep.equal({
      _links: { self: { href: `./services/${data['id'] as string}` } },
      id: data['id'],
    });
    expect((answerOf('listConfigServices')['data'] as JsonObject[])[0]?.['id']).to.equal(data['id']);
    expect((bodyOf('createTerminator') as JsonObject)['service']).to.equal(data['id']);
  });

  it('refer to entities as answers do', () => {
    const { data } = answerOf('detailIdentity') as { data: JsonObject };
    expect(data['authPolicyId']).to.equal('default');
    expect(data['authPolicy']).to.deep.equal({
      _links: { self: { href: './auth-policies/default' } },
      entity: 'auth-policies',
      id: 'default',
      name: 'Default',
    });
  });

  it('tell of pages in lists alone', () => {
    expect(answerOf('listIdentities')['meta']).to.have.keys(
      'apiEnrollmentVersion',
      'apiVersion',
      'filterableFields',
      'pagination',
    );
    expect(answerOf('detailIdentity')['meta']).to.have.keys('apiEnrollmentVersion', 'apiVersion');
  });

  it('are written once where all operations answer the same', () => {
    expect(documents.management.responses['done']?.examples?.[JSON_TYPE]).to.have.property('data');
    expect(documents.management.responses['created']).to.equal(undefined);
  });
});

describe('the rules for examples', () => {
  const findings = (change: (document: OpenApiDocument) => void): string[] => {
    const changed = structuredClone(documents);
    change(changed.management);
    const found: string[] = [];
    const report = (where: string) => (rule: string, fix: string) => found.push(`${where}: ${rule}: ${fix}`);
    lintExamples(changed.management, report);
    lintMissingExamples(changed, () => report);
    return found;
  };
  const property = (document: OpenApiDocument, definition: string, name: string): Schema => {
    const schema = document.definitions[definition]?.properties?.[name];
    if (schema === undefined) throw new Error(`${definition} has no ${name}`);
    return schema;
  };
  const withoutAnswer = (document: OpenApiDocument, path: string) => {
    const response = document.paths[path]?.get?.responses['200'];
    if (response === undefined || '$ref' in response) throw new Error(`${path} has no answer of its own`);
    Reflect.deleteProperty(response, 'examples');
  };

  it('find nothing in the documents as they are', () => {
    expect(findings(() => undefined)).to.deep.equal([]);
  });

  it('find an answer without one, and the property that keeps it from having one', () => {
    const found = findings((document) => {
      withoutAnswer(document, '/version');
      Reflect.deleteProperty(property(document, 'version', 'revision'), 'example');
    });
    expect(found).to.deep.equal([
      'response listVersion 200: answer-example: there is no example of the answer',
      'listVersion 200: example-missing: give version.revision an example',
    ]);
  });

  it('find a body without one', () => {
    const found = findings((document) => {
      Reflect.deleteProperty(document.definitions['disableParams'] ?? {}, 'example');
    });
    expect(found).to.include('body disableIdentity: body-example: give the schema of the body an example');
  });

  it('find one that does not fit, in a property, an answer and a sub-type', () => {
    const found = findings((document) => {
      property(document, 'version', 'revision').example = 5;
    });
    expect(found).to.deep.equal([
      'definition version.revision: example: the example does not fit: data must be string',
    ]);
    const ofSubType = findings((document) => {
      const example = document.definitions['postureCheckCreate']?.example as JsonObject;
      example['domains'] = 'corp.example.org';
    });
    expect(ofSubType.join()).to.include('data/domains must be array');
  });
});
