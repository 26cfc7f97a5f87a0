/** Plans of two runs are compared by their nodes, whatever the statement says above them. */
import { expect } from 'chai';
import { differencesOf, nodesOf } from '../../lab/explain/compare.js';

const plan = (...lines: string[]) => ['-- prepared as one', 'SELECT (actual)', '', ...lines, ''].join('\n');
const BEFORE = plan(
  'Limit (actual rows=10 loops=1)',
  '  Pages: 19',
  '  ->  Nested Loop (actual rows=10 loops=1)',
  '        ->  Index Scan using identities_pkey on identities i (actual rows=1 loops=10)',
  '              Index Cond: (id = $1)',
  '        ->  Seq Scan on mfas m (never executed)',
);

describe('plans of two runs', () => {
  it('are lists of nodes with what they read', () => {
    expect(nodesOf(BEFORE)).to.deep.equal([
      'Limit',
      '  ->  Nested Loop',
      '        ->  Index Scan using identities_pkey on identities',
      '        ->  Seq Scan on mfas',
    ]);
  });

  it('are equal with other rows, pages, conditions and aliases', () => {
    const after = BEFORE.replace('Pages: 19', 'Pages: 21')
      .replace('rows=10', 'rows=9')
      .replace('(never executed)', '(actual rows=0 loops=1)')
      .replace('on identities i ', 'on identities e_1 ')
      .replace('SELECT', 'SELECT 1,');
    expect(differencesOf(new Map([['a', BEFORE]]), new Map([['a', after]]))).to.deep.equal([]);
  });

  it('differ with another index, another depth, a node more, and a file that one of them has alone', () => {
    const others = [
      BEFORE.replace('identities_pkey', 'identities_name_key'),
      BEFORE.replace('Seq Scan on mfas', 'Index Scan using mfas_pkey on mfas'),
      BEFORE.replace('        ->  Seq', '      ->  Seq'),
      `${BEFORE}  ->  Result (actual rows=1 loops=1)\n`,
    ];
    for (const other of others) {
      const [line = '', ...more] = differencesOf(new Map([['a', BEFORE]]), new Map([['a', other]]));
      expect(line).to.match(/^a: other nodes\n- Limit\n/);
      expect(more).to.deep.equal([]);
    }
    const moved = differencesOf(new Map([['a', BEFORE]]), new Map([['b', BEFORE]]));
    expect(moved).to.deep.equal(['a: is gone', 'b: is new']);
  });
});
