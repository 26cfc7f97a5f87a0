/**
 * What every named resource of the management API does alike. A suite names its resource and gets these tests;
 * what is its own it adds itself.
 */
import { expect } from 'chai';
import { expectStatus } from './client.js';
import { unique } from './controller.js';
import type { TestController } from './controller.js';
import { entityOf, linksOf, make, read, totalOf } from './entities.js';
import { expectField, expectNotFound } from './expect.js';
import { MANAGEMENT } from './paths.js';

export interface Resource {
  /** The collection's path segment. */
  readonly collection: string;
  /** As errors name one. */
  readonly singular: string;
  readonly controller: () => TestController;
  /** A body that creates one with this name, and that PUT accepts too. */
  readonly body: (name: string) => Record<string, unknown>;
  readonly nestedLinks?: readonly string[];
  /** Reason of a taken name. */
  readonly taken?: (name: string) => string;
  /** PATCH with an empty name: refused, or ignored. */
  readonly emptyNameInPatch?: 'ignored';
  readonly isNameOptionalInPut?: boolean;
  /** What a PATCH needs in addition to the fields it changes. */
  readonly patchNeeds?: Readonly<Record<string, unknown>>;
  /** Answer to a session without the right that deletes; usually 401. */
  readonly deleteWithoutRight?: 403;
}

/** Declares the tests; call inside a `describe`. */
export function behavesLikeAnyResource(resource: Resource): void {
  const { collection, singular, body, taken = () => 'name must be unique' } = resource;
  const path = `${MANAGEMENT}/${collection}`;
  const admin = () => resource.controller().admin;
  const create = async (extra: object = {}, name = unique(singular)) =>
    make(resource.controller(), collection, { ...body(name), ...extra });
  const detail = async (id: string) => read(resource.controller(), `${collection}/${id}`);
  const patch = async (id: string, changes: object) =>
    admin().patch(`${path}/${id}`, { ...resource.patchNeeds, ...changes });

  it('answers a create with id, link and Location, and the same times', async () => {
    const name = unique(singular);
    const answer = expectStatus(await admin().post(path, body(name)), 201);
    const { id } = entityOf(answer);
    expect(answer.data).to.deep.equal({ _links: { self: { href: `./${collection}/${id}` } }, id });
    expect(answer.headers.location).to.equal(`${path}/${id}`);
    const made = await detail(id);
    expect(made['name']).to.equal(name);
    expect(made.createdAt).to.equal(made.updatedAt);
    expect(made.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(made.tags).to.deep.equal({});
    const nested = (resource.nestedLinks ?? []).map((link) => [link, `./${collection}/${id}/${link}`]);
    expect(linksOf(made)).to.include({
      self: `./${collection}/${id}`,
      ...(Object.fromEntries(nested) as Record<string, string>),
    });
  });

  it('ignores an id that the caller supplies', async () => {
    const id = await create({ id: 'mine' });
    expect(id).to.match(/^[0-9A-Za-z]{22}$/);
  });

  it('raises updatedAt with every update, and only then', async () => {
    const name = unique(singular);
    const id = await create({}, name);
    const times = [(await detail(id)).updatedAt];
    for (const change of [
      () => admin().put(`${path}/${id}`, body(name)),
      () => patch(id, { tags: { a: 1 } }),
      () => patch(id, { tags: { a: 1 } }),
    ]) {
      const answer = expectStatus(await change(), 200);
      expect(answer.data).to.deep.equal({});
      times.push((await detail(id)).updatedAt);
    }
    expect(times).to.deep.equal([...new Set(times)].sort());
    expectStatus(await patch(id, {}), 200);
    const { updatedAt, createdAt } = await detail(id);
    expect(updatedAt).to.equal(times.at(-1));
    expect(createdAt).to.equal(times[0]);
  });

  it('tells of an unknown id alike for every verb', async () => {
    const message = `${singular} with id nope not found`;
    expectNotFound(await admin().get(`${path}/nope`), message);
    expectNotFound(await admin().put(`${path}/nope`, body(unique(singular))), message);
    expectNotFound(await patch('nope', { tags: {} }), message);
    expectNotFound(await patch('nope', {}), message);
    expectNotFound(await admin().delete(`${path}/nope`), message);
    expectStatus(await admin().get(`${path}/%00`), 404);
  });

  it('wants a name', async () => {
    const nameless = Object.fromEntries(Object.entries(body('x')).filter(([key]) => key !== 'name'));
    expectField(await admin().post(path, nameless), 'name', 'name in body is required', '<nil>');
    expectField(await admin().post(path, { ...nameless, name: '' }), 'name', 'name is required', '');
    const name = unique(singular);
    const id = await create({}, name);
    expectField(await admin().put(`${path}/${id}`, { ...nameless, name: '' }), 'name', 'name is required', '');
    if (resource.emptyNameInPatch === 'ignored') expectStatus(await patch(id, { name: '' }), 200);
    else expectField(await patch(id, { name: '' }), 'name', 'name is required', '');
    expectStatus(await patch(id, { name: null }), 200);
    expect((await detail(id))['name']).to.equal(name);
  });

  it('refuses a name that is taken, in create, PUT and PATCH, and tells apart upper and lower case', async () => {
    const name = unique(singular);
    await create({}, name);
    const other = await create();
    for (const answer of [
      await admin().post(path, body(name)),
      await admin().put(`${path}/${other}`, body(name)),
      await patch(other, { name }),
    ]) {
      expectField(answer, 'name', taken(name), name);
    }
    expectStatus(await patch(other, { name: name.toUpperCase() }), 200);
    expect((await detail(other))['name']).to.equal(name.toUpperCase());
  });

  it('refuses a name that is too long to be indexed, and keeps one in any script', async () => {
    const long = 'x'.repeat(4000);
    expectField(await admin().post(path, body(long)), 'name', 'name in body should be at most 512 chars long');
    const name = `${unique(singular)} Größe 名前 🚪 <&> "'\\ %_`;
    expect((await detail(await create({}, name)))['name']).to.equal(name);
  });

  it('keeps scalar tags, drops nested ones, and replaces the map as a whole', async () => {
    const name = unique(singular);
    const tags = { text: 'a', number: 2.5, whole: 3, flag: false, none: null };
    const id = await create({ tags: { ...tags, list: [1], map: { a: 1 } } }, name);
    expect((await detail(id)).tags).to.deep.equal(tags);
    await patch(id, { tags: null });
    expect((await detail(id)).tags).to.deep.equal(tags);
    expectStatus(await patch(id, { tags: { other: 'b' } }), 200);
    expect((await detail(id)).tags).to.deep.equal({ other: 'b' });
    expectStatus(await patch(id, { tags: {} }), 200);
    expect((await detail(id)).tags).to.deep.equal({});
    expectStatus(await admin().put(`${path}/${id}`, { ...body(name), tags }), 200);
    expect((await detail(id)).tags).to.deep.equal(tags);
    expectStatus(await admin().put(`${path}/${id}`, body(name)), 200);
    expect((await detail(id)).tags).to.deep.equal({});
  });

  it('takes explicit nulls in a create for what is absent', async () => {
    await create({ tags: null, unheardOf: 1 });
  });

  it('counts right after creates and deletes, and a deleted one is gone', async () => {
    const total = async () => totalOf(expectStatus(await admin().get(`${path}?limit=1`), 200));
    const before = await total();
    const ids = [await create(), await create()];
    expect(await total()).to.equal(before + 2);
    for (const id of ids) expect(expectStatus(await admin().delete(`${path}/${id}`), 200).data).to.deep.equal({});
    expect(await total()).to.equal(before);
    for (const id of ids) {
      expectNotFound(await admin().get(`${path}/${id}`), `${singular} with id ${id} not found`);
      expectNotFound(await admin().delete(`${path}/${id}`), `${singular} with id ${id} not found`);
    }
  });

  it('stays right in its count under concurrent creates and deletes', async () => {
    const total = async () => totalOf(expectStatus(await admin().get(`${path}?limit=1`), 200));
    const before = await total();
    const ids = await Promise.all(Array.from({ length: 20 }, () => create()));
    expect(await total()).to.equal(before + 20);
    const answers = await Promise.all(
      [...ids.slice(0, 15), ...ids.slice(0, 5)].map((id) => admin().delete(`${path}/${id}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(15);
    expect(await total()).to.equal(before + 5);
  });

  it('is for administrators only', async () => {
    const { client } = await resource.controller().newCaller();
    const id = await create();
    for (const caller of [client, resource.controller().anonymous]) {
      expectStatus(await caller.get(path), 401);
      expectStatus(await caller.get(`${path}/${id}`), 401);
      expectStatus(await caller.post(path, body(unique(singular))), 401);
      expectStatus(await caller.patch(`${path}/${id}`, { tags: { a: 1 } }), 401);
      expectStatus(
        await caller.delete(`${path}/${id}`),
        caller === client ? (resource.deleteWithoutRight ?? 401) : 401,
      );
    }
    expect((await detail(id)).tags).to.deep.equal({});
  });
}
