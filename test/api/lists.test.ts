/** Pages, filters and sorts that every list takes. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { idsOf, itemsOf, totalOf } from '../support/entities.js';
import { makeConfig, makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { expectField } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

/** Filterable fields of every list, as clients know them; a list may have more. */
const BASE = ['id', 'createdAt', 'updatedAt', 'tags'];
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'api-sessions': [
    'token',
    'identity',
    'lastActivityAt',
    'authenticator',
    'ipAddress',
    'mfaComplete',
    'mfaRequired',
    'improperClientCertChain',
  ],
  authenticators: ['method', 'certFingerprint', 'certPem', 'identity', 'updbUsername'],
  configs: ['name', 'type'],
  'config-types': ['name', 'schema'],
  'controller-settings': ['controllerId'],
  controllers: ['name', 'ctrlAddress', 'certPem', 'fingerprint', 'isOnline', 'lastJoinedAt'],
  enrollments: ['token', 'identity', 'caId'],
  identities: ['name', 'type', 'isAdmin', 'isDefaultAdmin', 'externalId', 'authPolicyId', 'roleAttributes'],
  'identity-types': ['name'],
  revocations: ['type', 'issuedBefore', 'expiresAt'],
  'service-policies': [
    'name',
    'type',
    'semantic',
    'identityRoles',
    'serviceRoles',
    'postureCheckRoles',
    'identities',
    'services',
  ],
  services: ['name', 'roleAttributes', 'terminatorStrategy', 'configs'],
  'webhooks': ['name', 'url', 'kinds', 'enabled'],
};
const TESTS = [
  '= null',
  '!= null',
  '= "x"',
  '!= "x"',
  '> "x"',
  'contains "x"',
  'icontains "x"',
  'in ["x", "y"]',
  '= true',
  '= 1',
  '> 1',
  'in [1]',
  'between 1 and 2',
  '> datetime(2020-01-01T00:00:00Z)',
  'not contains "%_\\\\"',
];

/** They offer only what their items show. */
const FOR_EVERY_SESSION = ['controllers', 'identity-types', 'posture-check-types'];

describe('lists', () => {
  let controller: TestController;
  const attribute = unique('list');
  const identities: string[] = [];
  let service: string;

  before(async () => {
    controller = await startTestController();
    for (const word of ['a', 'B', 'c', 'd', 'e']) {
      identities.push(
        await makeIdentity(controller, {
          name: `${attribute}-${word}`,
          isAdmin: word === 'a',
          roleAttributes: word === 'e' ? [] : [attribute, `${attribute}-${word}`],
          tags: { city: word === 'a' ? 'Oslo' : 'Rome' },
          enrollment: { ott: true },
        }),
      );
    }
    const config = await makeConfig(controller, {
      name: `${attribute}-config`,
      configTypeId: 'NH5p4FpGR',
      data: { address: 'a', port: 1, protocol: 'tcp' },
    });
    service = await makeService(controller, {
      name: `${attribute}-service`,
      configs: [config],
      roleAttributes: [attribute],
    });
    await makeServicePolicy(controller, {
      name: `${attribute}-policy`,
      identityRoles: [`#${attribute}`],
      serviceRoles: [`@${service}`],
    });
  });
  after(() => controller.stop());

  const list = async (path: string) => controller.admin.get(`${MANAGEMENT}/${path}`);
  const filtered = async (collection: string, filter: string, more = '') =>
    list(`${collection}?filter=${encodeURIComponent(filter)}${more}`);
  const mine = `name contains "${attribute}-"`;

  for (const [collection, fields] of Object.entries(FIELDS)) {
    it(`of ${collection} name their fields, and a filter or sort on each is answered or refused`, async () => {
      const told = (await list(collection)).meta.filterableFields ?? [];
      expect(told).to.include.members([...BASE, ...fields]);
      expect(told.includes('isSystem'), 'isSystem').to.equal(!FOR_EVERY_SESSION.includes(collection));
      expect(new Set(told).size).to.equal(told.length);
      for (const field of [
        ...told.filter((name) => name !== 'tags'),
        'tags.city',
        'nonsense',
        'updbPassword',
        'updbSalt',
      ]) {
        const filters = [
          ...TESTS.map((test) => `${field} ${test}`),
          `anyOf(${field}) = "x"`,
          `allOf(${field}) != "x"`,
          `isEmpty(${field})`,
          `count(${field}) > 1`,
          `isEmpty(from ${field} where name = "x")`,
          field,
        ];
        const answers = await Promise.all([
          ...filters.map((filter) => filtered(collection, filter)),
          list(`${collection}?sort=${field}`),
          list(`${collection}?sort=${field}%20desc`),
        ]);
        answers.forEach((answer, index) => {
          expect(answer.status, `${filters[index] ?? `sort by ${field}`}: ${answer.text.slice(0, 300)}`).to.be.oneOf([
            200, 400,
          ]);
        });
        if (['nonsense', 'updbPassword', 'updbSalt'].includes(field))
          expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 400));
        else if (!field.startsWith('tags'))
          expect(
            answers.some(({ status }) => status === 200),
            field,
          ).to.equal(true);
      }
    });
  }

  it('are paged by limit and offset, the total is that of all', async () => {
    const page = async (query: string) => {
      const answer = expectStatus(await filtered('identities', mine, `&${query}`), 200);
      return [idsOf(answer), answer.meta.pagination];
    };
    const byId = [...identities].sort();
    expect(await page('')).to.deep.equal([byId, { limit: 10, offset: 0, totalCount: 5 }]);
    expect(await page('limit=2&offset=1')).to.deep.equal([byId.slice(1, 3), { limit: 2, offset: 1, totalCount: 5 }]);
    expect(await page('limit=2&offset=4')).to.deep.equal([byId.slice(4), { limit: 2, offset: 4, totalCount: 5 }]);
    expect(await page('offset=99')).to.deep.equal([[], { limit: 10, offset: 99, totalCount: 5 }]);
    expect(await page('limit=0&offset=-3')).to.deep.equal([byId, { limit: 10, offset: 0, totalCount: 5 }]);
    expect(await page('limit=9999')).to.deep.equal([byId, { limit: 500, offset: 0, totalCount: 5 }]);
    expect((await page('limit=-1'))[0]).to.deep.equal(byId);
    expect(
      idsOf(await filtered('identities', `${mine} sort by name desc skip 1 limit 2`, '&limit=4&offset=0&sort=id')),
    ).to.deep.equal([identities[3], identities[2]]);
  });

  it('keep their total beyond the last page, with and without a filter or a limit', async () => {
    for (const collection of Object.keys(FIELDS)) {
      const total = totalOf(await list(collection));
      for (const query of [
        'offset=1000',
        'offset=1000&limit=-1',
        'offset=1000&filter=true',
        'offset=1000&limit=-1&filter=true',
      ]) {
        const answer = expectStatus(await list(`${collection}?${query}`), 200);
        expect([answer.data, totalOf(answer)], `${collection}?${query}`).to.deep.equal([[], total]);
      }
    }
  });

  it('have totals that agree with and without a filter', async () => {
    for (const collection of Object.keys(FIELDS)) {
      const all = expectStatus(await list(`${collection}?limit=-1`), 200);
      expect(totalOf(all), collection).to.equal(itemsOf(all).length);
      expect(totalOf(await filtered(collection, 'true')), collection).to.equal(totalOf(all));
    }
  });

  it('sort by bytes, ties by id', async () => {
    const names = async (sort: string) =>
      itemsOf(await filtered('identities', mine, `&sort=${encodeURIComponent(sort)}`))
        .map((item) => String(item['name']).slice(attribute.length + 1))
        .join('');
    expect(await names('name')).to.equal('Bacde');
    expect(await names('name desc')).to.equal('edcaB');
    expect(await names('isAdmin desc, name')).to.equal('aBcde');
    expect(idsOf(await filtered('identities', mine, '&sort=type'))).to.deep.equal([...identities].sort());
  });

  it('filter by role, AllOf unless told', async () => {
    const [a, b, c, d, e] = identities;
    const by = async (query: string) => idsOf(expectStatus(await list(`identities?sort=name&${query}`), 200));
    const role = (word: string) => `roleFilter=${encodeURIComponent(word)}`;
    expect(await by(role(`#${attribute}`))).to.deep.equal([b, a, c, d]);
    expect(await by(`${role(`#${attribute}`)}&${role(`#${attribute}-a`)}`)).to.deep.equal([a]);
    expect(await by(`${role(`#${attribute}-a`)}&${role(`#${attribute}-c`)}`)).to.deep.equal([]);
    expect(await by(`${role(`#${attribute}-a`)}&${role(`#${attribute}-c`)}&roleSemantic=AnyOf`)).to.deep.equal([a, c]);
    expect(await by(`${role(`@${e ?? ''}`)}&${role(`#${attribute}-d`)}`)).to.deep.equal([d, e]);
    expect(await by(role('#all'))).to.deep.equal([]);
    expect(await by(role('@nope'))).to.deep.equal([]);
    expect(await by(`${role(`#${attribute}`)}&filter=${encodeURIComponent('isAdmin = true')}`)).to.deep.equal([a]);
    expect(idsOf(await list(`services?${role(`#${attribute}`)}`))).to.deep.equal([service]);
    const everything = await by('');
    expect(await by('roleFilter=')).to.deep.equal(everything);
    expect(await by(`roleFilter=&${role(`#${attribute}`)}`)).to.deep.equal([b, a, c, d]);
    expectStatus(await list(`identities?${role('bare')}`), 400);
    expectField(await list(`identities?${role('#a')}&roleSemantic=OneOf`), 'semantic', 'invalid semantic', 'OneOf');
    expectField(await list('identities?roleSemantic=OneOf'), 'semantic', 'invalid semantic', 'OneOf');
  });

  it('filter by sets, linked entities and tags', async () => {
    const found = async (collection: string, filter: string) =>
      totalOf(expectStatus(await filtered(collection, filter), 200));
    expect(await found('identities', `anyOf(roleAttributes) = "${attribute}"`)).to.equal(4);
    expect(await found('identities', `${mine} and isEmpty(roleAttributes)`)).to.equal(1);
    expect(await found('identities', `${mine} and tags.city != "Oslo"`)).to.equal(4);
    expect(await found('services', `isEmpty(from configs where name = "${attribute}-config")`)).to.equal(
      totalOf(await list('services')) - 1,
    );
    expect(await found('service-policies', `anyOf(services) = "${service}"`)).to.equal(1);
    expect(await found('service-policies', `name = "${attribute}-policy" and count(identities) = 4`)).to.equal(1);
    expect(await found('service-policies', `not isEmpty(from identities where name = "${attribute}-c")`)).to.equal(1);
  });

  it('refuse what they cannot read', async () => {
    for (const query of [
      'limit=abc',
      'offset=x',
      'limit=99999999999999999999',
      'filter=%20',
      'filter=name%20%3D',
      'sort=roleAttributes',
      'sort=tags.city',
      'sort=nonsense',
      'filter=name%20%3D%20%22a%22%20limit%201.5',
    ]) {
      expectStatus(await list(`identities?${query}`), 400);
    }
    expectStatus(await list('identities?unheardOf=1&limit=1'), 200);
  });

  it('of associations are paged and filtered too', async () => {
    const { id: policy } = itemsOf(await filtered('service-policies', `name = "${attribute}-policy"`))[0] ?? { id: '' };
    for (const [path, ids] of [
      [`service-policies/${policy}/identities`, identities.slice(0, 4)],
      [`services/${service}/identities`, identities.slice(0, 4)],
    ] as const) {
      const page = expectStatus(await list(`${path}?limit=3&sort=name`), 200);
      expect([idsOf(page), totalOf(page)]).to.deep.equal([[ids[1], ids[0], ids[2]], 4]);
      expect(idsOf(await list(`${path}?filter=isAdmin%3Dtrue`))).to.deep.equal([ids[0]]);
      const beyond = expectStatus(await list(`${path}?offset=50`), 200);
      expect([beyond.data, totalOf(beyond)]).to.deep.equal([[], 4]);
    }
  });

  it('of own authenticators do not tell of others through a filter', async () => {
    const caller = await controller.newCaller();
    const answer = expectStatus(
      await caller.client.get(
        `${CLIENT}/current-identity/authenticators?filter=${encodeURIComponent('true or updbUsername = "admin"')}`,
      ),
      200,
    );
    expect(totalOf(answer)).to.equal(1);
  });
});
