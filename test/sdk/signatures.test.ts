/** Code that was generated from the last release's documents goes on compiling with that of this tree. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { brokenCalls, currentSignatures, parseSignatures, SIGNATURES } from '../../scripts/sdk/signatures.js';

const DELETE = 'management deleteService';
const one = (...parameters: string[]) => new Map([[DELETE, parameters]]);

describe('methods of generated code', () => {
  const released = parseSignatures(readFileSync(SIGNATURES, 'utf8'));

  it('take what those of the last release take', () => {
    expect(released.size).to.be.greaterThan(250);
    expect(released.get(DELETE)).to.deep.equal(['path:id:string', 'header:If-Match:string?']);
    expect(brokenCalls(released, currentSignatures())).to.deep.equal([]);
  });

  const before = one('path:id:string', 'header:If-Match:string?');
  const CASES: [what: string, after: ReadonlyMap<string, readonly string[]>, sentence: string][] = [
    ['an operation that is gone', new Map(), 'is gone; operations and their ids stay'],
    ['a parameter that is gone', one('path:id:string'), 'header:If-Match:string? is gone, or is another now'],
    [
      'a parameter of another type',
      one('path:id:integer', 'header:If-Match:string?'),
      'path:id:string is gone, or is another now',
    ],
    [
      'a new parameter that is required',
      one('path:id:string', 'query:force:boolean', 'header:If-Match:string?'),
      'query:force:boolean is new; let it be left out',
    ],
    [
      'a new parameter before one that was there',
      one('path:id:string', 'query:force:boolean?', 'header:If-Match:string?'),
      'query:force:boolean? stands where header:If-Match:string? was; new ones come last',
    ],
    [
      'another order',
      one('header:If-Match:string?', 'path:id:string'),
      'header:If-Match:string? stands where path:id:string was; new ones come last',
    ],
  ];
  for (const [what, after, sentence] of CASES)
    it(`are broken by ${what}`, () => {
      expect(brokenCalls(before, after)[0]).to.equal(`${DELETE}: ${sentence}`);
    });

  it('are broken by the first parameter of an operation', () => {
    expect(brokenCalls(one(), one('header:If-Match:string?'))).to.have.length(1);
  });

  it('are not broken by a parameter that may be left out and comes last, nor by an operation that is new', () => {
    const after = new Map([
      ...one('path:id:string', 'header:If-Match:string?', 'query:force:boolean?'),
      ['management newOne', []] as const,
    ]);
    expect(brokenCalls(before, after)).to.deep.equal([]);
  });
});
