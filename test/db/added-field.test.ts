/**
 * A walk over docs/adding-a-field.md: a field is added to a copy of the declaration of services and to their table, and
 * nothing else. It shows up wherever fields of services do. Against PostgreSQL.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { compileList, filterableFields, Params } from '../../db/filter/index.js';
import { entity } from '../../db/query/entity.js';
import type { Entity } from '../../db/query/entity.js';
import { integer } from '../../db/query/fields.js';
import { Lists } from '../../db/query/lists.js';
import { service } from '../../db/stores/services.js';
import { versionOf } from '../../domain/entity-version.js';
import type { JsonObject, Service, ServiceView } from '../../domain/model.js';
import { fromDetail } from '../../domain/network-files/forms.js';
import { KINDS } from '../../domain/network-files/kinds.js';
import { digestOf } from '../../domain/policy/service-view.js';
import { networkFilesSchema } from '../../scripts/generate/network-files.js';
import { documentOf, membersOf } from '../support/document.js';
import { openStoresForTest, serviceDraft, STORE_LIMITS } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

interface Weighed extends Service {
  readonly weightGrams: number;
}

const declare = (isForClients: boolean): Entity<Weighed> => {
  const weightGrams = isForClients ? integer().forClients() : integer();
  // Statements are called after the entity, and no two have the same name.
  const name = isForClients ? 'weighedService' : 'unseenService';
  return entity<Weighed>(service.table, { ...service.fields, weightGrams }, { ...service.options, name });
};

describe('what clients see of a service', () => {
  it('is each member that their answers show, so that filters offer it and service updates tell of it', () => {
    const document = documentOf('client');
    const shown = Object.keys(membersOf(document, { $ref: '#/definitions/serviceDetail' }));
    /** Of every entity, and what follows from grants and config types, which the digest has apart. */
    const apart = ['_links', 'createdAt', 'updatedAt', 'tags', 'config', 'permissions', 'postureQueries'];
    expect(shown.filter((name) => !apart.includes(name))).to.have.members([...service.clientMembers]);
  });
});

describe('a field that is added to the declaration of services', () => {
  const weighed = declare(true);
  const unseen = declare(false);
  const lists = new Lists(STORE_LIMITS);
  let fixture: TestStores;
  before(async () => {
    fixture = await openStoresForTest();
    await fixture.files.query('ALTER TABLE services ADD COLUMN weight_grams bigint NOT NULL DEFAULT 0');
    await fixture.files.query("SELECT audit_entity('services', 'service')");
    await weighed.insert(fixture.database, 'light', { ...serviceDraft('light'), weightGrams: 2 });
    await weighed.insert(fixture.database, 'heavy', { ...serviceDraft('heavy'), weightGrams: 9_000_000_000 });
  });
  after(() => fixture.close());

  it('is in answers: a detail, a list, and a list whose rows are read late', async () => {
    expect((await weighed.get(fixture.database, 'heavy')).weightGrams).to.equal(9_000_000_000);
    const request = { sort: 'weightGrams' };
    const page = await lists.page(fixture.database, weighed.source, request);
    expect(page.items.map(({ weightGrams }) => weightGrams)).to.deep.equal([2, 9_000_000_000]);
    const late = await lists.unread(fixture.database, weighed.source, request);
    expect(late.items.map((item) => item.read().weightGrams)).to.deep.equal([2, 9_000_000_000]);
  });

  it('is in filters and sort orders, of clients too where it is for them', async () => {
    const { items, filterableFields: fields } = await lists.page(fixture.database, weighed.clientSource, {
      filter: 'weightGrams > 3',
      sort: 'weightGrams desc',
    });
    expect(items.map(({ id }) => id)).to.deep.equal(['heavy']);
    expect(fields).to.include('weightGrams');
    expect(filterableFields(unseen.symbols)).to.include('weightGrams');
    const asClient = () => compileList(unseen.clientSymbols, { filter: 'weightGrams > 3' }, new Params(), STORE_LIMITS);
    expect(asClient)
      .to.throw()
      .with.property('causeMessage')
      .that.matches(/^unknown symbol 'weightGrams' \(/);
  });

  it('moves the version that entity tags are made of, and the digest of service updates', async () => {
    const digests = (services: readonly Weighed[]) =>
      [weighed, unseen].map(({ clientMembers }) => {
        const views = services.map((one): ServiceView => ({ ...one, config: {}, permissions: [], grants: [] }));
        return digestOf(views, clientMembers as readonly (keyof Service)[]).toString('hex');
      });
    const before = await weighed.get(fixture.database, 'light');
    await weighed.update(fixture.database, 'light', { weightGrams: 3 });
    const after = await weighed.get(fixture.database, 'light');
    expect(after.weightGrams).to.equal(3);
    expect(versionOf(after.updatedAt)).to.not.equal(versionOf(before.updatedAt));
    const then = digests([before]);
    const now = digests([after]);
    expect(now[0], 'a client sees it').to.not.equal(then[0]);
    expect(now[1], 'no client sees it').to.equal(then[1]);
  });

  it('is in the audit record', async () => {
    await weighed.update(fixture.database, 'light', { weightGrams: 4 });
    const { rows } = await fixture.files.query(
      `SELECT kind, entity_name AS name, before, after FROM audit_records WHERE entity_id = 'light'
      ORDER BY seq DESC LIMIT 1`,
    );
    expect(rows).to.deep.equal([
      { kind: 'service.updated', name: 'light', before: { weightGrams: 3 }, after: { weightGrams: 4 } },
    ]);
  });

  it('is in exports once its kind names it, and the generator stops until it does', () => {
    const document = JSON.parse(
      readFileSync(new URL('../../generated/management.openapi.json', import.meta.url), 'utf8'),
    ) as { components: { schemas: Record<string, JsonObject> } };
    const { schemas } = document.components;
    const { serviceCreate = {} } = schemas;
    const properties = { ...(serviceCreate['properties'] as JsonObject), weightGrams: { type: 'integer' } };
    expect(() => networkFilesSchema({ ...schemas, serviceCreate: { ...serviceCreate, properties } })).to.throw(
      'services in domain/network-files/kinds.ts lacks weightGrams',
    );
    const kind = { ...KINDS.services, fields: [...KINDS.services.fields, { name: 'weightGrams', fallback: 0 }] };
    const exported = fromDetail(kind, { name: 'light', weightGrams: 4 }, (_, id) => id);
    expect(exported['weightGrams']).to.equal(4);
  });
});
