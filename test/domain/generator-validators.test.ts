/** The generated validators take and refuse as their schemas say. */
import { expect } from 'chai';
import { generateFrom } from '../../scripts/generate.js';
import { at, generateZoo, validatorsOf, zoo, type Validate } from '../fixtures/specs/zoo.js';

describe('generated validators', () => {
  const files = generateZoo();
  const management = validatorsOf(files, 'management');
  const client = validatorsOf(files, 'client');

  /** What a validator finds: null, or `keyword /place`, with the property's name where one is missing. */
  function fault(validate: Validate | undefined, data: unknown): string | null {
    if (!validate) throw new Error('there is no such validator');
    if (validate(data)) return null;
    expect(validate.errors).to.have.length(1);
    const [first] = validate.errors ?? [];
    const missing = first?.params['missingProperty'];
    return `${first?.keyword ?? ''} ${first?.instancePath ?? ''}${typeof missing === 'string' ? `/${missing}` : ''}`;
  }

  const address = { city: 'Berlin' };
  const keeper = { address, name: 'Ann', nickname: 'A', salary: 1, size: 'small', token: 'AA==', verified: true };
  const keeperFault = (change: Record<string, unknown>): string | null =>
    fault(management['request_keeperCreate'], { ...keeper, ...change });

  describe('of requests', () => {
    it('accept a body that is right', () => {
      expect(keeperFault({})).to.equal(null);
    });

    it('ignore unknown properties', () => {
      expect(keeperFault({ unknown: { a: 1 } })).to.equal(null);
    });

    it('take null for an optional property as absent', () => {
      expect(keeperFault({ badge: null, hiredAt: null, home: null, shifts: null, tags: null })).to.equal(null);
    });

    it('refuse null where the document does not declare it', () => {
      const documents = zoo();
      const grams = at(documents.client, 'definitions', 'meal', 'properties', 'grams');
      expect(fault(client['request_meal'], { food: 'hay', grams: null })).to.equal(null);
      delete grams['x-nullable'];
      const strict = validatorsOf(generateFrom(documents), 'client');
      expect(fault(strict['request_meal'], { food: 'hay', grams: null })).to.equal('type /grams');
      expect(fault(strict['request_meal'], { food: 'hay' })).to.equal(null);
    });

    it('leave other spellings of an enum to the handler where the document says so', () => {
      const documents = zoo();
      at(documents.management, 'definitions', 'size')['x-lenient'] = true;
      const { request_keeperCreate: keepers, response_animalDetail: animals } = validatorsOf(
        generateFrom(documents),
        'management',
      );
      expect(fault(keepers, { ...keeper, size: 'SMALL' })).to.equal(null);
      const bird = { kind: 'BIRD', id: 'a', createdAt: '2026-01-01T00:00:00Z', links: { self: './animals/a' } };
      expect(fault(animals, { ...bird, size: 'SMALL' })).to.equal('enum /size');
      expect(fault(animals, { ...bird, size: 'small' })).to.equal(null);
    });

    it('report null for a required property as missing', () => {
      expect(keeperFault({ salary: null })).to.equal('required /salary');
      expect(keeperFault({ address: null })).to.equal('required /address');
    });

    it('accept null for a required property that is nullable, but not its absence', () => {
      expect(keeperFault({ verified: null, size: null })).to.equal(null);
      expect(keeperFault({ verified: undefined })).to.equal('required /verified');
      expect(keeperFault({ size: undefined })).to.equal('required /size');
    });

    it('report the first fault in the order of names, whatever its kind', () => {
      expect(keeperFault({ address: 5, name: undefined, salary: 'x' })).to.equal('type /address');
      expect(keeperFault({ badge: 'x', name: undefined, salary: 'x' })).to.equal('format /badge');
      expect(keeperFault({ name: undefined, salary: 'x', page: 5 })).to.equal('required /name');
      expect(keeperFault({ salary: 'x', size: undefined, verified: undefined })).to.equal('type /salary');
    });

    it('order inherited properties among the own ones', () => {
      expect(keeperFault({ nickname: undefined, salary: undefined })).to.equal('required /nickname');
      expect(keeperFault({ home: {}, name: undefined })).to.equal('required /home/city');
    });

    it('require an inherited property that only the sub-type requires', () => {
      expect(keeperFault({ nickname: undefined })).to.equal('required /nickname');
    });

    it('look into referenced objects', () => {
      expect(keeperFault({ address: {} })).to.equal('required /address/city');
      expect(keeperFault({ home: { city: 'x' } })).to.equal('pattern /home/city');
    });

    it('check enums, also where null is allowed', () => {
      expect(keeperFault({ size: 'huge' })).to.equal('enum /size');
    });

    it('check the ranges of int32 and int64', () => {
      expect(keeperFault({ shifts: 2 ** 31 })).to.equal('maximum /shifts');
      expect(keeperFault({ shifts: -(2 ** 31) })).to.equal(null);
      expect(keeperFault({ salary: 2 ** 53 })).to.equal('maximum /salary');
      expect(keeperFault({ salary: 1.5 })).to.equal('type /salary');
    });

    it('check lists: length, elements, repetition', () => {
      const fish = (waters: unknown): string | null =>
        fault(management['request_fishCreate'], { kind: 'FISH', name: 'x', tags: {}, waters });
      expect(fish(['salt', 'fresh'])).to.equal(null);
      expect(fish([])).to.equal('minItems /waters');
      expect(fish(['salt', 'salt'])).to.equal('uniqueItems /waters');
      expect(fish(['salt', 'sweet'])).to.equal('enum /waters/1');
      expect(fish([null])).to.equal('type /waters/0');
      expect(fish(null)).to.equal(null);
    });

    it('check the bytes of free content as JSON text in UTF-8', () => {
      for (const a of ['xxxx', 'éé', '""']) expect(keeperFault({ tags: { a } }), a).to.equal(null);
      for (const a of ['xxxxx', 'ééé', '""x']) expect(keeperFault({ tags: { a } }), a).to.equal('maxBytes /tags');
    });

    it('check minimum, maximum and length', () => {
      const meal = (body: unknown): string | null => fault(client['request_meal'], body);
      expect(meal({ food: 'hay', grams: 500 })).to.equal(null);
      expect(meal({ food: '' })).to.equal('minLength /food');
      expect(meal({ food: 'hay', grams: -1 })).to.equal('minimum /grams');
      expect(meal({ food: 'hay', grams: 501 })).to.equal('maximum /grams');
      expect(meal([])).to.equal('type ');
      expect(meal(null)).to.equal('type ');
    });
  });

  describe('of formats', () => {
    const cases: Record<string, { right: string[]; wrong: string[] }> = {
      hiredAt: {
        right: [
          '2026-11-21T05:06:30.778Z',
          '2024-02-29T23:59:59+01:00',
          '2000-02-29t00:00:00z',
          '2026-01-31T00:00:00.123456789Z',
        ],
        wrong: [
          '',
          '2026-11-21',
          '2026-11-21 05:06:30Z',
          '2026-11-21T05:06:30',
          '2023-02-29T00:00:00Z',
          '1900-02-29T00:00:00Z',
          '2026-04-31T00:00:00Z',
          '2026-13-01T00:00:00Z',
          '2026-01-01T24:00:00Z',
          '2026-01-01T00:00:60Z',
          ' 2026-01-01T00:00:00Z',
          '2026-01-01T00:00:00Z\n',
          '٢026-01-01T00:00:00Z',
        ],
      },
      badge: {
        right: ['7f3b2a10-1234-4abc-8def-0123456789ab', '7F3B2A10-1234-4ABC-8DEF-0123456789AB'],
        wrong: [
          '',
          '7f3b2a1012344abc8def0123456789ab',
          '7f3b2a10-1234-4abc-8def-0123456789a',
          '{7f3b2a10-1234-4abc-8def-0123456789ab}',
        ],
      },
      token: {
        right: ['', 'AA==', 'AAA=', 'AAAA', 'a+/9'],
        wrong: ['A', 'AA', 'AA=', 'A===', 'a-_9', 'AA==AA==', 'AAAA\n'],
      },
      page: { right: ['https://example.org/a?b', 'urn:a', '/login'], wrong: ['', 'login', 'http://a b', '://a'] },
    };
    for (const [property, { right, wrong }] of Object.entries(cases)) {
      for (const value of right)
        it(`accept ${property} ${JSON.stringify(value)}`, () =>
          expect(keeperFault({ [property]: value })).to.equal(null));
      for (const value of wrong) {
        it(`refuse ${property} ${JSON.stringify(value)}`, () =>
          expect(keeperFault({ [property]: value })).to.equal(`format /${property}`));
      }
    }

    it('agree with Date on what a date is', () => {
      for (const value of cases['hiredAt']?.right ?? []) expect(new Date(value).getTime(), value).to.not.be.NaN;
    });

    it('cope with a mebibyte', () => {
      const text = 'A'.repeat(2 ** 20);
      expect(keeperFault({ token: text })).to.equal(null);
      expect(keeperFault({ token: `${text}!` })).to.equal('format /token');
      expect(keeperFault({ hiredAt: `2026-01-01T00:00:00.${'1'.repeat(2 ** 20)}` })).to.equal('format /hiredAt');
      expect(keeperFault({ page: `a:${text} ` })).to.equal('format /page');
    });
  });

  describe('of a discriminated union', () => {
    const animal = (body: unknown): string | null => fault(management['request_animalCreate'], body);

    it('follow the short value and the name of the definition', () => {
      expect(animal({ kind: 'BIRD', name: 'x', canFly: true })).to.equal(null);
      expect(animal({ kind: 'birdCreate', name: 'x', canFly: true })).to.equal(null);
      expect(animal({ kind: 'BIRD', name: 'x' })).to.equal('required /canFly');
      expect(animal({ kind: 'birdCreate', name: 'x' })).to.equal('required /canFly');
      expect(animal({ kind: 'FISH', name: 'x', tags: {} })).to.equal(null);
    });

    it('report an unknown value at the discriminator, before anything else', () => {
      expect(animal({ kind: 'DOG' })).to.equal('enum /kind');
      expect(animal({ kind: 'animalCreate' })).to.equal('enum /kind');
      expect(animal({ kind: 5 })).to.equal('type /kind');
      expect(animal({ kind: null })).to.equal('required /kind');
      expect(animal({})).to.equal('required /kind');
      expect(animal('BIRD')).to.equal('type ');
    });

    it('check inherited properties in the branch', () => {
      expect(animal({ kind: 'BIRD', canFly: true })).to.equal('required /name');
      expect(animal({ kind: 'BIRD', canFly: true, name: 'a name too long' })).to.equal('maxLength /name');
    });

    it('require what only the sub-type requires', () => {
      expect(animal({ kind: 'FISH', name: 'x' })).to.equal('required /tags');
      expect(animal({ kind: 'FISH', name: 'x', tags: null })).to.equal(null);
    });

    it('take only the short value in responses', () => {
      const detail = (kind: string): string | null =>
        fault(management['response_animalDetail'], { kind, id: 'a', createdAt: '2026-01-01T00:00:00Z', links: {} });
      expect(detail('BIRD')).to.equal(null);
      expect(detail('birdDetail')).to.equal('enum /kind');
    });
  });

  describe('of responses', () => {
    const bird = { kind: 'BIRD', id: 'a', createdAt: '2026-01-01T00:00:00Z', links: { self: './animals/a' } };
    const detail = (change: Record<string, unknown>): string | null =>
      fault(management['response_animalDetail'], { ...bird, ...change });

    it('show content whatever its bytes', () => {
      expect(detail({ links: { self: `./animals/${'a'.repeat(100)}` } })).to.equal(null);
    });

    it('accept relative links', () => {
      expect(detail({})).to.equal(null);
    });

    it('allow null only where the definition does', () => {
      expect(detail({ size: null, mate: null, nickname: null })).to.equal(null);
      expect(detail({ links: null })).to.equal('type /links');
      expect(fault(client['response_meal'], { food: null })).to.equal('type /food');
    });

    it('follow references to the union, also nullable and recursive', () => {
      expect(detail({ mate: bird })).to.equal(null);
      expect(detail({ mate: { kind: 'DOG' } })).to.equal('enum /mate/kind');
      expect(detail({ mate: { kind: 'BIRD' } })).to.match(/^required \/mate\//);
      expect(fault(client['response_failure'], { code: 'A', cause: { code: 'B', cause: {} } })).to.equal(
        'required /cause/cause/code',
      );
    });

    it('check every element of a list', () => {
      const list = (data: unknown): string | null => fault(management['response_listAnimalsEnvelope'], { data });
      expect(list([])).to.equal(null);
      expect(list([bird, { kind: 'FISH' }])).to.equal(null);
      expect(list([bird, { kind: 'DOG' }])).to.equal('enum /data/1/kind');
      expect(list(null)).to.equal('type /data');
    });

    it('treat undefined as absent', () => {
      expect(detail({ size: undefined, nickname: undefined })).to.equal(null);
      expect(detail({ id: undefined })).to.equal('required /id');
    });
  });

  it('are there for every definition that is a body or an answer, and for elements of lists', () => {
    expect(Object.keys(management)).to.include.members([
      'request_animalCreate',
      'request_keeperCreate',
      'response_failure',
      'response_listAnimalsEnvelope',
      'response_animalDetail',
      'response_createKeeperResponse201',
      'response_createKeeperResponse201_item',
    ]);
    expect(Object.keys(client)).to.include.members(['request_meal', 'response_meal', 'response_showRootResponse200']);
    expect(fault(management['response_createKeeperResponse201_item'], 5)).to.equal('type ');
  });

  it('need nothing but the formats and the runtime of ajv', () => {
    for (const [path, content] of files) {
      if (!path.endsWith('.cjs')) continue;
      for (const [, name] of content.matchAll(/require\("([^"]+)"\)/g)) {
        expect(name, path).to.match(/^(\.\.\/formats\.cjs|ajv\/dist\/runtime\/\w+)$/);
      }
    }
  });
});
