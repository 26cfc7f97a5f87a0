/** Refused values as text: cut at the same place as before they were cut early, and never written out whole. */
import { expect } from 'chai';
import { jsonStart, SHOWN_CHARACTERS, valueText } from '../../domain/value-text.js';
import { bodyFault } from '../../server/http/faults.js';
import { IgnoredNames } from '../../server/http/ignored-names.js';
import { errorReply } from '../../server/http/envelope.js';

/** A list of `length` equal items that counts how many of them were looked at. */
function counted(length: number, item: unknown) {
  const seen = { items: 0 };
  const list = new Proxy(Array<unknown>(length), {
    get: (target, key, receiver) => {
      if (typeof key !== 'string' || !/^\d+$/.test(key)) return Reflect.get(target, key, receiver) as unknown;
      seen.items += 1;
      return item;
    },
  });
  return { list, seen };
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
const membersOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

/** Shapes of a body of a mebibyte. */
const LARGE: Readonly<Record<string, unknown>> = {
  'empty objects': Array.from({ length: 340_000 }, () => ({})),
  'lists of an empty object': Array.from({ length: 170_000 }, () => [{}]),
  'empty texts': Array<string>(300_000).fill(''),
  'numbers': Array.from({ length: 480_000 }, () => 1),
  'lists 60 deep': Array.from({ length: 8_000 }, () => nested(60)),
  'members': membersOf(90_000),
  'one long text in a list': ['x'.repeat(1_000_000)],
  'one long name': { ['x'.repeat(1_000_000)]: 1 },
};

describe('a refused value as text', () => {
  it('has the form that clients of this field know', () => {
    const value = { a: [1, 'two', null, true, {}], b: { c: 'd' }, e: [] };
    expect(valueText(value)).to.equal('map[a:[1 two <nil> true map[]] b:map[c:d] e:[]]');
    expect([valueText(undefined), valueText(null), valueText('text'), valueText(2.5)]).to.deep.equal([
      '<nil>',
      '<nil>',
      'text',
      '2.5',
    ]);
  });

  it('begins as JSON.stringify has it', () => {
    const value = { 'a "b"': [1, 'two\n', null, true, {}, []], 'c': { d: -1e21, e: '\ud800' } };
    const whole = JSON.stringify(value);
    for (let most = 0; most <= whole.length + 1; most += 1)
      expect(jsonStart(value, most)).to.equal(whole.slice(0, most));
  });

  for (const [shape, value] of Object.entries(LARGE)) {
    it(`is hardly longer than what is shown: ${shape}`, () => {
      expect(valueText(value).length).to.be.within(SHOWN_CHARACTERS + 1, SHOWN_CHARACTERS + 200);
      expect(jsonStart(value, 300)).to.equal(JSON.stringify(value).slice(0, 300));
    });
  }

  it('looks at no more items than are shown', () => {
    const { list, seen } = counted(340_000, {});
    expect(valueText(list)).to.match(/^\[map\[\] map\[\] .*\]$/);
    expect(seen.items).to.be.lessThan(SHOWN_CHARACTERS);
    const others = counted(340_000, {});
    jsonStart(others.list, 300);
    expect(others.seen.items).to.be.lessThan(300);
  });

  it('is cut in the answer, whatever member of a body was refused', () => {
    const { list, seen } = counted(340_000, {});
    const fault = (keyword: string, params: object, instancePath: string) =>
      errorReply(
        bodyFault(
          { keyword, params, instancePath, schemaPath: '#' } as never,
          { many: list },
          'body',
          new IgnoredNames(),
        ),
        'id',
      ).body.error.cause;
    const tooMany = fault('maxItems', { limit: 2 }, '/many');
    expect(tooMany?.['value']).to.have.lengthOf(SHOWN_CHARACTERS + 1);
    const noObject = fault('type', { type: 'object' }, '/many');
    expect(noObject?.['reason']).to.have.lengthOf(300);
    expect(seen.items).to.be.lessThan(2 * SHOWN_CHARACTERS);
  });

  it('of a member with a long name is cut as well', () => {
    const name = 'n'.repeat(1_000_000);
    const params = { missingProperty: name };
    const error = bodyFault(
      { keyword: 'required', params, instancePath: '', schemaPath: '#' },
      {},
      'body',
      new IgnoredNames(),
    );
    const { cause } = errorReply(error, 'id').body.error;
    expect(cause?.['field']).to.have.lengthOf(SHOWN_CHARACTERS + 1);
  });
});
