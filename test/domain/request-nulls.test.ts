/** Null in requests: the validators of the server take it exactly where the served documents declare it. */
import { expect } from 'chai';
import { loadSpecs } from '../../scripts/spec-bundle.js';
import { resolveParameter } from '../../scripts/spec-document.js';
import type { OpenApiDocument, Schema } from '../../scripts/spec-document.js';
import { takesNull } from '../../scripts/spec-nulls.js';
import { operationsOf } from '../../scripts/lint-specs/walk.js';
import { dereference } from '../../scripts/spec-lookup.js';
import { operations } from '../../generated/operations.js';
import type { OperationSpec } from '../../generated/operation.js';
import { validatorsOf } from '../../server/http/spec-check.js';
import { projectDir } from '../fixtures/specs/zoo.js';

type Body = Record<string, unknown>;

const documents = loadSpecs(projectDir);

/** The properties of a model, those of its bases included, each with all that is said of it. */
function propertiesOf(document: OpenApiDocument, schema: Schema | undefined): Map<string, Schema[]> {
  const found = new Map<string, Schema[]>();
  const own = dereference(document, schema);
  for (const part of own?.allOf ?? [])
    for (const [name, said] of propertiesOf(document, part)) found.set(name, [...(found.get(name) ?? []), ...said]);
  for (const [name, property] of Object.entries(own?.properties ?? {}))
    found.set(name, [...(found.get(name) ?? []), property]);
  return found;
}

function requiredOf(document: OpenApiDocument, schema: Schema | undefined): string[] {
  const own = dereference(document, schema);
  return [...(own?.required ?? []), ...(own?.allOf ?? []).flatMap((part) => requiredOf(document, part))];
}

describe('null in requests', () => {
  let bodies = 0;

  for (const api of ['client', 'fabric', 'management', 'oidc'] as const) {
    const document = documents[api];
    const specs: Readonly<Record<string, OperationSpec>> = operations[api];
    for (const { operation } of operationsOf(document)) {
      const body = (operation.parameters ?? [])
        .map((parameter) => resolveParameter(document, parameter))
        .find((parameter) => parameter.in === 'body');
      const model = dereference(document, body?.schema);
      const example = model?.example;
      const validator = specs[operation.operationId]?.body?.validator;
      const validate = typeof validator === 'string' ? validatorsOf[api][validator] : undefined;
      if (validate === undefined || typeof example !== 'object' || example === null || Array.isArray(example)) continue;
      bodies += 1;

      it(`${api} ${operation.operationId} takes it where it is declared, and nowhere else`, () => {
        expect(validate(example), JSON.stringify(validate.errors)).to.equal(true);
        const required = requiredOf(document, model);
        for (const [name, said] of propertiesOf(document, model)) {
          const isDeclared = said.every((schema) => takesNull(document, schema));
          if (!required.includes(name)) expect(isDeclared, `${name} is optional`).to.equal(true);
          const changed: Body = { ...example, [name]: null };
          expect(validate(changed), name).to.equal(isDeclared);
        }
      });
    }
  }

  it('is looked at in most bodies', () => {
    expect(bodies).to.be.greaterThan(60);
  });
});
