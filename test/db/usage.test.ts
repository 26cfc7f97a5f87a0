/** Traffic and dials by service, router and link: what is read of a router's metrics, and the sums of each hour. */
import { create, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'chai';
import type { UsageSum } from '../../db/stores/usage.js';
import type { RouterChannel } from '../../fabric/channel/channel.js';
import { MalformedError } from '../../fabric/channel/malformed.js';
import { metricsIn } from '../../fabric/messages/metrics.js';
import { Usage } from '../../fabric/usage/usage.js';
import type { ReportedUsage } from '../../fabric/usage/usage-in-metrics.js';
import { MetricsMessageSchema } from '../../generated/fabric/metrics_pb.js';
import { openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const usageIn = (body: Uint8Array) => metricsIn(body).traffic;
const HOUR = new Date('2026-01-01T10:00:00Z');

const bytesOf = (message: MessageInitShape<typeof MetricsMessageSchema>) =>
  toBinary(MetricsMessageSchema, create(MetricsMessageSchema, message));

/** As a stock router tells of a circuit. */
const circuit = (serviceId: string, values: Readonly<Record<string, bigint>>) => ({
  values,
  tags: { clientId: 'c1', hostId: 'h1', serviceId },
});

describe('the usage in metrics', () => {
  it('has the bytes of circuits by service, those of the router, and what links have sent', () => {
    const body = bytesOf({
      meters: {
        'link.l1.tx.bytesrate': { count: 500n },
        'link.l1.rx.bytesrate': { count: 900n },
        'link.l1.tx.msgrate': { count: 9n },
        'fabric.tx.bytesrate': { count: 70n },
      },
      usageCounters: [
        {
          intervalStartUtc: 1n,
          intervalLength: 60n,
          buckets: {
            one: circuit('s1', { 'ingress.rx': 10n, 'ingress.tx': 3n }),
            two: circuit('s1', { 'egress.rx': 5n, 'egress.tx': 7n }),
            three: circuit('', { 'ingress.rx': 1n }),
          },
        },
      ],
    });
    const { services, router, linkTotals } = usageIn(body);
    expect([...services]).to.deep.equal([['s1', { in: 10, out: 5 }]]);
    expect(router).to.deep.equal({ in: 16, out: 10 });
    expect([...linkTotals]).to.deep.equal([['l1', 500]]);
  });

  it('is bounded: circuits of one message, and bytes of one circuit', () => {
    const buckets = Object.fromEntries(
      Array.from({ length: 6_000 }, (_, index) => [`c${index}`, circuit('s1', { 'ingress.rx': 1n })]),
    );
    expect(usageIn(bytesOf({ usageCounters: [{ buckets }] })).router.in).to.equal(5_000);
    const huge = { one: circuit('s1', { 'ingress.rx': 2n ** 64n - 1n }) };
    expect(usageIn(bytesOf({ usageCounters: [{ buckets: huge }] })).router.in).to.equal(1e13);
  });

  it('of what is no such message is refused', () => {
    const body = bytesOf({ usageCounters: [{ buckets: { one: circuit('s1', { 'ingress.rx': 1n }) } }] });
    for (const broken of [
      body.subarray(0, body.length - 3),
      Uint8Array.of(0x5a, 0xff),
      Uint8Array.of(0x5a, 2, 0x1a, 9),
      Uint8Array.of(0x5b),
      Uint8Array.of(0x41, 1),
      Buffer.alloc(20, 0xff),
    ])
      expect(() => usageIn(broken)).to.throw(MalformedError);
  });
});

describe('the latencies in metrics', () => {
  it('are those of links, with what waits for them, and of nothing else', () => {
    const body = bytesOf({
      histograms: {
        'link.l1.latency': { mean: 2.5e6, p50: 9 },
        'link.l1.queue_time': { mean: 0.5e6 },
        'link.l2.latency': { count: 3n },
        'link.l1.rtt': { mean: 1 },
        [`link.${'x'.repeat(200)}.latency`]: { mean: 1 },
      },
    });
    expect([...metricsIn(body).latencies]).to.deep.equal([
      ['l1', 3e6],
      ['l2', 0],
    ]);
  });
});

describe('the sums of usage', () => {
  let fixture: TestStores;
  let nowMs = HOUR.getTime() + 1_000;
  const usages: Usage[] = [];
  before(async () => {
    fixture = await openStoresForTest();
    await fixture.files.query(
      "INSERT INTO services (id, name, encryption_required) VALUES ('s1', 's1', true), ('s2', 's2', true)",
    );
    for (const id of ['r1', 'r2'])
      await fixture.files.query('INSERT INTO routers (id, name, is_edge) VALUES ($1, $1, true)', [id]);
  });
  beforeEach(async () => {
    nowMs = HOUR.getTime() + 1_000;
    await fixture.files.query('DELETE FROM usage_hours');
  });
  afterEach(async () => {
    for (const usage of usages.splice(0)) await usage.close();
  });
  after(() => fixture.close());

  const newUsage = (add = (sums: readonly UsageSum[]) => fixture.stores.usage.add(sums)) => {
    const usage = new Usage({ store: { add }, noteFailure: () => undefined, nowMs: () => nowMs });
    usages.push(usage);
    return usage;
  };
  const channelOf = (routerId: string) => ({ routerId }) as RouterChannel;
  const reported = (more: Partial<ReportedUsage>): ReportedUsage => ({
    services: new Map(),
    router: { in: 0, out: 0 },
    linkTotals: new Map(),
    ...more,
  });
  const noLink = () => undefined;
  const rows = async () => {
    const { rows: found } = await fixture.files.query(
      `SELECT kind, entity_id AS id, bytes_in::int AS "in", bytes_out::int AS out, dials::int,
        failed_dials::int AS failed FROM usage_hours ORDER BY hour, kind, entity_id`,
    );
    return found.map(({ kind, id, in: bytesIn, out, dials, failed }) => [kind, id, bytesIn, out, dials, failed]);
  };

  it('add up over messages, dials and controllers', async () => {
    const [one, other] = [newUsage(), newUsage()];
    for (const usage of [one, other, one]) {
      const services = new Map([['s1', { in: 10, out: 20 }]]);
      usage.reported(channelOf('r1'), reported({ services, router: { in: 30, out: 40 } }), noLink);
      usage.dialed('service', 's1', true);
      usage.dialed('router', 'r1', false);
    }
    await Promise.all([one.write(), other.write()]);
    one.dialed('service', 's1', false);
    await one.write();
    expect(await rows()).to.deep.equal([
      ['router', 'r1', 90, 120, 3, 3],
      ['service', 's1', 30, 60, 4, 1],
    ]);
    expect(one.routers.get('r1')).to.deep.equal({ bytesIn: 60, bytesOut: 80, dials: 2, failedDials: 2 });
  });

  it('have a row for each hour', async () => {
    const usage = newUsage();
    usage.dialed('service', 's1', true);
    nowMs += 3_600_000;
    usage.dialed('service', 's1', true);
    await usage.write();
    expect(await rows()).to.have.length(2);
  });

  it('have no services that a router made up', async () => {
    const usage = newUsage();
    const services = new Map([
      ['made-up', { in: 1, out: 1 }],
      ["'; DROP TABLE", { in: 1, out: 1 }],
      ['s2', { in: 1, out: 0 }],
    ]);
    usage.reported(channelOf('gone'), reported({ services, router: { in: 1, out: 1 } }), noLink);
    await usage.write();
    expect(await rows()).to.deep.equal([['service', 's2', 1, 0, 0, 0]]);
  });

  it('count of a link what its own routers sent since their last message', async () => {
    const usage = newUsage();
    const link = () => ({ routers: ['r1', 'r2'] as const });
    const [dialing, accepting, stranger] = [channelOf('r1'), channelOf('r2'), channelOf('r3')];
    const told = (channel: RouterChannel, total: number) => {
      usage.reported(channel, reported({ linkTotals: new Map([['l1', total]]) }), link);
    };
    for (const [channel, totals] of [
      [dialing, [1_000, 1_010, 1_040, 5]],
      [accepting, [7, 9]],
      [stranger, [0, 1_000_000]],
    ] as const)
      for (const total of totals) told(channel, total);
    await usage.write();
    expect(await rows()).to.deep.equal([['link', 'l1', 40, 2, 0, 0]]);
  });

  it('stay within what a row can hold, whatever routers say', async () => {
    await fixture.files.query(`INSERT INTO usage_hours VALUES ($1, 'service', 's1', 8999999999999999999, 0, 0, 0)`, [
      HOUR,
    ]);
    const usage = newUsage();
    for (let times = 0; times < 5; times += 1)
      usage.reported(channelOf('r1'), reported({ services: new Map([['s1', { in: 1e20, out: 1e20 }]]) }), noLink);
    await usage.write();
    const { rows: found } = await fixture.files.query(
      'SELECT bytes_in::text AS in, bytes_out::text AS out FROM usage_hours',
    );
    expect(found).to.deep.equal([{ in: '9000000000000000000', out: String(Number.MAX_SAFE_INTEGER) }]);
  });

  it('wait for a database that is away', async () => {
    let isAway = true;
    const usage = newUsage(async (sums) => {
      if (isAway) throw new Error('away');
      await fixture.stores.usage.add(sums);
    });
    usage.dialed('service', 's1', true);
    await usage.write();
    usage.dialed('service', 's1', true);
    isAway = false;
    await usage.write();
    expect(await rows()).to.deep.equal([['service', 's1', 0, 0, 2, 0]]);
  });

  it('go when they are old', async () => {
    const usage = newUsage();
    nowMs = Date.now() - 40 * 86_400_000;
    usage.dialed('service', 's1', true);
    nowMs = Date.now();
    usage.dialed('service', 's2', true);
    await usage.write();
    expect(await fixture.stores.usage.sweep(1_000, 35)).to.equal(1);
    expect(await rows()).to.deep.equal([['service', 's2', 0, 0, 1, 0]]);
  });
});
