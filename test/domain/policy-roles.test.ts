/** Role lists and role attributes: their normal form, and what they select. */
import { expect } from 'chai';
import { DomainError } from '../../domain/errors.js';
import { namedIds, parseRoleAttributes, parseRoles, selects } from '../../domain/policy/roles.js';
import { sortedSet } from '../../domain/sorted-set.js';

function refusal(work: () => unknown): DomainError['field'] {
  try {
    work();
  } catch (error) {
    expect(error).to.be.instanceOf(DomainError);
    return (error as DomainError).field;
  }
  throw new Error('it was not refused');
}

describe('role lists', () => {
  it('are sorted by bytes and keep each entry once', () => {
    expect(parseRoles('serviceRoles', ['@b', '#z', '#a', '#z', '@B', '#Z'])).to.deep.equal([
      '#Z',
      '#a',
      '#z',
      '@B',
      '@b',
    ]);
    expect(sortedSet(['\u{1F6AA}', '\uFFFD', 'é', 'e'])).to.deep.equal(['e', 'é', '\uFFFD', '\u{1F6AA}']);
    expect(parseRoles('serviceRoles', [])).to.deep.equal([]);
    expect(parseRoles('serviceRoles', ['#all', '#all'])).to.deep.equal(['#all']);
    expect(parseRoles('serviceRoles', ['#'])).to.deep.equal(['#']);
  });

  it('refuse an entry without prefix, naming the field and the entry', () => {
    const reason = 'role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)';
    expect(refusal(() => parseRoles('identityRoles', ['#ok', 'probe-a']))).to.deep.equal({
      field: 'identityRoles',
      reason,
      value: '[probe-a]',
    });
    expect(refusal(() => parseRoles('identityRoles', ['']))).to.deep.equal({
      field: 'identityRoles',
      reason,
      value: '[]',
    });
  });

  it('refuse #all in company', () => {
    expect(refusal(() => parseRoles('serviceRoles', ['#probe-a', '#all']))).to.deep.equal({
      field: 'serviceRoles',
      reason: 'if using #all, it should be the only role specified',
      value: '[#all #probe-a]',
    });
    expect(refusal(() => parseRoles('serviceRoles', ['#all', '@id']))?.value).to.equal('[#all @id]');
  });

  it('tell which ids they name', () => {
    expect(namedIds(['#a', '@b', '@', '#@c'])).to.deep.equal(['b', '']);
  });
});

describe('role attributes', () => {
  it('are sorted by bytes and kept once', () => {
    expect(parseRoleAttributes(['b', 'a', 'b', 'A', 'all'])).to.deep.equal(['A', 'a', 'all', 'b']);
  });

  it('may not look like a selector', () => {
    expect(refusal(() => parseRoleAttributes(['a', '#b']))).to.deep.equal({
      field: 'roleAttributes',
      reason: 'role attributes may not be prefixed with #',
      value: '#b',
    });
    expect(refusal(() => parseRoleAttributes(['@b']))).to.deep.equal({
      field: 'roleAttributes',
      reason: 'role attributes may not be prefixed with @',
      value: '@b',
    });
  });
});

describe('a role list and an entity', () => {
  it('meet by nothing but exact bytes', () => {
    const entity = { id: 'id1', roleAttributes: ['a', 'b c', '*'] };
    for (const semantic of ['AllOf', 'AnyOf'] as const) {
      for (const roles of [['@id'], ['@id11'], ['@ID1'], ['#A'], ['#'], ['@'], ['#b'], ['#a '], ['#id1'], ['@a']])
        expect(selects(semantic, roles, entity), `${semantic} ${roles.join()}`).to.equal(false);
      for (const roles of [['@id1'], ['#a'], ['#b c'], ['#*'], ['#all']])
        expect(selects(semantic, roles, entity), `${semantic} ${roles.join()}`).to.equal(true);
    }
  });
});
