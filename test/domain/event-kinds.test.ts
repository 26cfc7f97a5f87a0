/** The kinds that filters may name are those that records have. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { EVENT_KINDS, requireKinds } from '../../domain/events/kinds.js';

describe('kinds of events', () => {
  it('are all that the schema writes', () => {
    const schema = readFileSync(new URL('../../db/schema/schema.sql', import.meta.url), 'utf8');
    const written = new Set<string>();
    for (const [, first = ''] of schema.matchAll(
      /(?:record_audit\(|INTO audited_changes (?:SELECT |VALUES \())((?:'[\w.]+'(?: \|\| )?)+)/g,
    ))
      written.add([...first.matchAll(/'([^']*)'/g)].map(([, part]) => part).join(''));
    expect(written.size).to.be.greaterThan(60);
    expect([...written].filter((kind) => !EVENT_KINDS.includes(kind))).to.deep.equal([]);
  });

  it('are found by each pattern that is accepted', () => {
    requireKinds('kinds', ['*', '*.*', 'identity.*', '*.deleted', 'login.failed']);
    for (const pattern of ['services.*', 'identity', '*.create', 'login.created', 'a.b.c', ''])
      expect(() => {
        requireKinds('kinds', [pattern]);
      }, pattern).to.throw(/must have kinds such as/);
  });
});
