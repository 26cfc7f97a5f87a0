/** Puts an example into every success of a document, and into every body that has none. */
import { httpMethods, resolveParameter, resolveResponse, splitReference } from '../spec-document.js';
import type { JsonValue, OpenApiDocument, Operation, Response } from '../spec-document.js';
import { bodyOf, dereference } from '../spec-lookup.js';
import { Composer } from './compose.js';
import type { Composed } from './compose.js';
import { bodyExample, Entities } from './entities.js';

const JSON_TYPE = 'application/json';

/** What keeps an answer or body without its example: properties without one, by operation and what it lacks. */
export type Lacks = ReadonlyMap<string, readonly string[]>;

/**
 * Adds examples to these documents, in place. Those that the specs write stay.
 * @returns what is missing, for each document
 */
export function addExamples(documents: readonly OpenApiDocument[]): Lacks[] {
  const entities = new Entities(documents);
  return documents.map((document) => {
    const adder = new Adder(document, new Composer(document, entities));
    adder.run();
    return adder.lacks;
  });
}

/** An operation that answers what others answer too. */
interface User {
  readonly operation: Operation;
  readonly status: string;
  /** The example as JSON. */
  readonly text: string;
}

class Adder {
  readonly lacks = new Map<string, readonly string[]>();
  /** By reference. */
  readonly #shared = new Map<string, User[]>();

  constructor(
    readonly document: OpenApiDocument,
    readonly composer: Composer,
  ) {}

  run(): void {
    for (const [path, item] of Object.entries(this.document.paths)) {
      for (const method of httpMethods) {
        const operation = item[method];
        if (operation === undefined) continue;
        this.#addBody(operation);
        for (const status of Object.keys(operation.responses).filter((one) => one.startsWith('2')))
          this.#addAnswer(path, operation, status);
      }
    }
    for (const [reference, users] of this.#shared) this.#share(reference, users);
  }

  #addBody(operation: Operation): void {
    const body = bodyOf(this.document, operation);
    if (body?.schema === undefined || bodyExample(this.document, operation) !== undefined) return;
    const composed = this.composer.body(body.name, body.schema);
    if (!this.#isWhole(`${operation.operationId} body`, composed)) return;
    const holder = dereference(this.document, body.schema);
    if (holder !== undefined) holder.example = composed.value;
  }

  #addAnswer(path: string, operation: Operation, status: string): void {
    const declared = operation.responses[status];
    if (declared === undefined) return;
    const response = resolveResponse(this.document, declared);
    const { schema, examples } = response;
    // Bytes and plain text have an example where somebody wrote one.
    if (schema === undefined || schema.type === 'file' || schema.type === 'string') return;
    if (examples?.[JSON_TYPE] !== undefined) return;
    const isPaged = (operation.parameters ?? []).some((one) => resolveParameter(this.document, one).name === 'limit');
    const composed = this.composer.answer(path, schema, isPaged);
    if (!this.#isWhole(`${operation.operationId} ${status}`, composed)) return;
    if ('$ref' in declared) {
      const users = this.#shared.get(declared.$ref) ?? [];
      users.push({ operation, status, text: JSON.stringify(composed.value) });
      this.#shared.set(declared.$ref, users);
    } else {
      operation.responses[status] = withExample(response, composed.value);
    }
  }

  #isWhole(what: string, { missing }: Composed): boolean {
    if (missing.length > 0) this.lacks.set(what, missing);
    return missing.length === 0;
  }

  /** What several operations answer keeps its one definition if the example fits all of them. */
  #share(reference: string, users: readonly User[]): void {
    const name = splitReference(reference)?.[1] ?? '';
    const response = this.document.responses[name];
    if (response === undefined) return;
    const [first = ''] = users.map(({ text }) => text);
    if (users.every(({ text }) => text === first)) {
      this.document.responses[name] = withExample(response, JSON.parse(first) as JsonValue);
      return;
    }
    for (const { operation, status, text } of users)
      operation.responses[status] = withExample(response, JSON.parse(text) as JsonValue);
    Reflect.deleteProperty(this.document.responses, name);
  }
}

const withExample = (response: Response, value: JsonValue): Response => ({
  ...response,
  examples: { ...response.examples, [JSON_TYPE]: value },
});
