/** Statements as values: names that are taken once, and the place of the actor in every change. */
import { expect } from 'chai';
import {
  asyncChange,
  change,
  locking,
  read,
  shortChange,
  slowRead,
  varyingChange,
} from '../../db/postgres/statement.js';
import type { ActorPlaces } from '../../db/postgres/statement.js';

const ACTOR = "set_config('edge.actor', $2, true)";

describe('a statement', () => {
  it('has a name that no other one has, whatever the two are', () => {
    read('test-taken', 'SELECT 1');
    for (const make of [read, slowRead, locking])
      expect(() => make('test-taken', 'SELECT 2')).to.throw('two statements are called test-taken');
    expect(() => change('test-taken', ({ returningActor }) => `DELETE FROM t${returningActor}`)).to.throw('two');
    expect(() => asyncChange('test-taken', ({ returningActor }) => `DELETE FROM t${returningActor}`)).to.throw('two');
  });

  it('has a name that PostgreSQL does not cut, and that is not like those made while the program runs', () => {
    for (const name of ['n'.repeat(63), 'insert-services-x', 'update-x', 'delete-x', 'list-1'])
      expect(() => read(name, 'SELECT 1')).to.throw(`a statement must not be called ${name}`);
  });
});

describe('a change in the database', () => {
  it('takes the actor after its columns, or in a RETURNING of its own', () => {
    const columns = change('test-columns', ({ actor }) => `UPDATE t SET a = 1 WHERE id = $1 RETURNING id${actor}`);
    expect(columns.text).to.equal('UPDATE t SET a = 1 WHERE id = $1 RETURNING id');
    expect(columns.withActor?.(2)).to.deep.equal({
      name: 'test-columns+',
      label: 'test-columns',
      text: `UPDATE t SET a = 1 WHERE id = $1 RETURNING id, ${ACTOR}`,
    });
    const none = change('test-none', ({ returningActor }) => `DELETE FROM t WHERE id = $1${returningActor}`);
    expect(none.text).to.equal('DELETE FROM t WHERE id = $1');
    expect(none.withActor?.(2)?.text).to.equal(`DELETE FROM t WHERE id = $1 RETURNING ${ACTOR}`);
  });

  it('says in its text that its commit waits for no standby, with an actor and without', () => {
    const local = "set_config('synchronous_commit', 'local', true)";
    const seen = asyncChange('test-seen', ({ returningActor }) => `UPDATE t SET a = 1${returningActor}`);
    expect(seen.kind).to.equal('asyncChange');
    expect(seen.text).to.equal(`UPDATE t SET a = 1 RETURNING ${local}`);
    expect(seen.withActor?.(2)?.text).to.equal(`UPDATE t SET a = 1 RETURNING ${local}, ${ACTOR}`);
  });

  it('sets nothing but its actor where it may share its commit', () => {
    const text = ({ actor }: ActorPlaces) =>
      `UPDATE t SET a = 1 RETURNING set_config('edge.x', 'on', true)${actor}` as const;
    expect(() => shortChange('test-settings', { row: 0 }, text)).to.throw('test-settings sets more in its transaction');
    const sharing = { row: 0, takenBack: 'edge.x' };
    expect(shortChange('test-taken-back', sharing, text).sharing).to.deep.equal(sharing);
  });

  it('has its text with the actor made once', () => {
    const once = varyingChange('update-test', ({ returningActor }) => `UPDATE t SET a = $1${returningActor}`);
    expect(once.withActor?.(2)).to.equal(once.withActor?.(2));
  });

  it('does not compile without a place for the actor', () => {
    // @ts-expect-error its text has no place
    change('test-no-place', () => 'DELETE FROM t');
    // @ts-expect-error its text has no place either
    change('test-no-place-varying', () => `DELETE FROM ${String('t')}`);
    // @ts-expect-error nor has this one
    asyncChange('test-no-place-async', ({ actor }) => `DELETE FROM t${actor.slice(1)}`);
  });
});
