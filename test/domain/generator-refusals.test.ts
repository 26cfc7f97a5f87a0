/** What the generator refuses in the definitions of a spec, with what sentence. */
import { at } from '../fixtures/specs/zoo.js';
import { person, name, animal, bird, refuses } from './generator-support.js';
import type { Refusal } from './generator-support.js';

describe('the generator refuses', () => {
  const cases: Refusal[] = [
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
  ];
  cases.forEach(refuses);
});
