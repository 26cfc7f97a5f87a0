/** When an identity is disabled, as every statement asks it. */
import { expect } from 'chai';
import { isDisabledSql } from '../../db/stores/disabled.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

describe('a disabled identity', () => {
  let files: TestDatabase;
  before(async () => {
    files = await openTestDatabase();
  });
  after(async () => {
    await files.close();
  });

  const cases: readonly (readonly [string, string, string, boolean])[] = [
    ['that never was', 'NULL', 'NULL', false],
    ['for good', 'now()', 'NULL', true],
    ['until a moment ahead', 'now()', "now() + interval '1 ms'", true],
    ['until this moment', 'now()', 'now()', false],
    ['until a moment ago', 'now()', "now() - interval '1 ms'", false],
  ];
  for (const [name, at, until, expected] of cases) {
    it(`${name}: ${expected ? 'is' : 'is not'}, and that is never unknown`, async () => {
      const { rows } = await files.query(
        `SELECT ${isDisabledSql('i')} AS "isDisabled"
          FROM (SELECT (${at})::timestamptz AS disabled_at, (${until})::timestamptz AS disabled_until) i`,
      );
      expect(rows).to.deep.equal([{ isDisabled: expected }]);
    });
  }
});
