/**
 * What every kind of policy does alike with its role lists: keeping them, refusing them, selecting by them, and losing
 * what is deleted. A suite names its policy and the lists it has; what is its own it adds itself.
 */
import { expect } from 'chai';
import { expectStatus } from './client.js';
import { unique } from './controller.js';
import type { TestController } from './controller.js';
import { idsOf, make, read, totalOf } from './entities.js';
import { expectField, expectNotFound } from './expect.js';
import { MANAGEMENT } from './paths.js';

/** A role list, and what its roles select. */
export interface RoleList {
  readonly field: string;
  /** What errors call the entities. */
  readonly entities: string;
  /** Their collection, and the nested list of the policy. */
  readonly collection: string;
  readonly body: (name: string) => Record<string, unknown>;
  /** Added to the body of every second entity that is deleted. */
  readonly variant?: Readonly<Record<string, unknown>>;
  /** What a PATCH needs in addition to the name. */
  readonly patchNeeds?: Readonly<Record<string, unknown>>;
}

export const EDGE_ROUTERS: RoleList = {
  field: 'edgeRouterRoles',
  entities: 'routers',
  collection: 'edge-routers',
  body: (name) => ({ name }),
  variant: { isTunnelerEnabled: true },
};
export const IDENTITIES: RoleList = {
  field: 'identityRoles',
  entities: 'identities',
  collection: 'identities',
  body: (name) => ({ name, type: 'User', isAdmin: false }),
};
export const SERVICES: RoleList = {
  field: 'serviceRoles',
  entities: 'services',
  collection: 'services',
  body: (name) => ({ name, encryptionRequired: false }),
};
export const POSTURE_CHECKS: RoleList = {
  field: 'postureCheckRoles',
  entities: 'postureChecks',
  collection: 'posture-checks',
  body: (name) => ({ name, typeId: 'DOMAIN', domains: ['corp.example.org'] }),
  patchNeeds: { typeId: 'DOMAIN' },
};
const ALL = [EDGE_ROUTERS, IDENTITIES, SERVICES, POSTURE_CHECKS];

export interface Policy {
  /** The collection's path segment; its table has the same name in snake_case. */
  readonly collection: string;
  readonly singular: string;
  readonly controller: () => TestController;
  /** The least body, of semantic AnyOf. */
  readonly body: (name: string) => Record<string, unknown>;
  readonly lists: readonly RoleList[];
  /** Further fields of a detail, as they are with the least body. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

const UNPREFIXED = 'role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)';

/** Declares the tests; call inside a `describe`. */
export function behavesLikeAnyPolicy({ collection, singular, controller, body, lists, fields = {} }: Policy): void {
  const path = `${MANAGEMENT}/${collection}`;
  const admin = () => controller().admin;
  const create = async (extra: object = {}) => make(controller(), collection, { ...body(unique('policy')), ...extra });
  const detail = async (id: string) => read(controller(), `${collection}/${id}`);
  const post = async (extra: object) => admin().post(path, { ...body(unique('policy')), ...extra });
  const entity = async (list: RoleList, extra: object = {}, name = unique(list.collection)) =>
    make(controller(), list.collection, { ...list.body(name), ...extra });
  const find = async (filter: string) =>
    idsOf(expectStatus(await admin().get(`${path}?filter=${encodeURIComponent(filter)}`), 200));
  /** The same for the field of every list. */
  const each = <T>(value: (list: RoleList, index: number) => T): Record<string, T> =>
    Object.fromEntries(lists.map((list, index) => [list.field, value(list, index)]));

  it('starts with empty lists', async () => {
    const { _links, id, createdAt, updatedAt, name, ...rest } = await detail(await create(each(() => null)));
    const displays = Object.fromEntries(lists.map(({ field }) => [`${field}Display`, []]));
    expect(rest).to.deep.equal({ ...fields, ...each(() => []), ...displays, semantic: 'AnyOf', tags: {} });
    expect([_links, id, createdAt, updatedAt, name]).to.not.include(undefined);
  });

  it('keeps roles as sorted sets and shows @ids by their present names', async () => {
    const named = await Promise.all(
      lists.map(async (list) => {
        const name = unique(list.collection);
        return { list, name, role: `@${await entity(list, {}, name)}` };
      }),
    );
    const roleOf = (index: number) => named[index]?.role ?? '';
    const id = await create({ ...each((_, index) => [roleOf(index), '#b', '#a', '#b']), semantic: 'AllOf' });
    const made = await detail(id);
    expect(made).to.deep.include({ semantic: 'AllOf', ...each((_, index) => ['#a', '#b', roleOf(index)]) });
    for (const { list, name, role } of named) {
      expect(made[`${list.field}Display`]).to.deep.equal([
        { name: '#a', role: '#a' },
        { name: '#b', role: '#b' },
        { name: `@${name}`, role },
      ]);
      const renamed = unique('renamed');
      expectStatus(
        await admin().patch(`${MANAGEMENT}/${list.collection}/${role.slice(1)}`, { ...list.patchNeeds, name: renamed }),
        200,
      );
      expect((await detail(id))[`${list.field}Display`]).to.deep.include({ name: `@${renamed}`, role });
    }
  });

  for (const { field, entities } of lists) {
    it(`refuses ${field} that are malformed or name nobody, in create, PUT and PATCH`, async () => {
      const id = await create();
      const before = await detail(id);
      const nobody = `no ${entities} found with the given ids`;
      for (const [roles, reason, value] of [
        [['probe-a'], UNPREFIXED, '[probe-a]'],
        [[''], UNPREFIXED, '[]'],
        [['#probe-a', '#all'], 'if using #all, it should be the only role specified', '[#all #probe-a]'],
        [['@bogus'], nobody, '[bogus]'],
        [['#a', '@x', '@bogus', '@'], nobody, '[ bogus x]'],
      ] as const) {
        expectField(await post({ [field]: roles }), field, reason, value);
        expectField(
          await admin().put(`${path}/${id}`, { ...body(unique('policy')), [field]: roles }),
          field,
          reason,
          value,
        );
        expectField(
          await admin().patch(`${path}/${id}`, { name: unique('policy'), [field]: roles }),
          field,
          reason,
          value,
        );
      }
      expect(await detail(id)).to.deep.equal(before);
    });

    it(`does not take a name for an id in ${field}, nor an id of another kind`, async () => {
      for (const list of lists) {
        const name = unique(list.collection);
        const id = await entity(list, {}, name);
        const wrong = list.field === field ? name : id;
        expectField(
          await post({ [field]: [`@${wrong}`] }),
          field,
          `no ${entities} found with the given ids`,
          `[${wrong}]`,
        );
      }
    });
  }

  it('wants a semantic out of what there is', async () => {
    expectField(await post({ semantic: undefined }), 'semantic', 'semantic in body is required', '<nil>');
    for (const semantic of ['OneOf', ''])
      expectField(await post({ semantic }), 'semantic', 'semantic in body should be one of [AllOf AnyOf]', semantic);
  });

  it('changes with PATCH only what is given, and with PUT everything', async () => {
    const name = unique('policy');
    const id = await create({ name, semantic: 'AllOf', ...each(() => ['#a']) });
    const before = await detail(id);
    expectStatus(
      await admin().patch(`${path}/${id}`, { name: null, semantic: null, tags: null, ...each(() => null) }),
      200,
    );
    expect(await detail(id)).to.deep.equal(before);
    const [first] = lists;
    expectStatus(await admin().patch(`${path}/${id}`, { [first?.field ?? '']: [], semantic: 'AnyOf' }), 200);
    expect(await detail(id)).to.deep.include({ ...each((list) => (list === first ? [] : ['#a'])), semantic: 'AnyOf' });
    expectStatus(await admin().put(`${path}/${id}`, body(name)), 200);
    expect(await detail(id)).to.deep.include({ ...each(() => []), semantic: 'AnyOf', ...fields });
  });

  it('is found by semantic and by its roles as sets, and not by those of other policies', async () => {
    const role = unique('#role');
    const id = await create({ semantic: 'AllOf', ...each(() => [role, '#x']) });
    for (const { field } of lists) {
      expect(await find(`anyOf(${field}) = "${role}" and semantic = "AllOf"`)).to.deep.equal([id]);
      expect(await find(`anyOf(${field}) = "${role}" and semantic = "AnyOf"`)).to.deep.equal([]);
    }
    for (const { field } of ALL.filter((list) => !lists.includes(list))) {
      expectStatus(await admin().get(`${path}?filter=${encodeURIComponent(`${field} = "x"`)}`), 400);
    }
  });

  for (const list of lists) {
    it(`lists the ${list.collection} it selects, by its semantic, paged and filtered`, async () => {
      const attributes = [unique('a'), unique('b')];
      const named = await entity(list);
      const half = await entity(list, { roleAttributes: attributes.slice(1) });
      const full = [];
      for (const prefix of ['x', 'y', 'z'])
        full.push(await entity(list, { roleAttributes: attributes }, unique(prefix)));
      const id = await create({
        semantic: 'AllOf',
        [list.field]: [...attributes.map((attribute) => `#${attribute}`), `@${named}`],
      });
      const selected = async (query = '') =>
        expectStatus(await admin().get(`${path}/${id}/${list.collection}${query}`), 200);
      expect(idsOf(await selected())).to.deep.equal([...full, named].sort());
      expectStatus(await admin().patch(`${path}/${id}`, { semantic: 'AnyOf' }), 200);
      expect(idsOf(await selected())).to.deep.equal([...full, half, named].sort());
      const page = await selected('?limit=2&sort=name%20desc');
      expect([idsOf(page), totalOf(page)]).to.deep.equal([[...full].reverse().slice(0, 2), 5]);
      expect(idsOf(await selected(`?filter=id%3D%22${half}%22`))).to.deep.equal([half]);
      expectNotFound(await admin().get(`${path}/nope/${list.collection}`), `${singular} with id nope not found`);
    });
  }

  it('loses the @id of what is deleted, also at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const ids = await Promise.all(lists.map((list) => entity(list, round % 2 === 0 ? list.variant : {})));
      const kept = await create(each((_, index) => [`@${ids[index] ?? ''}`, '#x']));
      const [made, ...gone] = await Promise.all([
        post(each((_, index) => [`@${ids[index] ?? ''}`])),
        ...lists.map((list, index) => admin().delete(`${MANAGEMENT}/${list.collection}/${ids[index] ?? ''}`)),
      ]);
      expect([201, 400]).to.include(made.status);
      for (const answer of gone) expectStatus(answer, 200);
      expect(await detail(kept)).to.deep.include(each(() => ['#x']));
    }
    const columns = lists
      .map(({ field }) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
      .join(' || ');
    const { rows } = await controller().database
      .query(`SELECT r FROM ${collection.replaceAll('-', '_')}, unnest(${columns}) r
      WHERE r LIKE '@%' AND NOT EXISTS (
      SELECT FROM (SELECT id FROM routers UNION SELECT id FROM identities UNION SELECT id FROM services UNION
      SELECT id FROM posture_checks) known WHERE '@' || known.id = r)`);
    expect(rows).to.deep.equal([]);
  });
}
