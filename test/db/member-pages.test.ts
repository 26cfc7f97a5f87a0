/** Pages by role attributes, whose totals are counts that triggers keep: compared with a look at every entity. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { IdentityStore } from '../../db/stores/identities.js';
import { openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';
import { recordStatements } from '../support/statements.js';

const COUNT = 400;
/** From one that all have to one that nobody has. */
const ATTRIBUTES = ['all', 'half', 'third', 'tenth', 'one', 'it\'s {odd}, "x"', 'none'];
const attribute = fc.constantFrom(...ATTRIBUTES);
const some = fc.array(attribute, { minLength: 1, maxLength: 3 });
const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;

type Request = Parameters<IdentityStore['list']>[0];

describe('pages by role attributes', () => {
  let fixture: TestStores;
  let stores: TestStores['stores'];
  const ids: string[] = [];
  before(async () => {
    fixture = await openStoresForTest();
    ({ stores } = fixture);
    const { rows } = await fixture.files.query(
      `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, role_attributes)
      SELECT left(md5('i' || i), 10), md5('n' || i), 'User', false, 'default', ARRAY['all']
        || CASE WHEN i % 2 = 0 THEN ARRAY['half'] END || CASE WHEN i % 3 = 0 THEN ARRAY['third'] END
        || CASE WHEN i % 10 = 0 THEN ARRAY['tenth'] END || CASE WHEN i = 7 THEN ARRAY['one'] END
        || CASE WHEN i % 50 = 1 THEN ARRAY[$2] END
      FROM generate_series(1, $1) i RETURNING id`,
      [COUNT, ATTRIBUTES[5]],
    );
    ids.push(...rows.map((row) => String(row['id'])));
  });
  after(() => fixture.close());

  const matching = async (wanted: readonly string[], named: readonly string[], sort: string): Promise<string[]> => {
    const { rows } = await fixture.files.query(
      `SELECT id FROM (SELECT * FROM identities OFFSET 0) t WHERE id = ANY ($2) OR EXISTS (
        SELECT FROM unnest(role_attributes) a WHERE a = ANY ($1)) ORDER BY ${sort === '' ? 'id' : sort}`,
      [wanted, named],
    );
    return rows.map((row) => String(row['id']));
  };
  const expectPage = async (request: Request, wanted: readonly string[], named: readonly string[] = []) => {
    const { sort = '', limit = 10, offset = 0 } = request;
    const all = await matching(wanted, named, sort);
    const page = await stores.identities.list(request);
    const asked = JSON.stringify(request);
    expect(page.totalCount, asked).to.equal(all.length);
    expect(
      page.items.map(({ id }) => id),
      asked,
    ).to.deep.equal(all.slice(offset, offset + limit));
  };

  const pages = fc.record({
    sort: fc.constantFrom('', 'name', 'name desc', 'id desc'),
    limit: fc.constantFrom(1, 10, 60, 300),
    offset: fc.constantFrom(0, 3, 45, 95, 150, 600, 1_200),
  });

  it('are those that have one or some of them, whatever the filter, the order and the page', async () => {
    const asked = fc.oneof(
      attribute.map((one): [Request, string[]] => [{ filter: `anyOf(roleAttributes) = ${quoted(one)}` }, [one]]),
      some.map((wanted): [Request, string[]] => [
        { filter: `anyOf(roleAttributes) in [${wanted.map(quoted).join(', ')}]` },
        wanted,
      ]),
      attribute.map((one): [Request, string[]] => [{ roleFilter: [`#${one}`] }, [one]]),
      some.map((wanted): [Request, string[]] => [
        { roleFilter: wanted.map((one) => `#${one}`), roleSemantic: 'AnyOf' },
        wanted,
      ]),
    );
    await fc.assert(
      fc.asyncProperty(asked, pages, async ([request, wanted], page) => expectPage({ ...request, ...page }, wanted)),
      { numRuns: 200 },
    );
  }).timeout(120_000);

  it('are what role lists of policies select, by attributes and ids', async () => {
    const named = fc.array(fc.constantFrom(...ids.slice(0, 40), 'unknown'), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(some, named, pages, async (wanted, some, page) => {
        const roles = [...wanted.map((one) => `#${one}`), ...some.map((id) => `@${id}`)];
        await expectPage({ selectedBy: [{ semantic: 'AnyOf', roles }], ...page }, wanted, some);
      }),
      { numRuns: 150 },
    );
  }).timeout(120_000);

  it('are empty where role lists name nothing, and ask nobody', async () => {
    const requests: Request[] = [
      {},
      { sort: 'name' },
      { sort: 'createdAt', offset: 30 },
      { filter: 'not isAdmin limit none' },
      { roleFilter: ['#half'] },
    ];
    const sent = recordStatements(/FROM identities/);
    for (const selectedBy of [[], [{ semantic: 'AnyOf', roles: [] }], [{ semantic: 'AllOf', roles: [] }]] as const)
      for (const request of requests) {
        const { items, rest, totalCount } = await stores.identities.list({ ...request, selectedBy });
        expect({ items, rest, totalCount }).to.deep.equal({ items: [], rest: undefined, totalCount: 0 });
      }
    sent.stop();
    expect(sent.texts).to.deep.equal([]);
    const error: unknown = await stores.identities
      .list({ filter: 'nope = 1', selectedBy: [] })
      .catch((e: unknown) => e);
    expect(error).to.include({ kind: 'invalidFilter' });
  });

  it('are narrowed by all else that is asked with them', async () => {
    const all = await matching(['half'], [], '');
    const third = new Set(await matching(['third'], [], ''));
    const page = await stores.identities.list({
      filter: 'anyOf(roleAttributes) = "third" and not isAdmin',
      selectedBy: [{ semantic: 'AnyOf', roles: ['#half'] }],
    });
    expect(page.totalCount).to.equal(all.filter((id) => third.has(id)).length);
    const both = await stores.identities.list({ roleFilter: ['#half', '#third'] });
    expect(both.totalCount).to.equal(page.totalCount);
  });

  it('follow changes', async () => {
    const change = fc.tuple(fc.constantFrom(...ids), fc.option(fc.uniqueArray(attribute, { maxLength: 4 })));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), attribute, async (changes, one) => {
        for (const [id, roleAttributes] of changes) {
          if (roleAttributes === null) await fixture.files.query('DELETE FROM identities WHERE id = $1', [id]);
          else
            await fixture.files.query('UPDATE identities SET role_attributes = $2 WHERE id = $1', [id, roleAttributes]);
        }
        await expectPage({ roleFilter: [`#${one}`] }, [one]);
        await expectPage({ roleFilter: [`#${one}`, '#half'], roleSemantic: 'AnyOf', sort: 'name' }, [one, 'half']);
      }),
      { numRuns: 60 },
    );
  }).timeout(120_000);
});
