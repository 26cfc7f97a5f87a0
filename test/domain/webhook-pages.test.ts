import { expect } from 'chai';
import { pino } from 'pino';
import type { EventPage, EventStore } from '../../db/stores/event-batches.js';
import type { Lease, WebhookDeliveries } from '../../db/stores/webhook-deliveries.js';
import type { EventRecord } from '../../domain/events/event.js';
import { isBefore } from '../../domain/events/position.js';
import type { EventPosition } from '../../domain/events/position.js';
import type { EventListener } from '../../server/events/event-reader.js';
import { RecentPages, sharedPage } from '../../server/events/recent-pages.js';
import { Webhooks } from '../../server/events/webhooks.js';
import { until } from '../support/poll.js';

const recordAt = (batch: number, seq: number): EventRecord => ({
  position: { batch, seq },
  id: `${batch}${seq}`,
  at: new Date(0),
  kind: 'service.created',
  entityType: 'service',
  entityId: null,
  entityName: null,
  actor: { kind: 'controller', id: null, name: null },
  apiSessionId: null,
  address: null,
  requestId: null,
  controller: null,
  before: null,
  after: null,
  reason: null,
});

/** The records 1 to `count` of a batch, and nothing behind them. */
const pageOf = (batch: number, count: number): EventPage => ({
  records: Array.from({ length: count }, (_, index) => recordAt(batch, index + 1)),
  end: { batch: batch + 1, seq: 0 },
});
const seqsOf = (pages: RecentPages, position: EventPosition) =>
  pages.after(position)?.events.map((event) => event.position.seq);

describe('recent pages of events', () => {
  it('are what follows a position, at the start of a page and within it', () => {
    const pages = new RecentPages({ batch: 4, seq: 0 });
    pages.add(sharedPage(pageOf(4, 3), 'aaaaaaaa'));
    pages.add(sharedPage(pageOf(5, 2), 'aaaaaaaa'));
    expect(seqsOf(pages, { batch: 4, seq: 0 })).to.deep.equal([1, 2, 3]);
    expect(seqsOf(pages, { batch: 4, seq: 2 })).to.deep.equal([3]);
    expect(seqsOf(pages, { batch: 5, seq: 0 })).to.deep.equal([1, 2]);
    expect(pages.after({ batch: 4, seq: 2 })?.end).to.deep.equal({ batch: 5, seq: 0 });
  });

  it('are none before the first, behind the last, or of pages that went', () => {
    const pages = new RecentPages({ batch: 4, seq: 0 });
    for (let batch = 4; batch < 24; batch += 1) pages.add(sharedPage(pageOf(batch, 1), 'aaaaaaaa'));
    expect(seqsOf(pages, { batch: 3, seq: 9 })).to.equal(undefined);
    expect(seqsOf(pages, { batch: 4, seq: 0 })).to.equal(undefined);
    expect(seqsOf(pages, { batch: 24, seq: 0 })).to.equal(undefined);
    expect(seqsOf(pages, { batch: 23, seq: 0 })).to.deep.equal([1]);
  });

  it('make the message of an event once', () => {
    const pages = new RecentPages({ batch: 4, seq: 0 });
    pages.add(sharedPage(pageOf(4, 1), 'aaaaaaaa'));
    const message = () => pages.after({ batch: 4, seq: 0 })?.events[0]?.message;
    expect(message()?.id).to.equal('aaaaaaaa.4.1');
    expect(message()).to.equal(message());
  });
});

describe('targets of events', () => {
  const TARGETS = 5;
  const leaseAt = (id: number, position: EventPosition): Lease => ({
    id: `target-${id}`,
    url: 'https://example.com/',
    kinds: [],
    sealedSecret: Buffer.alloc(0),
    version: '1',
    position,
    attempts: 0,
    failingSince: null,
    nextAttemptAt: null,
    hasDue: false,
  });
  const behind = { batch: 2, seq: 0 };
  const start = { batch: 4, seq: 0 };
  const stored: readonly EventPage[] = [2, 3].map((batch) => pageOf(batch, 1));

  /** As many targets as leases, over stores that are not there. */
  function openTargets(leases: Lease[]) {
    let listener: EventListener | undefined;
    const reads: EventPosition[] = [];
    const sent: string[] = [];
    const events: Pick<EventStore, 'after' | 'range'> = {
      after(position) {
        reads.push(position);
        return Promise.resolve(stored.find(({ end }) => isBefore(position, end)) ?? pageOf(0, 0));
      },
      range: () => Promise.resolve({ timeline: 'aaaaaaaa', first: 1, last: 3 }),
    };
    const store: Pick<WebhookDeliveries, 'lease' | 'release' | 'save'> = {
      lease: () => Promise.resolve(leases),
      release: () => Promise.resolve(),
      save: () => Promise.resolve(true),
    };
    const webhooks = new Webhooks({
      events: events as EventStore,
      webhooks: store as WebhookDeliveries,
      reader: {
        listen(begin) {
          const made = begin(start);
          listener = made;
          return Promise.resolve({ listener: made, stop: () => undefined });
        },
      },
      outgoing: {
        post(_url, { body }) {
          sent.push((JSON.parse(String(body)) as { id: string }).id);
          return Promise.resolve(204);
        },
      },
      secrets: { open: () => Buffer.from('secret') },
      newId: () => 'new',
      timeoutMs: 1_000,
      retryForMs: 1_000,
      log: pino({ level: 'silent' }),
    });
    return {
      webhooks,
      reads,
      sent,
      read: (page: EventPage) => listener?.read(page, 'aaaaaaaa'),
      isOpen: () => listener,
    };
  }

  it('share the pages that were read once for all of them', async () => {
    const { webhooks, reads, sent, read, isOpen } = openTargets(
      Array.from({ length: TARGETS }, (_, index) => leaseAt(index, start)),
    );
    await until('they are open', () => isOpen() !== undefined);
    read(pageOf(4, 3));
    await until('all have got the first page', () => sent.length === 3 * TARGETS);
    read(pageOf(5, 2));
    await until('all have got the second page', () => sent.length === 5 * TARGETS);
    await webhooks.close();
    expect(reads).to.deep.equal([]);
    expect(sent.filter((id) => id === 'aaaaaaaa.5.2')).to.have.length(TARGETS);
  });

  it('that are behind read by themselves until they are there', async () => {
    const { webhooks, reads, sent, read, isOpen } = openTargets([leaseAt(1, behind)]);
    await until('it is open', () => isOpen() !== undefined);
    read(pageOf(4, 1));
    await until('it has got what it missed and what came', () => sent.length === 3);
    await webhooks.close();
    expect(sent).to.deep.equal(['aaaaaaaa.2.1', 'aaaaaaaa.3.1', 'aaaaaaaa.4.1']);
    expect(reads).to.deep.equal([behind, { batch: 3, seq: 0 }]);
  });
});
