/** Webhooks: what is refused, the entity itself, what is delivered and how it is signed, and what cannot be. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make as makeEntity } from '../support/entities.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { openReceiver } from '../support/webhook-receiver.js';
import type { Receiver } from '../support/webhook-receiver.js';

interface Detail {
  readonly id: string;
  readonly attempts: number;
  readonly deadLetters: number;
  readonly deliveredAt: string | null;
  readonly failingSince: string | null;
  readonly lastError: string | null;
  readonly nextAttemptAt: string | null;
}

describe('webhooks', function webhooks() {
  this.timeout(120_000);
  let controller: TestController;
  let receiver: Receiver;

  before(async () => {
    receiver = await openReceiver();
    controller = await startTestController({
      EDGE_OUTGOING_ALLOW: '127.0.0.1',
      EDGE_WEBHOOK_RETRY_FOR: '2s',
      EDGE_WEBHOOK_TIMEOUT: '500ms',
    });
  });
  after(async () => {
    await controller.stop();
    await receiver.close();
  });

  const post = (body: object) => controller.admin.post(`${M}/webhooks`, body);
  const make = async (fields: object = {}): Promise<string> => {
    const body = { name: unique('hook'), url: receiver.url, kinds: ['service.*'], ...fields };
    const { id, secret } = expectStatus(await post(body), 201).data as { id: string; secret: string };
    receiver.secret = secret;
    return id;
  };
  const remove = async (id: string) => expectStatus(await controller.admin.delete(`${M}/webhooks/${id}`), 200);
  const detail = async (id: string) =>
    expectStatus(await controller.admin.get(`${M}/webhooks/${id}`), 200).data as Detail;
  const makeService = (name = unique('hooked')): Promise<string> =>
    makeEntity(controller, 'services', { name, encryptionRequired: true });
  const sentOf = (entityId: string) => receiver.deliveries.filter(({ body }) => body.entityId === entityId);
  const arrives = (entityId: string) => until('it arrives', () => sentOf(entityId).length > 0);

  describe('refuse', () => {
    const causeOf = async (fields: object) => {
      const answer = await post({ name: unique('bad'), url: receiver.url, ...fields });
      return expectStatus(answer, 400).error?.cause;
    };

    it('URLs that may not be asked', async () => {
      for (const url of [
        'nowhere',
        'ftp://hooks.example.com/',
        'http://hooks.example.com/',
        'https://10.0.0.1/',
        'https://[fe80::1]/',
        'https://169.254.169.254/latest/meta-data',
        'https://user:word@hooks.example.com/',
        'http://127.0.0.2/',
      ])
        expect(await causeOf({ url }), url).to.include({ field: 'url' });
      const id = await make();
      expectStatus(await controller.admin.patch(`${M}/webhooks/${id}`, { url: 'https://192.168.0.1/' }), 400);
      await remove(id);
    });

    it('secrets without their form, and do not repeat them', async () => {
      for (const secret of ['', 'hunter2', 'whsec_', 'whsec_c2hvcnQ=', `whsec_${'*'.repeat(40)}`]) {
        const cause = await causeOf({ secret });
        expect(cause, secret).to.include({ field: 'secret', value: '(hidden)' });
      }
    });

    it('kinds that are none, a name that is taken, and what lacks a member', async () => {
      expect(await causeOf({ kinds: ['service'] })).to.include({ field: 'kinds' });
      const name = unique('taken');
      const id = await make({ name });
      expect(await causeOf({ name })).to.include({ field: 'name' });
      expectStatus(await post({ name: unique('bare') }), 400);
      await remove(id);
    });

    it('what is not there', async () => {
      for (const path of ['nothing', 'nothing/dead-letters'])
        expectStatus(await controller.admin.get(`${M}/webhooks/${path}`), 404);
      expectStatus(await controller.admin.post(`${M}/webhooks/nothing/redeliver`, {}), 404);
      expectStatus(await controller.admin.patch(`${M}/webhooks/nothing`, { enabled: true }), 404);
    });
  });

  it('are entities like others, whose secret is shown once', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const name = unique('entity');
    const body = { name, url: receiver.url, kinds: ['identity.*'], secret, enabled: false, tags: { team: 'a' } };
    const answer = expectStatus(await post(body), 201);
    const { id } = answer.data as { id: string };
    expect(answer.data).to.deep.include({ secret });
    expect(answer.headers.location).to.equal(`${M}/webhooks/${id}`);
    const { secret: hidden, ...shown } = body;
    const nothing = { attempts: 0, deadLetters: 0, deliveredAt: null, failingSince: null, lastError: null };
    expect(await detail(id)).to.deep.include({ ...shown, ...nothing, nextAttemptAt: null });
    expectStatus(await controller.admin.patch(`${M}/webhooks/${id}`, { kinds: [], tags: {} }), 200);
    expect(await detail(id)).to.deep.include({ name, kinds: [], enabled: false, tags: {} });
    const whole = { name: `${name}-2`, url: 'https://hooks.example.com/x' };
    expectStatus(await controller.admin.put(`${M}/webhooks/${id}`, whole), 200);
    expect(await detail(id)).to.deep.include({ ...whole, kinds: [], enabled: true });
    const filter = encodeURIComponent(`name = "${name}-2"`);
    const list = expectStatus(await controller.admin.get(`${M}/webhooks?filter=${filter}`), 200);
    expect((list.data as Detail[]).map((item) => item.id)).to.deep.equal([id]);
    const { rows } = await controller.database.query(
      `SELECT kind, before::text || after::text AS text FROM audit_records WHERE entity_id = $1 ORDER BY seq`,
      [id],
    );
    expect(rows.map(({ kind }) => kind)).to.deep.equal(['webhook.created', 'webhook.updated', 'webhook.updated']);
    const key = hidden.slice('whsec_'.length);
    for (const text of [list.text, JSON.stringify(rows)]) expect(text).to.not.contain(key);
    await remove(id);
    expectStatus(await controller.admin.get(`${M}/webhooks/${id}`), 404);
  });

  it('get what happens from then on, signed, in order, and only the kinds they want', async () => {
    const before = await makeService();
    const id = await make();
    const service = await makeService();
    expectStatus(await controller.admin.patch(`${M}/services/${service}`, { name: unique('renamed') }), 200);
    await controller.newCaller();
    expectStatus(await controller.admin.delete(`${M}/services/${service}`), 200);
    await until('all arrive', () => sentOf(service).length === 3);
    expect(sentOf(service).map(({ body }) => body.kind)).to.deep.equal([
      'service.created',
      'service.updated',
      'service.deleted',
    ]);
    expect(sentOf(before)).to.deep.equal([]);
    for (const delivery of receiver.deliveries) {
      expect(delivery.isSigned).to.equal(true);
      expect(delivery.body).to.include({ id: delivery.id });
      expect(delivery.body.kind).to.match(/^service\./);
      expect(delivery.path).to.equal('/hook');
    }
    const state = await until('it is written down', async () => {
      const found = await detail(id);
      return found.deliveredAt !== null && found;
    });
    expect(state).to.include({ attempts: 0, failingSince: null, lastError: null });
    await remove(id);
  });

  it('wait while they are disabled, and get what was missed', async () => {
    const id = await make();
    expectStatus(await controller.admin.patch(`${M}/webhooks/${id}`, { enabled: false }), 200);
    const services = [await makeService(), await makeService()];
    expectStatus(await controller.admin.patch(`${M}/webhooks/${id}`, { enabled: true }), 200);
    for (const service of services) await arrives(service);
    await remove(id);
  });

  it('sign with another secret from when it is set', async () => {
    const id = await make();
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    expectStatus(await controller.admin.patch(`${M}/webhooks/${id}`, { secret }), 200);
    receiver.secret = secret;
    // One that was under way may still have the old one.
    await until('the new one is used', async () => {
      const service = await makeService();
      await arrives(service);
      return sentOf(service)[0]?.isSigned;
    });
    const { rows } = await controller.database.query(
      `SELECT after FROM audit_records WHERE entity_id = $1 AND kind = 'webhook.updated'`,
      [id],
    );
    expect(rows).to.deep.equal([{ after: { secretChanged: true } }]);
    await remove(id);
  });

  it('are tried again with the same id, until they answer', async () => {
    const id = await make();
    receiver.status = 500;
    const service = await makeService();
    await until('it is tried again', () => sentOf(service).length >= 2);
    const failing = await detail(id);
    expect(failing).to.include({ lastError: 'the answer has status 500' });
    expect(failing.failingSince).to.not.equal(null);
    receiver.status = 204;
    const count = sentOf(service).length;
    await until('it arrives', () => sentOf(service).length > count);
    expect(new Set(sentOf(service).map((delivery) => delivery.id)).size).to.equal(1);
    await until('all is well', async () => (await detail(id)).failingSince === null);
    await remove(id);
  });

  it('have a dead letter at once of what is too large for them, which holds up no other event', async () => {
    const id = await make();
    receiver.status = 413;
    const [large, next] = [await makeService(), await makeService()];
    await arrives(next);
    receiver.status = 204;
    await arrives(await makeService());
    const letters = await until('both are dead letters', async () => {
      const found = expectStatus(await controller.admin.get(`${M}/webhooks/${id}/dead-letters`), 200);
      return (found.data as object[]).length === 2 && (found.data as object[]);
    });
    for (const letter of letters)
      expect(letter).to.include({ attempts: 1, lastError: 'the answer has status 413', isDue: false });
    expect(sentOf(large)).to.have.length(1);
    await remove(id);
  });

  it('have dead letters when they do not, which can be sent again', async () => {
    const id = await make();
    receiver.status = null;
    const service = await makeService();
    interface Letter {
      readonly id: string;
      readonly eventId: string;
      readonly kind: string;
      readonly lastError: string;
      readonly isDue: boolean;
    }
    const letters = async () =>
      expectStatus(await controller.admin.get(`${M}/webhooks/${id}/dead-letters`), 200).data as Letter[];
    const [letter] = await until('it is a dead letter', async () => {
      const found = await letters();
      return found.length > 0 && found;
    });
    expect(letter).to.include({ kind: 'service.created', lastError: 'it took too long', isDue: false });
    expect(letter?.eventId).to.equal(sentOf(service)[0]?.id);
    expect(await detail(id)).to.include({ deadLetters: 1 });
    // A redirect is no success, and is not followed.
    receiver.status = 307;
    const again = { ids: [letter?.id ?? ''] };
    expectStatus(await controller.admin.post(`${M}/webhooks/${id}/redeliver`, { ids: ['nothing'] }), 200);
    expect(expectStatus(await controller.admin.post(`${M}/webhooks/${id}/redeliver`, again), 200).data).to.deep.equal({
      count: 1,
    });
    const redelivered = encodeURIComponent(`kind = "webhook.redelivered" and entityId = "${id}"`);
    const { data } = expectStatus(await controller.admin.get(`${M}/audit?filter=${redelivered}`), 200);
    expect((data as { after: object }[]).map(({ after }) => after)).to.deep.equal([{ count: 1 }]);
    await until('it failed again', async () => {
      const [found] = await letters();
      return found?.lastError === 'the answer has status 307' && !found.isDue;
    });
    expect(receiver.deliveries.every(({ path }) => path === '/hook')).to.equal(true);
    receiver.status = 200;
    expectStatus(await controller.admin.post(`${M}/webhooks/${id}/redeliver`, {}), 200);
    await until('it is gone', async () => (await letters()).length === 0);
    expect(sentOf(service).every((delivery) => delivery.id === letter?.eventId && delivery.isSigned)).to.equal(true);
    // What came after it is not held up.
    await arrives(await makeService());
    receiver.status = 204;
    await remove(id);
  });
});
