/** What the generator refuses in the operations of a spec, with what sentence. */
import { at } from '../fixtures/specs/zoo.js';
import { create, photo, refuses } from './generator-support.js';
import type { Refusal } from './generator-support.js';

describe('the generator refuses in an operation', () => {
  const cases: Refusal[] = [
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
      'a credential that may be one or not',
      (d) => {
        photo(d)['x-credential'] = 'perhaps';
      },
      'x-credential: true is expected',
    ],
    [
      'a change that says it hands out a credential',
      (d) => {
        create(d)['x-credential'] = true;
      },
      '#/paths/~1keepers/post/x-credential: only a read says so',
    ],
    [
      'a public operation whose body is not bounded',
      (d) => {
        Object.assign(create(d), { 'x-permission': 'public', 'security': [] });
        delete create(d)['x-grant'];
      },
      '#/paths/~1keepers/post: x-max-body is missing',
    ],
    [
      'a bound of a body that is no number of bytes',
      (d) => {
        create(d)['x-max-body'] = '64 KiB';
      },
      '#/paths/~1keepers/post/x-max-body: an integer from 1024 to 1048576 is expected',
    ],
    [
      'a bound of a body that is not there',
      (d) => {
        photo(d)['x-max-body'] = 65_536;
      },
      'x-max-body: the operation has no body',
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
  cases.forEach(refuses);
});
