/** Schemas of config types: checked, compiled and applied within bounds. */
import { expect } from 'chai';
import { compileConfigSchema } from '../../domain/config/schema.js';
import { fault, refusal, schemaFault, accepts, text } from './config-schema-support.js';

describe('config data', () => {
  it('is refused with path, reason and value', () => {
    expect(
      refusal(
        { properties: { a: { items: { properties: { low: { minimum: 1 } } } } } },
        { a: [{ low: 5 }, { low: 0 }] },
      ),
    ).to.deep.equal({
      field: 'a.1.low',
      reason: 'a.1.low is invalid: a.1.low: Must be greater than or equal to 1',
      value: '0',
    });
  });

  it('is refused at the top as (root)', () => {
    expect(refusal({ required: ['port'] }, {})).to.deep.equal({
      field: '(root)',
      reason: '(root) is invalid: (root): port is required',
      value: '{}',
    });
  });

  it('is refused with at most 200 characters of the value', () => {
    expect(refusal({ properties: { a: { type: 'null' } } }, { a: 'x'.repeat(1_000) }).value).to.have.length(201);
  });

  const texts: [object, unknown, string][] = [
    [{ required: ['port'] }, {}, 'port is required'],
    [{ additionalProperties: false }, { zz: 1 }, 'Additional property zz is not allowed'],
    [{ type: 'integer' }, 'x', 'Invalid type. Expected: integer, given: string'],
    [{ type: 'integer' }, 1.5, 'Invalid type. Expected: integer, given: number'],
    [{ type: ['string', 'null'] }, 7, 'Invalid type. Expected: [string,null], given: integer'],
    [{ type: 'object' }, [], 'Invalid type. Expected: object, given: array'],
    [{ type: 'object' }, null, 'Invalid type. Expected: object, given: null'],
    [{ enum: ['tcp', 'udp'] }, 'x', '(root) must be one of the following: "tcp", "udp"'],
    [{ const: true }, 1, '(root) does not match: true'],
    [{ minimum: 1 }, 0, 'Must be greater than or equal to 1'],
    [{ maximum: 1 }, 2, 'Must be less than or equal to 1'],
    [{ exclusiveMinimum: 1 }, 1, 'Must be greater than 1'],
    [{ exclusiveMaximum: 1 }, 1, 'Must be less than 1'],
    [{ multipleOf: 5 }, 7, 'Must be a multiple of 5'],
    [{ minLength: 1 }, '', 'String length must be greater than or equal to 1'],
    [{ maxLength: 1 }, 'ab', 'String length must be less than or equal to 1'],
    [{ pattern: '^[0-9]+$' }, 'a', "Does not match pattern '^[0-9]+$'"],
    [{ format: 'ipv4' }, 'a', "Does not match format 'ipv4'"],
    [{ minItems: 1 }, [], 'Array must have at least 1 items'],
    [{ maxItems: 1 }, [1, 2], 'Array must have at most 1 items'],
    [{ uniqueItems: true }, [1, 2, 1], 'array items[0,2] must be unique'],
    [{ items: [{}], additionalItems: false }, [1, 2], 'No additional items allowed on array'],
    [{ contains: { const: 1 } }, [2], 'At least one of the items must match'],
    [{ minProperties: 1 }, {}, 'Must have at least 1 properties'],
    [{ maxProperties: 0 }, { a: 1 }, 'Must have at most 0 properties'],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, 'Property name of "ab" does not match'],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, 'Has a dependency on b'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, 'Must validate at least one schema (anyOf)'],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, 'Must validate one and only one schema (oneOf)'],
    [{ not: { type: 'string' } }, 'x', 'Must not validate the schema (not)'],
    [{ if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, 'Must validate "then" as "if" was valid'],
    [{ if: { required: ['a'] }, else: { required: ['b'] } }, {}, 'Must validate "else" as "if" was not valid'],
    [
      { if: { required: ['a'] }, else: { $ref: '#/definitions/x' }, definitions: { x: { required: ['b'] } } },
      {},
      'Must validate "else" as "if" was not valid',
    ],
    [{ properties: { else: false } }, { else: 1 }, 'False always fails validation'],
  ];
  for (const [schema, data, expected] of texts) {
    it(`that fails ${JSON.stringify(schema).slice(0, 60)} reads: ${expected}`, () =>
      expect(text(refusal(schema, data))).to.equal(expected));
  }

  it('is checked the same way again and again', () => {
    const schema = compileConfigSchema({ properties: { a: { uniqueItems: true } } });
    for (let i = 0; i < 3; i += 1) {
      expect(fault(() => schema.validate({ a: [1, 1] })).field).to.equal('a');
      schema.validate({ a: [1, 2] });
    }
  });

  it('must have properties of its own: what every object inherits does not count', () => {
    expect(text(refusal({ required: ['toString'] }, {}))).to.equal('toString is required');
    expect(text(refusal({ additionalProperties: false }, JSON.parse('{"__proto__":1}')))).to.equal(
      'Additional property __proto__ is not allowed',
    );
    expect(text(refusal({ properties: { constructor: { type: 'string' } } }, { constructor: 1 }))).to.include(
      'Expected: string',
    );
    accepts({ properties: { constructor: { type: 'string' } } }, {});
  });

  it('has unique items when they differ in more than the order of names', () => {
    accepts({ uniqueItems: true }, [
      { a: 1 },
      { a: '1' },
      { a: [1] },
      1,
      '1',
      true,
      'true',
      null,
      'null',
      [],
      {},
      [[]],
    ]);
    expect(
      text(
        refusal({ uniqueItems: true }, [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ]),
      ),
    ).to.equal('array items[0,1] must be unique');
  });

  it('is matched anywhere in the text when a pattern has no anchors, and each pattern is its own', () => {
    const schema = { properties: { a: { pattern: 'b+' }, c: { pattern: 'd+' } } };
    accepts(schema, { a: 'abc', c: 'cde' });
    expect(refusal(schema, { a: 'abc', c: 'abc' }).field).to.equal('c');
    accepts({ patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false }, { 'x-a': '1' });
    expect(refusal({ patternProperties: { '^x-': { type: 'string' } } }, { 'x-a': 1 }).field).to.equal('x-a');
  });
});

describe('formats', () => {
  const good: [string, string][] = [
    ['ipv4', '10.0.0.1'],
    ['ipv6', 'fe80::1'],
    ['hostname', 'a-b.example'],
    ['email', 'a@b.example'],
    ['uri', 'https://a/b?c#d'],
    ['uuid', 'F2DD2DF0-9c04-4b84-a91e-71437ac229f1'],
    ['date', '2024-02-29'],
    ['time', '23:59:60Z'],
    ['date-time', '2024-02-29T01:02:03.5+01:00'],
    ['json-pointer', '/a~0b/c~1d'],
    ['idn-hostname', '*.anything at all'],
    ['made-up', 'x'],
  ];
  const bad: [string, string][] = [
    ['ipv4', '10.0.0.256'],
    ['ipv4', '10.0.0'],
    ['ipv6', 'fe80::1%eth0'],
    ['ipv6', '1.2.3.4'],
    ['hostname', '-a'],
    ['hostname', 'a_b'],
    ['hostname', ''],
    ['hostname', 'a.'.repeat(150)],
    ['email', 'a'],
    ['email', '@b'],
    ['email', 'a b@c'],
    ['uri', 'a/b'],
    ['uri', 'http://['],
    ['uuid', 'f2dd2df0'],
    ['date', '2023-02-29'],
    ['date', '2024-13-01'],
    ['time', '24:00:00Z'],
    ['time', '12:00:00'],
    ['date-time', '2024-02-30T00:00:00Z'],
    ['date-time', '2024-02-29 00:00:00Z'],
    ['json-pointer', 'a'],
    ['json-pointer', '/~2'],
    ['uri', `http://a/${'b'.repeat(3_000)}`],
  ];
  for (const [format, value] of good) it(`${format} accepts ${value}`, () => accepts({ format }, value));
  for (const [format, value] of bad)
    it(`${format} refuses ${JSON.stringify(value.slice(0, 30))}`, () =>
      expect(text(refusal({ format }, value))).to.include(format));
});

describe('schemas', () => {
  it('of draft-04 to 2019-09 are read, and what is unknown in them is left out', () => {
    for (const draft of [
      'http://json-schema.org/draft-04/schema#',
      'http://json-schema.org/draft-07/schema',
      'https://json-schema.org/draft/2019-09/schema',
      'urn:own',
    ]) {
      accepts(
        {
          $schema: draft,
          'x-vendor': { deep: [1] },
          $async: true,
          nullable: true,
          weight: 1e9,
          $comment: 1,
          title: 'a',
          default: { $ref: 'http://x' },
        },
        {},
      );
    }
  });

  it('of draft-04 have exclusive bounds as booleans', () => {
    expect(text(refusal({ minimum: 5, exclusiveMinimum: true }, 5))).to.equal('Must be greater than 5');
    accepts({ maximum: 5, exclusiveMaximum: false }, 5);
    accepts({ exclusiveMaximum: true }, 5);
  });

  it('refer to their own parts, by pointer, name and id', () => {
    const schema = {
      $id: 'http://example.org/root.json',
      definitions: {
        port: { $id: '#port', type: 'integer' },
        other: {
          $id: 'other.json',
          definitions: { nothing: { type: 'null' } },
          properties: { n: { $ref: '#/definitions/nothing' } },
        },
        'a/b~c d': { type: 'string' },
      },
      properties: {
        a: { $ref: '#/definitions/port' },
        b: { $ref: '#port' },
        c: { $ref: 'http://example.org/root.json#/definitions/port' },
        d: { $ref: 'other.json' },
        e: { $ref: '#/definitions/a~1b~0c%20d' },
        f: { $ref: '#' },
        g: { $ref: 'other.json#/definitions/nothing' },
      },
    };
    accepts(schema, { a: 1, b: 1, c: 1, d: { n: null }, e: 'x', f: { a: 1 }, g: null });
    for (const [name, value] of Object.entries({ a: 'x', b: 'x', c: 'x', e: 1, g: 1 })) {
      expect(refusal(schema, { [name]: value }).field, name).to.equal(name);
    }
    expect(refusal(schema, { d: { n: 1 } }).field).to.equal('d.n');
    expect(refusal(schema, { f: { f: { a: 'x' } } }).field).to.equal('f.f.a');
  });

  it('have nothing beside a reference up to draft-07, and everything from 2019-09 on', () => {
    const schema = { properties: { a: { $ref: '#/definitions/any', minimum: 5 } }, definitions: { any: {} } };
    accepts(schema, { a: 1 });
    expect(refusal({ $schema: 'https://json-schema.org/draft/2019-09/schema', ...schema }, { a: 1 }).field).to.equal(
      'a',
    );
  });

  const refused: [string, object, RegExp][] = [
    [
      'an unknown type',
      { type: 'bogus' },
      /^invalid schema has a primitive type .* given: \/bogus\/ .* are:\[array boolean integer .* object string\]$/,
    ],
    ['an unknown type below', { properties: { a: { type: ['string', 'bogus'] } } }, /given: \/bogus\//],
    [
      'an unknown type in a definition that nothing uses',
      { definitions: { a: { type: 'bogus' } } },
      /given: \/bogus\//,
    ],
    ['a type that is a number', { type: 5 }, /'type' that must be a list/],
    ['a number where a schema belongs', { properties: { a: 5 } }, /neither an object nor a boolean/],
    ['null where a schema belongs', { not: null }, /neither an object nor a boolean/],
    ['properties in a list', { properties: [] }, /'properties' that must be an object/],
    ['an empty allOf', { allOf: [] }, /'allOf' that must be a list that is not empty/],
    ['an empty enum', { enum: [] }, /'enum' that must be a list that is not empty/],
    ['required as a flag', { required: true }, /'required' that must be a list/],
    ['required with numbers', { required: [1] }, /'required' that must be a list of strings/],
    ['a negative length', { minLength: -1 }, /'minLength' that must be an integer of at least 0/],
    ['a bound in quotes', { minimum: '1' }, /'minimum' that must be a number/],
    ['a multiple of 0', { multipleOf: 0 }, /'multipleOf' that must be a number above 0/],
    ['unique items in quotes', { uniqueItems: 'yes' }, /'uniqueItems' that must be a boolean/],
    ['a property __proto__', { properties: JSON.parse('{"__proto__":{"type":"string"}}') as object }, /__proto__/],
    ['a pattern with look-ahead', { pattern: '(?=a)' }, /bad pattern: the pattern is not in RE2 syntax/],
    ['a pattern with a back reference', { pattern: '(a)\\1' }, /bad pattern/],
    ['a pattern that does not end', { pattern: '(a' }, /bad pattern/],
    ['a pattern of property names that is bad', { patternProperties: { '[': {} } }, /bad pattern/],
    ['a pattern that is too long', { pattern: 'a'.repeat(1_001) }, /longer than 1000/],
    ['a pattern that is too large', { pattern: '[ab]{900}[cd]{900}' }, /too large/],
    [
      'many patterns that are large together',
      { allOf: Array.from({ length: 60 }, (_, i) => ({ pattern: `x{450}${i}` })) },
      /too many large patterns/,
    ],
    [
      'a reference to the network',
      { $ref: 'http://127.0.0.1:9/x.json' },
      /not in the schema: references outside it are not followed/,
    ],
    ['a reference to a file', { properties: { a: { $ref: 'file:///etc/passwd' } } }, /not in the schema/],
    ['a reference to another document', { $ref: 'other.json#/definitions/a' }, /not in the schema/],
    ['a reference to the draft itself', { $ref: 'http://json-schema.org/draft-07/schema#' }, /not in the schema/],
    ['a reference to nowhere', { $ref: '#/definitions/a' }, /is not there/],
    ['a reference to an unknown name', { $ref: '#a' }, /is not there/],
    ['a reference to what objects inherit', { $ref: '#/constructor' }, /is not there/],
    ['a reference to no schema', { $ref: '#/title', title: 'x' }, /neither an object nor a boolean/],
    ['a reference that is no text', { $ref: 5 }, /'\$ref' that must be a string/],
    ['a reference to itself', { $ref: '#' }, /circle/],
    [
      'references in a circle',
      {
        definitions: { a: { $ref: '#/definitions/b' }, b: { anyOf: [{ $ref: '#/definitions/a' }] } },
        properties: { x: { $ref: '#/definitions/a' } },
      },
      /circle/,
    ],
    ['a circle by way of dependencies', { dependencies: { a: { $ref: '#' } } }, /circle/],
    ['more than 64 KiB', { title: 'x'.repeat(66_000) }, /longer than 65536/],
    [
      'more than 250 subschemas',
      { properties: Object.fromEntries(Array.from({ length: 251 }, (_, i) => [`p${i}`, {}])) },
      /more than 250 subschemas/,
    ],
    ['more than 48 levels', Array.from({ length: 50 }).reduce<object>((inner) => ({ not: inner }), {}), /48 levels/],
  ];
  for (const [what, schema, reason] of refused) {
    it(`are refused with ${what}`, () => {
      const cause = schemaFault(schema);
      expect(cause.field).to.equal('schema');
      expect(cause.reason)
        .to.match(/^invalid schema /)
        .and.match(reason);
      expect(cause.value.length).to.be.at.most(200);
    });
  }

  it('may describe trees by referring to themselves', () => {
    const schema = { type: 'object', properties: { children: { items: { $ref: '#' } } }, additionalProperties: false };
    accepts(schema, { children: [{ children: [] }, {}] });
    expect(refusal(schema, { children: [{ children: [{ x: 1 }] }] }).field).to.equal('children.0.children.0');
  });
});
