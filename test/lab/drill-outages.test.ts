/** The drill of outages counts rightly what was lost, refused and missed, and calls a fault what is one. */
import { expect } from 'chai';
import { compare } from '../../lab/drill/measure.js';
import { CLEAN, faultsOf, rowOf } from '../../lab/drill/outages/load.js';
import type { Row } from '../../lab/drill/outages/load.js';
import { markdownOf, tableHead, tableRow } from '../../lab/drill/outages/report.js';
import { Tally } from '../../lab/drill/tally.js';

const COLUMNS = 100;
const answer = (status: number, json: { data?: unknown; error?: unknown } = {}) => ({
  status,
  data: json.data,
  meta: {},
  json,
});
const made = (id: string) => answer(201, { data: { id } });
const unavailable = answer(503, { error: { code: 'UNAVAILABLE' } });
const timeout = answer(503, { error: { code: 'TIMEOUT' } });

/** Two acknowledged creates, an outage from 1.1 to 4 s with three refusals, two more acknowledged. */
function seen(): Tally {
  const tally = new Tally(0);
  tally.created('a', made('1'), 500);
  tally.created('b', made('2'), 1_000);
  tally.created('c', unavailable, 1_100, 20);
  tally.created('d', timeout, 3_000, 1_900);
  tally.created('e', unavailable, 3_500, 10);
  tally.created('f', made('6'), 4_200);
  tally.created('g', made('7'), 4_300);
  return tally;
}

describe('the counts of a drill of outages', () => {
  it('compare what was acknowledged with what is there', () => {
    const [a, b, d] = [
      { id: '1', name: 'a' },
      { id: '2', name: 'b' },
      { id: '4', name: 'd' },
    ];
    const [f, g] = [
      { id: '6', name: 'f' },
      { id: '7', name: 'g' },
    ];
    const other = { id: '99', name: 'of another drill' };
    expect(compare(seen(), [a, b, f, g])).to.deep.equal({ lost: 0, unacknowledged: 0 });
    expect(compare(seen(), [a, b, f, g, d, other])).to.deep.equal({ lost: 0, unacknowledged: 1 });
    expect(compare(seen(), [a, f, d, other])).to.deep.equal({ lost: 2, unacknowledged: 1 });
    const another = { id: '77', name: 'g' };
    const replaced = compare(seen(), [a, b, f, another]);
    expect(replaced, 'the name with another id').to.deep.equal({ lost: 1, unacknowledged: 0 });
    expect(compare(seen(), [])).to.deep.equal({ lost: 4, unacknowledged: 0 });
  });

  it('measure the longest time without an acknowledged create, and when it is healed', () => {
    const tally = seen();
    const { creates, refused, timeouts, slowestRefusalMs } = tally;
    expect({ creates, refused, timeouts, slowestRefusalMs }).to.deep.equal({
      creates: 7,
      refused: 3,
      timeouts: 1,
      slowestRefusalMs: 1_900,
    });
    expect([tally.longestGapMs, tally.lastRefusalAt, tally.healedAt]).to.deep.equal([3_200, 3_500, 4_200]);
    tally.created('h', unavailable, 5_000);
    expect(tally.healedAt, 'refused again').to.equal(undefined);
    tally.created('i', made('9'), 5_100);
    expect([tally.longestGapMs, tally.healedAt]).to.deep.equal([3_200, 5_100]);
  });

  it('expect a success or 503, and a cut connection only where a controller is killed', () => {
    const see = (tally: Tally) => {
      for (const status of [200, 503, 404]) tally.read(answer(status));
      for (const status of [200, 503, 500]) tally.looked(answer(status));
      for (const status of [200, 503, 401]) tally.loggedIn(answer(status));
      tally.created('x', undefined, 1);
      tally.created('y', answer(500), 1);
      return tally;
    };
    const strict = see(new Tally(0));
    const { staleReads, refusedReads, notReadyLooks, refusedLogins, cuts } = strict;
    expect([staleReads, refusedReads, notReadyLooks, refusedLogins, cuts]).to.deep.equal([1, 1, 1, 1, 0]);
    const others = { 'readyz: 500 {}': 1, 'login: 401 {}': 1, 'create: 500 {}': 1 };
    expect(Object.fromEntries(strict.unexpected)).to.deep.equal({ ...others, 'create: the connection broke': 1 });
    const lenient = see(new Tally(0, true));
    expect(Object.fromEntries(lenient.unexpected)).to.deep.equal(others);
    expect([lenient.cuts, lenient.refusedNames]).to.deep.equal([1, ['x', 'y']]);
  });

  it('make a row, and faults of what may never be', () => {
    const row = rowOf('e', { tally: seen(), seconds: 3, overAt: 4_100, lost: 0, unacknowledged: 1 });
    expect(row.saw).to.equal('3 of 7 creates 503, 1 of them TIMEOUT, slowest 1.9 s; reads 0 of 0; readyz 0 of 0');
    expect([row.healed, row.acknowledged]).to.deep.equal(['0.10 s after it; gap 3.2 s', 4]);
    const faultsWith = (change: Partial<Row>) => faultsOf([{ ...row, ...change }]);
    expect(faultsWith({})).to.deep.equal([]);
    expect(faultsWith({ lost: 2 })).to.deep.equal(['e: 2 acknowledged creates are lost']);
    expect(faultsWith({ staleReads: 1 })).to.deep.equal(['e: 1 reads did not find what was acknowledged']);
    expect(faultsWith({ accepted: 1 })).to.deep.equal(['e: 1 sessions were accepted after their end']);
    const believed = ['e: 3 requests were answered by a server that must not be believed'];
    expect(faultsWith({ believed: 3 })).to.deep.equal(believed);
    expect(faultsWith({ unexpected: { 'create: 500': 4 } })).to.deep.equal(['e: unexpected, 4 x create: 500']);
  });

  it('fit a terminal of 100 columns, and a line of Markdown each', () => {
    const words = 'many words that do not fit into one line of a column at all '.repeat(4).trim();
    const row: Row = { ...CLEAN, event: words, saw: words, healed: words, acknowledged: 1_234_567, lost: 1_234_567 };
    const lines = `${tableHead()}\n${tableRow(row)}`.split('\n');
    expect(lines.filter((line) => line.length > COLUMNS)).to.deep.equal([]);
    expect(lines.length).to.be.greaterThan(4);
    expect(markdownOf([row]).split('\n')).to.have.length(3);
  });
});
