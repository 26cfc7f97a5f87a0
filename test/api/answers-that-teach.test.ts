/** Refusals say what to do, answers say what had no effect, and neither tells a caller what it may not read. */
import { expect } from 'chai';
import { EVENT_KINDS } from '../../domain/events/kinds.js';
import { operations } from '../../generated/operations.js';
import { SESSION_OVER } from '../../server/sessions/callers.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, itemsOf, make } from '../support/entities.js';
import { expectFault } from '../support/expect.js';
import { makeConfig, makeService } from '../support/make.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly value: string;
}

describe('an answer that teaches', () => {
  let controller: TestController;
  let admin: Client;
  before(async () => {
    controller = await startTestController();
    ({ admin } = controller);
  });
  after(() => controller.stop());

  const causeOf = ({ error }: Answer): Cause => error?.cause as unknown as Cause;
  const furtherOf = ({ json }: Answer): readonly Cause[] =>
    (json as { error: { furtherCauses?: readonly Cause[] } }).error.furtherCauses ?? [];
  const body = (more: object = {}) => ({ name: unique('service'), encryptionRequired: false, ...more });
  const delegate = async (...permissions: string[]): Promise<Client> => {
    const { client } = await controller.newCaller({ permissions });
    return client;
  };

  describe('to callers who may not read', () => {
    it('names neither what uses an entity nor its id', async () => {
      const type = await make(controller, 'config-types', { name: unique('type'), schema: {} });
      const name = unique('secret-config');
      const config = await makeConfig(controller, { configTypeId: type, name, data: {} });
      const blind = await delegate('config-type');
      const answer = await blind.delete(`${M}/config-types/${type}`);
      expectFault(answer, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
      expect(answer.text).to.not.contain(name).and.not.contain(config);
      const seeing = await delegate('config-type', 'config.read');
      expect((await seeing.delete(`${M}/config-types/${type}`)).text)
        .to.contain(name)
        .and.contain(config);
    });

    it('names no holder of a name', async () => {
      const name = unique('taken');
      const id = await makeService(controller, body({ name }));
      const blind = await delegate('service.create');
      const answer = await blind.post(`${M}/services`, body({ name }));
      expect(answer.status).to.equal(400);
      expect(causeOf(answer)).to.deep.equal({ field: 'name', reason: 'name must be unique', value: name });
      expect(answer.text).to.not.contain(id);
      const seeing = await delegate('service.create', 'service.read');
      expect(causeOf(await seeing.post(`${M}/services`, body({ name }))).reason).to.equal(
        `name must be unique. The service that has it is ${id}.`,
      );
    });

    it('does not tell tokens that ended from those that never were', async () => {
      const { client } = await controller.newCaller();
      expectStatus(await client.delete(`${C}/current-api-session`), 200);
      const answers = await Promise.all(
        [client.token ?? '', '00000000-0000-4000-8000-000000000000', 'x'].map((token) =>
          controller.anonymous.get(`${C}/services`, { headers: { 'zt-session': token } }),
        ),
      );
      const told = answers.map((answer) => {
        const { requestId, ...error } = expectFault(answer, 401, 'UNAUTHORIZED');
        expect(requestId).to.be.a('string');
        return [error, answer.headers['www-authenticate']];
      });
      expect(told[1]).to.deep.equal(told[0]);
      expect(told[2]).to.deep.equal(told[0]);
      expect(answers[0]?.error?.cause).to.deep.equal({ code: 'UNHANDLED', message: SESSION_OVER });
      const missing = await controller.anonymous.get(`${C}/services`);
      expect(missing.error?.cause?.['message']).to.match(/^unauthenticated for invalid credentials\. No session came/);
    });
  });

  describe('about a body', () => {
    it('has all that is wrong with it, the first as it was', async () => {
      const wrong = { nmae: 'x', encryptionRequired: 'no', maxIdleTimeMillis: -1, roleAttributes: [''] };
      const answer = await admin.post(`${M}/services`, wrong);
      expect(answer.status).to.equal(400);
      const all = [causeOf(answer), ...furtherOf(answer)];
      const reasons = all.map(({ field, reason }) => `${field}: ${reason}`).join('\n');
      expect(reasons).to.contain('name in body is required. The body has nmae, which is not known here.');
      expect(reasons).to.contain('encryptionRequired in body must be of type boolean');
      expect(all.map(({ field }) => field)).to.include('roleAttributes.0');
      expect(new Set(all.map(({ field }) => field)).size).to.equal(all.length);
      expect(answer.headers['ignored-input']).to.equal('body.nmae');
    });

    it('bounds what it repeats', async () => {
      const many = await admin.post(`${M}/services`, body({ roleAttributes: Array.from({ length: 500 }, () => '') }));
      expect(furtherOf(many)).to.have.length(19);
      const large = Array.from({ length: 10_000 }, () => '');
      expect(furtherOf(await admin.post(`${M}/services`, body({ roleAttributes: large })))).to.deep.equal([]);
    });

    it('names the member that has a wrong type, and shows no secret', async () => {
      const answer = await admin.post(`${M}/services`, body({ maxIdleTimeMillis: '5' }));
      expectFault(answer, 400, 'COULD_NOT_PARSE_BODY');
      expect(causeOf(answer)).to.deep.equal({
        field: 'maxIdleTimeMillis',
        reason: 'maxIdleTimeMillis in body must be of type integer. Write a number without quotes.',
        value: '5',
      });
      const login = await controller.anonymous.post(`${C}/authenticate?method=password`, {
        username: 'x',
        password: { hunter2: 'hunter2' },
      });
      expect(login.status).to.equal(400);
      expect(login.text).to.not.contain('hunter2');
    });

    it('knows the nearest value, the member of an unknown id, and the bound of bytes', async () => {
      const identity = { name: unique('identity'), type: 'Usr', isAdmin: false };
      expect(causeOf(await admin.post(`${M}/identities`, identity)).reason).to.match(/\. Did you mean User\?$/);
      const answer = await admin.post(`${M}/services`, body({ configs: ['nope'] }));
      expect(answer.text).to.contain('nope').and.contain('configs');
      const large = await controller.anonymous.post(`${C}/authenticate?method=password`, {
        username: 'x'.repeat(70_000),
      });
      expectFault(large, 413, 'REQUEST_ENTITY_TOO_LARGE');
      expect(large.error?.cause?.['message']).to.equal('a body may have 65536 bytes here');
    });

    it('names ten of what uses an entity, and how many more', async () => {
      const type = await make(controller, 'config-types', { name: unique('type'), schema: {} });
      const names = Array.from({ length: 12 }, (_, i) => `${unique('config')}-${String(i)}`);
      for (const name of names) await makeConfig(controller, { configTypeId: type, name, data: {} });
      const { reason } = causeOf(await admin.delete(`${M}/config-types/${type}`));
      const first = [...names].sort().slice(0, 10);
      expect(reason).to.contain(`. It is used by ${first.map((name) => `"${name}"`).join(', ')} and 2 more.`);
    });
  });

  describe('about what has no effect', () => {
    it('names members and parameters, encoded and bounded', async () => {
      const answer = await admin.post(`${M}/services?dry=1`, body({ rolAttributes: [], tags: { any: 1 } }));
      expectStatus(answer, 201);
      expect(answer.headers['ignored-input']).to.equal('query.dry, body.rolAttributes');
      const odd = await admin.get(`${M}/services?${encodeURIComponent('a, b\r\nx: y.ü')}=1`);
      expect(odd.headers['ignored-input']).to.equal('query.a%2C%20b%0D%0Ax%3A%20y%2E%C3%BC');
      const many = Array.from({ length: 40 }, (_, i) => `p${String(i)}=1`).join('&');
      const { 'ignored-input': ten } = (await admin.get(`${M}/services?${many}`)).headers;
      expect(String(ten).split(', ')).to.have.length(11).and.include('more=30');
      const long = await admin.get(`${M}/services?${encodeURIComponent('ü'.repeat(400))}=1&b=1`);
      expect(long.headers['ignored-input']).to.equal('more=2');
      expect((await admin.get(`${M}/services`)).headers).to.not.have.property('ignored-input');
    });

    it('is refused where the caller prefers that', async () => {
      const headers = { prefer: 'respond-async, handling=strict' };
      const answer = await admin.post(`${M}/services`, body({ rolAttributes: [], other: 1 }), { headers });
      expectFault(answer, 400, 'COULD_NOT_VALIDATE');
      expect(causeOf(answer).reason).to.equal('rolAttributes in body is not known. Did you mean roleAttributes?');
      expect(furtherOf(answer).map(({ field }) => field)).to.deep.equal(['other']);
      expect(answer.headers['preference-applied']).to.equal('handling=strict');
      const page = await admin.get(`${M}/services?page=2`, { headers });
      expect(causeOf(page).reason).to.match(/^page in query is not known\. The names are /);
      const good = expectStatus(await admin.get(`${M}/services?limit=1`, { headers }), 200);
      expect(good.headers['preference-applied']).to.equal('handling=strict');
      const lenient = await admin.get(`${M}/services?page=2`, { headers: { prefer: 'handling=lenient' } });
      expectStatus(lenient, 200);
    });

    it('is said by every operation', async () => {
      for (const [base, api] of [[M, operations.management] as const, [C, operations.client] as const]) {
        for (const { path, method, operationId, parameters } of Object.values(api)) {
          if (method !== 'GET' || operationId === 'streamEvents') continue;
          // Refused without a parameter that it needs.
          if (parameters.some(({ in: where, required }) => where === 'query' && required)) continue;
          const target = `${base}${path.replace(/\{\w+\}/g, 'x')}?no-such-parameter=1`;
          const answer = await admin.get(target);
          if (answer.status === 401 || answer.status === 406 || answer.status === 501) continue;
          expect(answer.headers['ignored-input'], `${operationId} ${String(answer.status)}`).to.equal(
            'query.no-such-parameter',
          );
        }
      }
    });

    it('is not taken for kinds of events', async () => {
      const hook = { name: unique('hook'), url: 'https://hooks.example.com/x', enabled: false };
      const answer = await admin.post(`${M}/webhooks`, { ...hook, kinds: ['services.*'] });
      expect(answer.status).to.equal(400);
      expect(causeOf(answer)).to.include({ field: 'kinds', value: 'services.*' });
      expect(causeOf(answer).reason).to.contain('service has service.created, service.deleted, service.updated');
      expect((await admin.get(`${M}/events?kinds=identity.creatd&until=now`)).text).to.contain('identity.created?');
      expectStatus(await admin.post(`${M}/webhooks`, { ...hook, kinds: [...EVENT_KINDS].slice(0, 50) }), 201);
    });
  });

  describe('that is a list', () => {
    const linksOf = ({ headers: { link } }: Answer): Record<string, string> =>
      Object.fromEntries(
        [...String(link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, to = '', rel = '']) => [rel, to]),
      );

    it('leads through all pages, with filter and sort of the request', async () => {
      const prefix = unique('page');
      for (const i of [1, 2, 3, 4, 5]) await makeService(controller, body({ name: `${prefix}-${String(i)}` }));
      const filter = encodeURIComponent(`name contains "${prefix}" and not (name contains "skip > 1")`);
      let target = `${M}/services?filter=${filter}&sort=name%20desc&limit=2`;
      const seen: unknown[] = [];
      for (let pages = 0; target !== '' && pages < 9; pages += 1) {
        const answer = expectStatus(await admin.get(target), 200);
        seen.push(...itemsOf(answer).map(({ name }) => name));
        const { next = '', first } = linksOf(answer);
        expect(first).to.contain('offset=0').and.contain(filter);
        target = next;
      }
      expect(seen).to.deep.equal([5, 4, 3, 2, 1].map((i) => `${prefix}-${String(i)}`));
    });

    it('has links in answers that are kept, too, by the path of each request', async () => {
      const { client } = await controller.newCaller();
      for (const path of [`${C}/services`, `/services`, `${C}/services`]) {
        expect(linksOf(expectStatus(await client.get(path), 200))['first']).to.match(new RegExp(`^${path}\\?limit=`));
      }
    });

    it('never leads to another server, nor ends its header', async () => {
      const answer = await admin.get(`//edge/management/v1/services?limit=1&sort=name&x="<>`);
      expect(linksOf(answer)['first']).to.match(/^\/edge\/management\/v1\/services\?/);
      expect(String(answer.headers['link'])).to.contain('x=%22%3C%3E');
      expect(
        (await admin.get(`${M}/services?filter=${encodeURIComponent('true skip 1 limit 1')}`)).headers,
      ).to.not.have.property('link');
      expect((await admin.get(`${M}/services?limit=-1`)).headers).to.not.have.property('link');
    });
  });

  describe('for clients of RFC 9457', () => {
    const ask = (accept: string, path = `${M}/services/nope`) => admin.get(path, { headers: { accept } });

    it('is a problem where Accept prefers one', async () => {
      for (const accept of [
        'application/problem+json',
        'application/json, application/problem+json',
        'application/json;q=0.5, application/problem+json',
        'application/*, application/problem+json',
      ]) {
        const answer = await ask(accept);
        expect(answer.status).to.equal(404);
        expect(answer.headers['content-type'], accept).to.equal('application/problem+json');
        const { instance, ...problem } = JSON.parse(answer.text) as Record<string, unknown>;
        expect(instance).to.equal(answer.headers['x-request-id']);
        expect(problem).to.deep.equal({
          type: 'urn:edge-controller:error:NOT_FOUND',
          title: 'The resource requested was not found or is no longer available',
          status: 404,
          detail: 'service with id nope not found',
          code: 'NOT_FOUND',
        });
      }
      const wrong = await admin.post(`${M}/services`, {}, { headers: { accept: 'application/problem+json' } });
      const { errors } = JSON.parse(wrong.text) as { errors: readonly unknown[] };
      expect(errors).to.have.length(2);
    });

    it('is an envelope otherwise, and a success is JSON', async () => {
      for (const accept of [
        'application/json',
        '*/*',
        'application/*',
        'application/json, application/problem+json;q=0.1',
      ])
        expectFault(await ask(accept), 404, 'NOT_FOUND');
      const answer = expectStatus(await ask('application/problem+json', `${M}/services`), 200);
      expect(answer.headers['content-type']).to.equal('application/json');
    });
  });

  it('keeps what was made by the request that it speaks of', async () => {
    const { id } = entityOf(expectStatus(await admin.post(`${M}/services`, body({ unknown: 1 })), 201));
    expectStatus(await admin.get(`${M}/services/${id}`), 200);
  });
});
