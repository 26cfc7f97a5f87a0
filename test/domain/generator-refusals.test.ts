/** What the generator refuses in a spec, with what sentence. */
import { expect } from 'chai';
import { generateFrom } from '../../scripts/generate.js';
import { at, zoo, type Documents } from '../fixtures/specs/zoo.js';

describe('the generator refuses', () => {
  const person = (documents: Documents): Record<string, unknown> => at(documents.management, 'definitions', 'person');
  const name = (documents: Documents): Record<string, unknown> => at(person(documents), 'properties', 'name');
  const animal = (documents: Documents): Record<string, unknown> =>
    at(documents.management, 'definitions', 'animalCreate');
  const bird = (documents: Documents): Record<string, unknown> => at(documents.management, 'definitions', 'birdCreate');
  const create = (documents: Documents): Record<string, unknown> =>
    at(documents.management, 'paths', '/keepers', 'post');
  const photo = (documents: Documents): Record<string, unknown> =>
    at(documents.client, 'paths', '/animals/{animalId}/photo', 'get');

  const cases: [what: string, change: (documents: Documents) => void, message: string | RegExp][] = [
    [
      'an unknown keyword of a schema',
      (d) => {
        person(d)['oneOf'] = [];
      },
      'management #/definitions/person/oneOf: ',
    ],
    [
      'an unknown extension',
      (d) => {
        name(d)['x-go-name'] = 'Name';
      },
      'management #/definitions/person/properties/name/x-go-name: ',
    ],
    [
      'an unknown type',
      (d) => {
        name(d)['type'] = 'money';
      },
      'management #/definitions/person/properties/name/type: ',
    ],
    [
      'an unknown format',
      (d) => {
        name(d)['format'] = 'ipv4';
      },
      'management #/definitions/person/properties/name/format: ',
    ],
    [
      'a format of another type',
      (d) => {
        name(d)['format'] = 'int32';
      },
      '/properties/name/format: ',
    ],
    [
      'a keyword of another type',
      (d) => {
        name(d)['minItems'] = 1;
      },
      '/properties/name/minItems: ',
    ],
    [
      'an empty enum',
      (d) => {
        name(d)['enum'] = [];
      },
      '/properties/name/enum: ',
    ],
    [
      'an enum of numbers',
      (d) => {
        name(d)['enum'] = [1];
      },
      '/properties/name/enum/0: ',
    ],
    [
      'a pattern that is none',
      (d) => {
        name(d)['pattern'] = '(';
      },
      '/properties/name/pattern: ',
    ],
    [
      'properties without a type',
      (d) => {
        delete person(d)['type'];
      },
      'management #/definitions/person: ',
    ],
    [
      'a closed object',
      (d) => {
        person(d)['additionalProperties'] = false;
      },
      '/definitions/person/additionalProperties: ',
    ],
    [
      'a map beside properties',
      (d) => {
        person(d)['additionalProperties'] = { type: 'string' };
      },
      '/person/additionalProperties: ',
    ],
    [
      'a required property that is not there',
      (d) => {
        person(d)['required'] = ['age'];
      },
      '#/definitions/person/required: ',
    ],
    [
      'an inherited required property that is not there',
      (d) => {
        at(d.management, 'definitions', 'keeperCreate', 'allOf', 1)['required'] = ['age'];
      },
      '#/definitions/keeperCreate: ',
    ],
    [
      'a bound on bytes beside properties',
      (d) => {
        person(d)['x-max-bytes'] = 9;
      },
      '/person/x-max-bytes: not beside',
    ],
    [
      'a bound on bytes that is none',
      (d) => {
        at(d.management, 'definitions', 'tags')['x-max-bytes'] = 1.5;
      },
      '/definitions/tags/x-max-bytes: ',
    ],
    [
      'an array without items',
      (d) => {
        name(d)['type'] = 'array';
      },
      '/properties/name/items: ',
    ],
    [
      'uniqueItems of objects',
      (d) => {
        Object.assign(name(d), { type: 'array', items: { type: 'object' }, uniqueItems: true });
      },
      '/properties/name/uniqueItems: ',
    ],
    [
      'properties that differ in case only',
      (d) => {
        at(person(d), 'properties')['Name'] = { type: 'string' };
      },
      'two properties differ in upper and lower case only',
    ],
    [
      'a map of objects with names of their own',
      (d) => {
        Object.assign(name(d), { type: 'object', additionalProperties: { $ref: '#/definitions/address' } });
      },
      'values of any name must not be objects with names of their own',
    ],
    [
      'a reference to elsewhere',
      (d) => {
        at(person(d), 'properties')['name'] = { $ref: 'other.yml#/a' };
      },
      '#/definitions/person/properties/name/$ref: ',
    ],
    [
      'a reference to nothing',
      (d) => {
        at(person(d), 'properties')['name'] = { $ref: '#/definitions/nothing' };
      },
      '#/definitions/person/properties/name: ',
    ],
    [
      'an extended definition that is no object',
      (d) => {
        at(d.management, 'definitions', 'keeperCreate', 'allOf', 0)['$ref'] = '#/definitions/water';
      },
      '#/definitions/keeperCreate/allOf/0: ',
    ],
    [
      'a discriminator that is not required',
      (d) => {
        animal(d)['required'] = ['name'];
      },
      '#/definitions/animalCreate/discriminator: ',
    ],
    [
      'a discriminator that nothing extends',
      (d) => {
        at(d.management, 'definitions', 'address')['discriminator'] = 'city';
      },
      '#/definitions/address/discriminator: ',
    ],
    [
      'a sub-type without a value',
      (d) => {
        delete bird(d)['x-discriminator-value'];
      },
      '#/definitions/birdCreate: ',
    ],
    [
      'two sub-types with one value',
      (d) => {
        bird(d)['x-discriminator-value'] = 'FISH';
      },
      /x-discriminator-value: birdCreate uses it too/,
    ],
    [
      'a value that the base does not list',
      (d) => {
        bird(d)['x-discriminator-value'] = 'DOG';
      },
      '/birdCreate/x-discriminator-value: ',
    ],
    [
      'a value without a base',
      (d) => {
        person(d)['x-discriminator-value'] = 'A';
      },
      '/person/x-discriminator-value: ',
    ],
    [
      'definitions whose types would be one',
      (d) => {
        at(d.management, 'definitions')['Address'] = { type: 'string' };
        at(person(d), 'properties')['a'] = { $ref: '#/definitions/Address' };
      },
      /its type Address is also that of Address/,
    ],
    [
      'a definition that hides a type of the language',
      (d) => {
        at(d.management, 'definitions')['record'] = { type: 'string' };
        at(person(d), 'properties')['a'] = { $ref: '#/definitions/record' };
      },
      /its type Record is also that of the language/,
    ],
    [
      'an unknown keyword of an operation',
      (d) => {
        create(d)['schemes'] = ['https'];
      },
      '#/paths/~1keepers/post/schemes: ',
    ],
    [
      'an operation without a permission',
      (d) => {
        delete create(d)['x-permission'];
      },
      '#/paths/~1keepers/post/x-permission: ',
    ],
    [
      'an unknown permission',
      (d) => {
        create(d)['x-permission'] = 'root';
      },
      '#/paths/~1keepers/post/x-permission: ',
    ],
    [
      'an operation for administrators without a grant',
      (d) => {
        delete create(d)['x-grant'];
      },
      '#/paths/~1keepers/post/x-grant: ',
    ],
    [
      'a grant to an unknown entity',
      (d) => {
        create(d)['x-grant'] = 'person.create';
      },
      '#/paths/~1keepers/post/x-grant: admin, adminRead, or one action',
    ],
    [
      'a grant of an unknown action',
      (d) => {
        create(d)['x-grant'] = 'animal.feed';
      },
      '#/paths/~1keepers/post/x-grant: admin, adminRead, or one action',
    ],
    [
      'a grant of every action at once',
      (d) => {
        create(d)['x-grant'] = 'animal';
      },
      '#/paths/~1keepers/post/x-grant: admin, adminRead, or one action',
    ],
    [
      'a grant of what is not for administrators',
      (d) => {
        create(d)['x-permission'] = 'own';
      },
      '#/paths/~1keepers/post/x-grant: only an operation for administrators',
    ],
    [
      'a refusal by another status than 403',
      (d) => {
        create(d)['x-refusal'] = 401;
      },
      '#/paths/~1keepers/post/x-refusal: 403 is expected',
    ],
    [
      'a refusal of what is not for administrators alone',
      (d) => {
        delete create(d)['x-grant'];
        Object.assign(create(d), { 'x-refusal': 403, 'x-permission': 'own' });
      },
      '#/paths/~1keepers/post/x-refusal: only an operation for administrators',
    ],
    [
      'a refusal by a status that is not declared',
      (d) => {
        create(d)['x-refusal'] = 403;
      },
      '#/paths/~1keepers/post/x-refusal: the operation does not declare',
    ],
    [
      'an operation without an id',
      (d) => {
        delete create(d)['operationId'];
      },
      '#/paths/~1keepers/post/operationId: ',
    ],
    [
      'an operationId that is used twice',
      (d) => {
        create(d)['operationId'] = 'createAnimal';
      },
      /operationId createAnimal is used twice/,
    ],
    [
      'an unknown method',
      (d) => {
        at(d.management, 'paths', '/keepers')['head'] = create(d);
      },
      '#/paths/~1keepers/head: ',
    ],
    [
      'an unknown media type of a body',
      (d) => {
        create(d)['consumes'] = ['application/xml'];
      },
      '#/paths/~1keepers/post/consumes: ',
    ],
    [
      'an answer that nothing can carry',
      (d) => {
        create(d)['produces'] = ['image/png'];
      },
      '#/paths/~1keepers/post/responses/201/schema: ',
    ],
    [
      'a form parameter',
      (d) => {
        at(create(d), 'parameters', 0)['in'] = 'formData';
      },
      '#/paths/~1keepers/post/parameters/0/in: ',
    ],
    [
      'a status that is none',
      (d) => {
        at(create(d), 'responses')['2XX'] = {};
      },
      '#/paths/~1keepers/post/responses/2XX: ',
    ],
    [
      'a path parameter that is not described',
      (d) => {
        (photo(d)['parameters'] as unknown[]).shift();
      },
      /path parameters are animalId, described are none/,
    ],
    [
      'an array that is not repeated',
      (d) => {
        at(photo(d), 'parameters', 2)['collectionFormat'] = 'csv';
      },
      '/parameters/2/collectionFormat: ',
    ],
    [
      'a part of a segment as parameter',
      (d) => {
        at(d.client, 'paths')['/animals/{animalId}.png'] = { get: { ...photo(d), operationId: 'other' } };
      },
      'client #/paths/~1animals~1{animalId}.png: ',
    ],
    [
      'two operations at one path, under different names',
      (d) => {
        at(d.client, 'paths', '/animals/{id}/meals')['get'] = { ...photo(d), operationId: 'one', parameters: [] };
        at(d.client, 'paths')['/animals/{other}/meals'] = {
          get: {
            ...photo(d),
            operationId: 'two',
            parameters: [{ name: 'other', in: 'path', type: 'string', required: true }],
          },
        };
      },
      /it has the same method and path as one/,
    ],
    [
      'another version of OpenAPI',
      (d) => {
        d.client['swagger'] = '3.0';
      },
      'client #/swagger: ',
    ],
  ];
  for (const [what, change, message] of cases) {
    it(what, () => {
      const documents = zoo();
      change(documents);
      expect(() => generateFrom(documents)).to.throw(message);
    });
  }
});
