/** What leaves the server is what its spec says, or nothing of it: broken answers, and lists without limit. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

/** The largest integer that every reader of JSON holds as it is. */
const EVERYTHING = '9007199254740991';

describe('an answer', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Client;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, { EDGE_API_MAX_LIMIT: '5', EDGE_API_DEFAULT_LIMIT: '3' });
    admin = await controller.login();
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const identity = async (tags: object = {}) => {
    const name = unique('answer');
    const made = expectStatus(await admin.post(`${M}/identities`, { name, type: 'User', isAdmin: false, tags }), 201);
    return { id: (made.data as { id: string }).id, name };
  };
  const lastErrors = () => controller.log.filter(({ level }) => level === 50);
  const totalOf = async (path: string) => (await admin.get(path)).meta.pagination?.totalCount ?? 0;

  describe('that its spec does not allow', () => {
    for (const [what, sql, path] of [
      ['tags that are a text', `UPDATE identities SET tags = '"s3cret-value"'::jsonb WHERE id = $1`, '/tags'],
      [
        'app data that is a list',
        `UPDATE identities SET app_data = '["s3cret-value"]'::jsonb WHERE id = $1`,
        '/appData',
      ],
      [
        'a precedence that does not exist',
        `UPDATE identities SET default_hosting_precedence = 's3cret-value' WHERE id = $1`,
        '/defaultHostingPrecedence',
      ],
    ] as const) {
      it(`is not sent, nothing of it leaks, and the log tells where it broke: ${what}`, async () => {
        const { id } = await identity();
        await database.query('ALTER TABLE identities DROP CONSTRAINT IF EXISTS identities_hosting_precedence');
        await database.query(sql, [id]);
        const before = lastErrors().length;
        try {
          const answer = await admin.get(`${M}/identities/${id}`);
          const error = expectFault(answer, 500, 'UNHANDLED');
          expect(error.cause).to.equal(undefined);
          expect(answer.text).not.to.match(/s3cret|tags|appData|recedence|schema|identities/i);
          const lines = lastErrors().slice(before);
          expect(lines).to.have.lengthOf(1);
          expect(lines[0]).to.deep.include({
            requestId: error.requestId,
            operation: 'detailIdentity',
            api: 'management',
            method: 'GET',
          });
          expect(String(lines[0]?.['path'])).to.match(new RegExp(`^/data${path}`));
          expect(JSON.stringify(lines)).not.to.contain('s3cret');

          expectFault(await admin.get(`${M}/identities?filter=${encodeURIComponent(`id="${id}"`)}`), 500, 'UNHANDLED');
          expect(lastErrors().at(-1)).to.include({ operation: 'listIdentities' });
          expectStatus(await admin.get(`${M}/identities?filter=${encodeURIComponent(`not id="${id}"`)}`), 200);
        } finally {
          await database.query('DELETE FROM identities WHERE id = $1', [id]);
        }
      });
    }
  });

  it('to a statement that the database refuses is 500 and tells nothing', async () => {
    await database.query('ALTER TABLE services RENAME TO services_hidden');
    try {
      const answer = await admin.get(`${M}/services`);
      const error = expectFault(answer, 500, 'UNHANDLED');
      expect(error.cause).to.equal(undefined);
      expect(answer.text).not.to.match(/relation|services|select/i);
      expect(lastErrors().at(-1)).to.deep.include({
        requestId: error.requestId,
        operation: 'listServices',
        msg: 'request failed',
      });
    } finally {
      await database.query('ALTER TABLE services_hidden RENAME TO services');
    }
    expectStatus(await admin.get(`${M}/services`), 200);
  });

  describe('that is a list', () => {
    const ids = new Set<string>();
    before(async () => {
      for (let i = 0; i < 23; i += 1) ids.add((await identity({ of: 'the long list' })).id);
    });
    const filter = `filter=${encodeURIComponent('tags.of = "the long list"')}`;
    const idsOf = (data: unknown) => (data as { id: string }[]).map(({ id }) => id);

    it('has the default length, is cut at the longest, and says so', async () => {
      for (const [query, limit] of [
        ['', 3],
        ['&limit=0', 3],
        ['&limit=4', 4],
        ['&limit=5', 5],
        ['&limit=6', 5],
        ['&limit=9223372036854775807', 5],
      ] as const) {
        const answer = expectStatus(await admin.get(`${M}/identities?${filter}${query}`), 200);
        expect(answer.meta.pagination, query).to.deep.equal({ limit, offset: 0, totalCount: 23 });
        expect(answer.data, query).to.have.lengthOf(limit);
      }
    });

    it('is whole, ordered and valid JSON with limit=-1 and limit none, and reports the limit', async () => {
      const inFilter = (text: string) => `filter=${encodeURIComponent(`tags.of = "the long list" ${text}`)}`;
      for (const query of [
        `${filter}&limit=-1`,
        inFilter('limit none'),
        inFilter('limit -1'),
        `${inFilter('limit none')}&limit=2`,
      ]) {
        const answer = expectStatus(await admin.get(`${M}/identities?${query}`), 200);
        const got = idsOf(answer.data);
        expect(got, query).to.have.lengthOf(23);
        expect(new Set(got)).to.deep.equal(ids);
        expect(got).to.deep.equal([...got].sort());
        expect(answer.text).to.contain(`"limit":${EVERYTHING},"offset":0,"totalCount":23`);
        expect(answer.text.endsWith('\n')).to.equal(true);
        expect(answer.meta).to.include({ apiVersion: '0.0.1' });
      }
    });

    it('is whole from an offset, and when there is little or nothing in it', async () => {
      expect(expectStatus(await admin.get(`${M}/identities?${filter}&limit=-1&offset=20`), 200).data).to.have.lengthOf(
        3,
      );
      const none = expectStatus(
        await admin.get(`${M}/identities?filter=${encodeURIComponent('name = "nobody"')}&limit=-1`),
        200,
      );
      expect(none.data).to.deep.equal([]);
      expect(none.meta.pagination?.totalCount).to.equal(0);
      expect(expectStatus(await admin.get(`${M}/identity-types?limit=-1`), 200).data).to.have.lengthOf(
        await totalOf(`${M}/identity-types`),
      );
    });

    it('is checked item by item too: a fault cuts the connection after what was good, and is logged', async () => {
      const last = [...ids].sort().at(-1);
      await database.query(`UPDATE identities SET tags = '"s3cret-value"'::jsonb WHERE id = $1`, [last]);
      const before = lastErrors().length;
      try {
        let cut: unknown;
        try {
          await admin.get(`${M}/identities?limit=-1`);
        } catch (error) {
          cut = error;
        }
        expect(cut, 'the answer is cut').to.be.instanceOf(Error);
        const lines = lastErrors().slice(before);
        expect(lines).to.have.lengthOf(1);
        expect(lines[0]).to.deep.include({ operation: 'listIdentities', api: 'management' });
        expect(String(lines[0]?.['path'])).to.match(/^\/tags/);
        expect(JSON.stringify(lines)).not.to.contain('s3cret');
      } finally {
        await database.query(`UPDATE identities SET tags = '{"of":"the long list"}' WHERE id = $1`, [last]);
      }
      expect(expectStatus(await admin.get(`${M}/identities?${filter}&limit=-1`), 200).data).to.have.lengthOf(23);
    });

    it('is for clients of the client API as well', async () => {
      const answer = expectStatus(await admin.get(`${C}/services?limit=-1`), 200);
      expect(answer.data).to.deep.equal([]);
    });
  });

  it('is logged with its operation and caller, and without any secret', async () => {
    const answer = expectStatus(
      await controller
        .client()
        .post(`${C}/authenticate?method=password`, { username: 'admin', password: 'correct horse battery' }),
      200,
    );
    const { token, identityId } = answer.data as { token: string; identityId: string };
    expectStatus(await controller.client(token).get(`${C}/current-identity`), 200);
    const line = controller.log.findLast(
      ({ msg, operation }) => msg === 'request' && operation === 'getCurrentIdentity',
    );
    expect(line).to.deep.include({ method: 'GET', api: 'client', status: 200, identityId });
    const text = JSON.stringify(controller.log);
    for (const secret of [token, 'correct horse battery', admin.token ?? '']) expect(text).not.to.contain(secret);
  });
});
