/** Config schemas cost no more than their bounds: neither time to compile and to check, nor room in the cache. */
import { expect } from 'chai';
import { ConfigSchemaCache } from '../../domain/config/schema-cache.js';
import { compileConfigSchema } from '../../domain/config/schema.js';
import { fault, refusal, accepts } from './config-schema-support.js';

describe('no schema can hold up the process', () => {
  const nested = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>((inner) => ({ a: inner }), {});
  const words = 'xyxxyyxyxyyxyxxxyyyxyx'.repeat(2_000);
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      { allOf: [{ $ref: `#/definitions/d${i + 1}` }, { $ref: `#/definitions/d${i + 1}` }] },
    ]),
  );
  const hostile: [string, object, unknown][] = [
    [
      'references that double at each step',
      { definitions: { ...doubling, d40: {} }, properties: { x: { $ref: '#/definitions/d0' } } },
      { x: 1 },
    ],
    [
      'recursion that doubles with each level of the data',
      { allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] },
      nested(60),
    ],
    ['a large pattern on a long text', { pattern: '(x|y)*x(x|y){100}[zw]' }, words],
    [
      'many choices of large values',
      { items: { enum: Array.from({ length: 1_000 }, (_, i) => ({ a: i, b: [i] })) } },
      Array.from({ length: 16_000 }, () => ({ a: 999, b: [999] })),
    ],
    ['half a million items', { items: { minimum: 0 } }, Array.from({ length: 500_001 }, () => 1)],
    ['data that is nested without end', { properties: { a: { $ref: '#' } } }, nested(200_000)],
  ];
  for (const [what, schema, data] of hostile) {
    it(`with ${what}`, () => {
      const compiled = compileConfigSchema(schema);
      expect(fault(() => compiled.validate(data)).reason).to.equal(
        '(root) is invalid: (root): Takes too long to check: make the data smaller, or the schema simpler',
      );
      compiled.validate(undefined);
    });
  }

  it('nor can nested repeats, which take most engines for ever', () => {
    expect(refusal({ pattern: '^(a+)+$' }, `${'a'.repeat(20_000)}!`).field).to.equal('(root)');
  });

  it('nor can unique items, which are quadratic when compared with each other', () => {
    accepts(
      { uniqueItems: true },
      Array.from({ length: 50_000 }, (_, i) => ({ i })),
    );
  });
});

describe('cache of schemas', () => {
  const at = (ms: number) => new Date(ms);
  const smallest = compileConfigSchema({}).kib;
  const type = (id: string, ms: number, schema: object = {}) => ({ id, updatedAt: at(ms), schema });

  it('compiles a type once', () => {
    const cache = new ConfigSchemaCache();
    expect(cache.get(type('a', 1))).to.equal(cache.get(type('a', 1)));
    expect(cache.get(type('a', 1))).not.to.equal(cache.get(type('b', 1)));
  });

  it('compiles a type again once it was changed', () => {
    const cache = new ConfigSchemaCache();
    cache.get(type('a', 1, { type: 'object' })).validate({});
    expect(fault(() => cache.get(type('a', 2, { type: 'string' })).validate({})).field).to.equal('(root)');
  });

  it('keeps no more than its limit, and drops what was not used for longest', () => {
    const cache = new ConfigSchemaCache(2 * smallest);
    const [a, b] = [cache.get(type('a', 1)), cache.get(type('b', 1))];
    expect(cache.get(type('a', 1))).to.equal(a);
    cache.get(type('c', 1));
    expect(cache.get(type('a', 1))).to.equal(a);
    expect(cache.get(type('b', 1))).not.to.equal(b);
  });

  it('keeps fewer of large schemas than of small ones', () => {
    const cache = new ConfigSchemaCache(10 * smallest);
    const small = cache.get(type('small', 1));
    const properties = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`p${i}`, { type: 'string' }]));
    cache.get(type('large', 1, { properties }));
    expect(cache.get(type('small', 1))).to.equal(small);
    cache.get(type('larger', 1, { properties: { ...properties, one: {} } }));
    expect(cache.get(type('small', 1))).not.to.equal(small);
  });

  it('keeps nothing of a schema that is invalid', () => {
    const cache = new ConfigSchemaCache(smallest);
    const known = cache.get(type('b', 1));
    for (let time = 0; time < 2; time += 1)
      expect(fault(() => cache.get(type('a', 1, { type: 'bogus' }))).field).to.equal('schema');
    expect(cache.get(type('b', 1))).to.equal(known);
  });
});
