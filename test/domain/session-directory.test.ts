/** The API sessions that routers are told of, kept once: what changes, and which of them role lists select. */
import { expect } from 'chai';
import type { SessionState } from '../../db/stores/router-sync-view.js';
import type { RoleList } from '../../db/query/scopes.js';
import { SessionDirectory, isSelected } from '../../fabric/sessions/session-directory.js';

const state = (
  id: string,
  more: Partial<SessionState> & { attributes?: string[]; owner?: string } = {},
): SessionState => {
  const { attributes = [], owner = `owner of ${id}`, ...rest } = more;
  return {
    id,
    identityId: owner,
    fingerprints: [],
    isGood: true,
    isShared: false,
    identity: { id: owner, roleAttributes: attributes },
    ...rest,
  };
};
const anyOf = (...roles: string[]): RoleList => ({ semantic: 'AnyOf', roles });
const allOf = (...roles: string[]): RoleList => ({ semantic: 'AllOf', roles });
const encode = ({ id, identityId, fingerprints }: SessionState) =>
  Buffer.from([id, identityId, ...fingerprints].join());

describe('the directory of API sessions', () => {
  let directory: SessionDirectory;
  beforeEach(() => {
    directory = new SessionDirectory(encode);
  });
  const selected = (...lists: RoleList[]) => [...directory.selected(lists)].map(({ id }) => id);
  /** What became of each: whether it was and is selected by `#a`. */
  const changesOf = (found: SessionState[], asked?: string[]) =>
    directory.apply(found, asked).map(({ id, before, after, isOther }) => ({
      id,
      had: before !== undefined && isSelected([anyOf('#a')], before),
      has: after !== undefined && isSelected([anyOf('#a')], after.identity),
      isOther,
    }));

  it('names what is new, other, moved and gone, and nothing that is the same', () => {
    expect(changesOf([state('1', { attributes: ['a'] })])).to.deep.equal([
      { id: '1', had: false, has: true, isOther: true },
    ]);
    expect(changesOf([state('1', { attributes: ['a'] })])).to.deep.equal([]);
    expect(changesOf([state('1', { attributes: ['a'], fingerprints: ['f'] })])).to.deep.equal([
      { id: '1', had: true, has: true, isOther: true },
    ]);
    expect(changesOf([state('1', { attributes: ['b'], fingerprints: ['f'] })])).to.deep.equal([
      { id: '1', had: true, has: false, isOther: false },
    ]);
    expect(changesOf([], ['1', 'unknown'])).to.deep.equal([{ id: '1', had: false, has: false, isOther: true }]);
    expect(directory.size).to.equal(0);
  });

  it('takes out what does not count any more', () => {
    directory.apply([state('1'), state('2')]);
    expect(changesOf([state('1', { isGood: false })])).to.deep.equal([
      { id: '1', had: false, has: false, isOther: true },
    ]);
    expect(directory.ids()).to.deep.equal(['2']);
  });

  it('moves all sessions of an identity when one of them shows other attributes', () => {
    directory.apply(['1', '2'].map((id) => state(id, { owner: 'o', attributes: ['a'] })));
    expect(changesOf([state('2', { owner: 'o', attributes: ['b'] })])).to.deep.equal([
      { id: '1', had: true, has: false, isOther: false },
      { id: '2', had: true, has: false, isOther: false },
    ]);
    expect(selected(anyOf('#a'))).to.deep.equal([]);
    expect(selected(anyOf('#b'))).to.deep.equal(['1', '2']);
  });

  it('finds what role lists select, each session once', () => {
    directory.apply([
      state('1', { attributes: ['a'] }),
      state('2', { attributes: ['a', 'b'] }),
      state('3', { attributes: ['b', 'c'], owner: 'three' }),
      state('4', { owner: 'four' }),
    ]);
    const cases: [RoleList[], string[]][] = [
      [[], []],
      [[anyOf('#all')], ['1', '2', '3', '4']],
      [[anyOf('#a', '#b')], ['1', '2', '3']],
      [
        [anyOf('#a'), anyOf('#b')],
        ['1', '2', '3'],
      ],
      [[allOf('#a', '#b')], ['2']],
      [[allOf('#a', '#b', '@four')], ['2', '4']],
      [[allOf('@four', '@three')], ['3', '4']],
      [
        [anyOf('#b', '@three'), allOf('#b', '#c')],
        ['2', '3'],
      ],
      [[anyOf('#none', '@nobody')], []],
    ];
    for (const [lists, ids] of cases) expect(selected(...lists).sort(), JSON.stringify(lists)).to.deep.equal(ids);
  });

  it('can change while it is walked over', () => {
    directory.apply(['1', '2', '3'].map((id) => state(id, { attributes: ['a'] })));
    const walk = directory.selected([anyOf('#a')]);
    const first = walk.next();
    expect(first.done === true ? undefined : first.value.id).to.equal('1');
    directory.apply([state('4', { attributes: ['a'] })], ['2']);
    expect([...walk].map(({ id }) => id)).to.deep.equal(['3', '4']);
  });

  it('forgets identities without sessions', () => {
    directory.apply([state('1', { attributes: ['a'], owner: 'o' })]);
    directory.apply([], ['1']);
    expect(selected(anyOf('#a', '@o'))).to.deep.equal([]);
    directory.apply([state('2', { attributes: ['b'], owner: 'o' })]);
    expect(selected(anyOf('#a'))).to.deep.equal([]);
    expect(selected(anyOf('#b'))).to.deep.equal(['2']);
  });
});
