/** What the suites of the generator's refusals share: parts of the zoo's specs, and the check of one change of them. */
import { expect } from 'chai';
import { generateFrom } from '../../scripts/generate.js';
import { at, zoo, type Documents } from '../fixtures/specs/zoo.js';

export const person = (documents: Documents): Record<string, unknown> =>
  at(documents.management, 'definitions', 'person');
export const name = (documents: Documents): Record<string, unknown> => at(person(documents), 'properties', 'name');
export const animal = (documents: Documents): Record<string, unknown> =>
  at(documents.management, 'definitions', 'animalCreate');
export const bird = (documents: Documents): Record<string, unknown> =>
  at(documents.management, 'definitions', 'birdCreate');
export const create = (documents: Documents): Record<string, unknown> =>
  at(documents.management, 'paths', '/keepers', 'post');
export const photo = (documents: Documents): Record<string, unknown> =>
  at(documents.client, 'paths', '/animals/{animalId}/photo', 'get');

/** One change of the specs, and the sentence that refuses it. */
export type Refusal = [what: string, change: (documents: Documents) => void, message: string | RegExp];

export function refuses([what, change, message]: Refusal): void {
  it(what, () => {
    const documents = zoo();
    change(documents);
    expect(() => generateFrom(documents)).to.throw(message);
  });
}
