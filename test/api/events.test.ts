/** GET /events: who may read, what comes, where it goes on, and how it ends. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { openEvents } from '../support/event-source.js';
import type { EventSource, SourceOptions } from '../support/event-source.js';
import { makeService } from '../support/make.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';

describe('GET /events', function events() {
  this.timeout(120_000);
  let controller: TestController;
  let reader: Caller;
  const open: EventSource[] = [];

  before(async () => {
    controller = await startTestController({
      EDGE_LIMIT_EVENT_STREAMS: '8',
      EDGE_LIMIT_EVENT_STREAMS_PER_IDENTITY: '3',
    });
    reader = await controller.newCaller({ permissions: ['audit.read'] });
  });
  afterEach(async () => {
    for (const source of open.splice(0)) source.close();
    // Their places are free again when the server has seen them go.
    await until('a stream can be opened', async () => {
      const answer = await controller.admin.get(`${M}/events?until=now`);
      return answer.status === 200;
    });
  });
  after(() => controller.stop());

  const listen = async (client: Client = controller.admin, options: SourceOptions = {}): Promise<EventSource> => {
    const source = await openEvents(controller.url, client.token, options);
    expect(source.status, source.text()).to.equal(200);
    open.push(source);
    return source;
  };
  const newService = (name = unique('event')) => makeService(controller, { name });
  const causeOf = async (query: string, headers: Record<string, string> = {}) =>
    expectStatus(await controller.admin.get(`${M}/events?${query}`, { headers }), 400).error?.cause;
  const kindsOf = (source: EventSource, entityId: string) =>
    source.events.filter((event) => event.entityId === entityId).map(({ kind }) => kind);

  describe('refuses', () => {
    it('nobody, and whoever lacks the permission', async () => {
      expectStatus(await controller.anonymous.get(`${M}/events`), 401);
      const { client } = await controller.newCaller({ permissions: ['service', 'identity'] });
      expectStatus(await client.get(`${M}/events`), 401);
    });

    it('ids that are none, naming where they were', async () => {
      for (const text of ['latest', '1.2', '00000000.0.1', 'zzzzzzzz.1.1', '00000000.1.-1']) {
        expect(await causeOf(`lastEventId=${text}`)).to.deep.include({ field: 'lastEventId', value: text });
        expect(await causeOf('', { 'last-event-id': text })).to.deep.include({ field: 'Last-Event-ID', value: text });
      }
      const { reason } = (await causeOf('lastEventId=latest')) as { reason: string };
      expect(reason).to.contain("must be the id of an event as the stream gave it, or 'first'");
    });

    it('kinds that are none, and too many', async () => {
      for (const text of ['identity', 'identity.', 'a.b.c', 'identity.created,%3Cb%3E', '*identity.x'])
        expect(await causeOf(`kinds=${text}`), text).to.include({ field: 'kinds' });
      expect(await causeOf(`kinds=${Array.from({ length: 51 }, (_, i) => `k${i}.x`).join()}`)).to.include({
        reason: 'must have at most 50 kinds',
      });
    });

    it('an end that it does not know', async () => {
      expect(await causeOf('until=tomorrow')).to.include({ field: 'until' });
    });

    it('whoever does not take the form', async () => {
      expectStatus(await controller.admin.get(`${M}/events`, { headers: { accept: 'text/html' } }), 406);
    });

    it('more streams of an identity, and in all, than there may be', async () => {
      for (let i = 0; i < 3; i += 1) await listen(reader.client);
      const own = expectStatus(await reader.client.get(`${M}/events`), 429);
      expect(own.error).to.deep.include({ code: 'RATE_LIMITED' });
      expect(own.error?.cause).to.deep.include({
        message: 'the identity has 3 streams of events here already: close one of them first',
      });
      const others = [await controller.newCaller({ isAdmin: true }), await controller.newCaller({ isAdmin: true })];
      for (let i = 0; i < 5; i += 1) await listen(others[i % 2]?.client);
      expectStatus(await controller.admin.get(`${M}/events`), 429);
    });
  });

  describe('sends', () => {
    it('what happens from then on, as it happens, once and in order', async () => {
      const before = await newService();
      const source = await listen();
      const id = await newService();
      expectStatus(await controller.admin.patch(`${M}/services/${id}`, { name: unique('renamed') }), 200);
      expectStatus(await controller.admin.delete(`${M}/services/${id}`), 200);
      await until('it came', () => kindsOf(source, id).length === 3);
      expect(kindsOf(source, id)).to.deep.equal(['service.created', 'service.updated', 'service.deleted']);
      expect(kindsOf(source, before)).to.deep.equal([]);
      expect(new Set(source.events.map((event) => event.id)).size).to.equal(source.events.length);
      expect(source.events.at(-1)?.id).to.match(/^[0-9a-f]{8}\.\d+\.\d+$/);
    });

    it('with the head of a stream, never compressed', async () => {
      const source = await listen(controller.admin, { headers: { 'accept-encoding': 'gzip, br' } });
      expect(source.headers).to.include({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'transfer-encoding': 'chunked',
      });
      expect(source.headers).to.not.have.any.keys('content-encoding', 'etag', 'content-length');
      await until('it begins', () => source.text().includes('\n\n'));
      expect(source.text()).to.match(/^retry: 2000\nid: [0-9a-f]{8}\.\d+\.0\n\n/);
    });

    it('the head alone to who asks for that', async () => {
      const answer = await controller.admin.send('HEAD', `${M}/events`);
      expect([answer.status, answer.text]).to.deep.equal([200, '']);
    });

    it('the kinds that were asked for', async () => {
      const source = await listen(controller.admin, { query: 'kinds=*.deleted,identity.*' });
      const service = await newService();
      const { id: identity } = await controller.newCaller();
      expectStatus(await controller.admin.delete(`${M}/services/${service}`), 200);
      await until('the last came', () => kindsOf(source, service).length === 1);
      expect(kindsOf(source, service)).to.deep.equal(['service.deleted']);
      expect(kindsOf(source, identity)).to.deep.equal(['identity.created']);
      expect(source.events.every(({ kind }) => /^identity\.|\.deleted$/.test(kind))).to.equal(true);
    });

    it('a whole transaction of many, a name with line breaks, and what came by another way', async () => {
      const source = await listen();
      const name = `${unique('lines')}\r\nid: 1\n\ndata: {}\u2028`;
      await controller.database.query(
        `INSERT INTO services (id, name, encryption_required)
          SELECT 'bulk-' || i, $1 || i, true FROM generate_series(1, 1000) i`,
        [name],
      );
      const found = () => source.events.filter(({ entityId }) => entityId.startsWith('bulk-'));
      await until('all came', () => found().length >= 1000);
      expect(found().map(({ entityId }) => entityId)).to.deep.equal(
        Array.from({ length: 1000 }, (_, i) => `bulk-${i + 1}`),
      );
      expect(found()[0]?.entityName).to.equal(`${name}1`);
    });

    it('to all that read, the same', async () => {
      const sources = [await listen(), await listen(), await listen(reader.client)];
      const id = await newService();
      for (const source of sources) await until('it came', () => kindsOf(source, id).length === 1);
      const [first, ...others] = sources.map(({ events }) => events.find(({ entityId }) => entityId === id));
      for (const other of others) expect(other).to.deep.equal(first);
    });
  });

  describe('goes on', () => {
    it('after the last event that the reader has, by header or by query', async () => {
      const source = await listen();
      const ids = [await newService(), await newService(), await newService()];
      await until('all came', () => ids.every((id) => kindsOf(source, id).length === 1));
      const second = source.events.find(({ entityId }) => entityId === ids[1])?.id ?? '';
      source.close();
      ids.push(await newService());
      for (const options of [{ lastEventId: second }, { query: `lastEventId=${second}` }]) {
        const resumed = await listen(controller.admin, options);
        await until('the rest came', () => resumed.events.length >= 2);
        expect(ids.map((id) => kindsOf(resumed, id).length)).to.deep.equal([0, 0, 1, 1]);
        expect(resumed.controls).to.deep.equal([]);
      }
    });

    it('after a stream that had no event yet', async () => {
      const source = await listen(controller.admin, { query: 'kinds=config.*' });
      await until('it begins', () => source.lastId() !== '');
      source.close();
      const id = await newService();
      const resumed = await listen(controller.admin, { lastEventId: source.lastId() });
      await until('it came', () => kindsOf(resumed, id).length === 1);
    });

    it('from the oldest event that is kept to now, and ends', async () => {
      const id = await newService();
      const source = await listen(controller.admin, { query: 'lastEventId=first&until=now' });
      await source.over;
      expect(kindsOf(source, id)).to.deep.equal(['service.created']);
      expect(source.controls).to.deep.equal([
        { event: 'end', reason: 'caughtUp', message: 'all events up to the request were sent' },
      ]);
      const { rows } = await controller.database.query('SELECT count(*)::int AS records FROM audit_records');
      expect(rows[0]).to.deep.equal({ records: source.events.length });
      const none = await listen(controller.admin, { query: 'until=now', lastEventId: source.lastId() });
      await none.over;
      expect(none.events).to.deep.equal([]);
    });

    it('from now on, and says so, where the history is another one or the event is not known', async () => {
      const source = await listen();
      const id = await newService();
      await until('it came', () => kindsOf(source, id).length === 1);
      const [timeline = '', batch = ''] = source.events.at(-1)?.id.split('.') ?? [];
      const other = timeline === '00000000' ? '11111111' : '00000000';
      for (const [lastEventId, reason] of [
        [`${other}.${batch}.0`, 'timeline'],
        [`${timeline}.${Number(batch) + 1000}.0`, 'gone'],
        [`${timeline}.${batch}.999999999`, 'gone'],
      ]) {
        const resumed = await listen(controller.admin, { lastEventId, query: 'until=now' });
        await resumed.over;
        expect(resumed.controls.map(({ event, reason: why }) => [event, why])).to.deep.equal([
          ['reset', reason],
          ['end', 'caughtUp'],
        ]);
        expect(resumed.events).to.deep.equal([]);
      }
    });
  });

  describe('ends', () => {
    const expectEnd = async (source: EventSource) => {
      await until('it ends', () => source.isOver());
      expect(source.controls.map(({ event, reason }) => [event, reason])).to.deep.equal([['end', 'session']]);
    };

    it('with the API session', async () => {
      const { client } = await controller.newCaller({ isAdmin: true });
      const source = await listen(client);
      expectStatus(await client.delete(`${M}/current-api-session`), 200);
      await expectEnd(source);
    });

    it('with the right to it, and sends nothing more', async () => {
      const caller = await controller.newCaller({ permissions: ['audit'] });
      const source = await listen(caller.client);
      expectStatus(await controller.admin.patch(`${M}/identities/${caller.id}`, { permissions: [] }), 200);
      await expectEnd(source);
      expectStatus(await caller.client.get(`${M}/events`), 401);
    });

    it('with its identity', async () => {
      const caller = await controller.newCaller({ isAdmin: true });
      const source = await listen(caller.client);
      expectStatus(await controller.admin.delete(`${M}/identities/${caller.id}`), 200);
      await expectEnd(source);
    });
  });
});
