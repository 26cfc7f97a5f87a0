/** The checker of histories finds each kind of fault in a record, and none in one without. */
import { expect } from 'chai';
import { BOUNDS, longestAfterTake } from '../../lab/history/access.js';
import { faultsOf, judge } from '../../lab/history/checker.js';
import type { Audited, Change, Entry, Fault, Presence, Read, Received, Use, Write } from '../../lab/history/record.js';
import { WEBHOOK } from '../../lab/history/record.js';

const KEY = 'service-1';
const HEAD: Entry = { kind: 'head', seed: 1, minutes: 1, hooked: 'service.*' };

/** Each begins at a second of its own, and takes 10 ms. */
const timed = (second: number, client = 'w0') => ({
  client,
  at: 'A',
  start: second * 1_000,
  end: second * 1_000 + 10,
  outcome: 'ok' as const,
  answer: '200',
});
const write = (second: number, value: string, version: number, more: Partial<Write> = {}): Write => ({
  kind: 'write',
  key: KEY,
  value,
  version,
  ...timed(second),
  ...more,
});
const read = (second: number, value: string, version: number, more: Partial<Read> = {}): Read => ({
  kind: 'read',
  key: KEY,
  value,
  version,
  ...timed(second, 'w1'),
  ...more,
});
/** A write whose answer names no version. */
const unanswered = (second: number, value: string, more: Partial<Write>): Write => ({
  kind: 'write',
  key: KEY,
  value,
  ...timed(second),
  ...more,
});
const audited = (seq: number, before: string | undefined, after: string): Audited => ({
  kind: 'audit',
  seq,
  event: before === undefined ? 'service.created' : 'service.updated',
  entityId: KEY,
  name: 'register',
  ...(before === undefined ? {} : { before }),
  after,
});
const event = (reader: string, auditId: number, more: Partial<Received> = {}): Received => ({
  kind: 'event',
  reader,
  time: 0,
  id: `t.1.${auditId}`,
  auditId,
  entityId: KEY,
  event: 'service.updated',
  ...more,
});
/** The audit of these values, one after the other, with readers that got all of it. */
const chain = (...values: readonly string[]): Entry[] => [
  ...values.map((value, index) => audited(index + 1, values[index - 1], value)),
  ...['r0', 'r1', WEBHOOK].flatMap((reader) =>
    values.map((_, index) => event(reader, index + 1, index === 0 ? { event: 'service.created' } : {})),
  ),
];

const faults = (...entries: readonly Entry[]) => faultsOf(judge([HEAD, ...entries]));
const expectFault = (found: readonly string[], ...wanted: readonly RegExp[]) => {
  for (const pattern of wanted) expect(found.join('\n')).to.match(pattern);
};

describe('the checker of histories', () => {
  describe('of registers', () => {
    const good: readonly Entry[] = [
      read(1, 'first', 10),
      write(2, 'a', 20),
      read(3, 'a', 20),
      write(4, 'b', 30, { base: 20 }),
      unanswered(5, 'c', { outcome: 'failed', answer: '412 PRECONDITION_FAILED', base: 20 }),
      unanswered(6, 'd', { outcome: 'unknown', answer: 'cut ECONNRESET' }),
      read(7, 'd', 40),
    ];

    it('is content with what may be', () => {
      expect(faults(...good, ...chain('first', 'a', 'b', 'd'))).to.deep.equal([]);
      expect(faults(...good.slice(0, -1), ...chain('first', 'a', 'b')), 'an unknown write was not done').to.deep.equal(
        [],
      );
    });

    it('lets operations at the same time come in any order', () => {
      const long = { end: 9_000 };
      const entries = [write(1, 'a', 20, long), read(2, 'first', 10), read(3, 'a', 20), read(4, 'a', 20)];
      expect(faults(...entries, ...chain('first', 'a'))).to.deep.equal([]);
    });

    it('finds a lost write', () => {
      const entries = [write(1, 'a', 20), read(2, 'first', 10)];
      expectFault(faults(...entries, ...chain('first')), /lost write: a was acknowledged/, /stale read/);
      const covered = [write(1, 'a', 20), write(2, 'b', 30), read(3, 'b', 30)];
      expectFault(faults(...covered, ...chain('first', 'b')), /lost write: a was acknowledged/);
    });

    it('finds a write that was applied twice', () => {
      const entries = [write(1, 'a', 20), write(2, 'b', 30), read(3, 'a', 40)];
      expectFault(
        faults(...entries, ...chain('first', 'a', 'b', 'a')),
        /written twice: a has the versions 20 and 40/,
        /written twice: a is 2 times in the audit/,
      );
    });

    it('finds a stale read, and says whether it is older than an own write', () => {
      const stale = faults(write(1, 'a', 20), write(2, 'b', 30), read(3, 'a', 20), ...chain('first', 'a', 'b'));
      expectFault(stale, /stale read: w1 at A, 3\.000 s has version 20 \(a\), after write b of version 30/);
      const own = [write(1, 'a', 20), write(2, 'b', 30), read(3, 'a', 20, { client: 'w0' })];
      expectFault(faults(...own, ...chain('first', 'a', 'b')), /stale read of the caller's own/);
      const backwards = [read(1, 'b', 30), read(2, 'a', 20), write(0, 'a', 20), write(0, 'b', 30)];
      expectFault(faults(...backwards, ...chain('first', 'a', 'b')), /stale read/);
    });

    it('finds a lost update, and a refusal for nothing', () => {
      const lost = [write(1, 'a', 20), write(2, 'b', 30), write(3, 'c', 40, { base: 20 })];
      expectFault(faults(...lost, ...chain('first', 'a', 'b', 'c')), /lost update: c was to follow version 20/);
      const refused = unanswered(2, 'b', { outcome: 'failed', answer: '412 PRECONDITION_FAILED', base: 20 });
      expectFault(faults(write(1, 'a', 20), refused, read(3, 'a', 20), ...chain('first', 'a')), /refused for nothing/);
    });

    it('finds a refused write that was done, a value that nobody wrote, and one version of two values', () => {
      const refused = unanswered(1, 'a', { outcome: 'failed', answer: '412 PRECONDITION_FAILED', base: 5 });
      expectFault(
        faults(refused, read(2, 'a', 20), ...chain('first', 'a')),
        /a refused write was done: a/,
        /a refused write is in the audit: a/,
      );
      expectFault(faults(read(1, 'x', 20), ...chain('first')), /nobody wrote x/);
      const same = [write(1, 'a', 20), write(2, 'b', 20)];
      expectFault(faults(...same, ...chain('first', 'a', 'b')), /version 20 is a and b/, /a write that is not the new/);
      expectFault(faults(read(1, 'a', 20), write(2, 'a', 20), ...chain('first', 'a')), /read before it was written/);
    });

    it('finds an audit that is not the history', () => {
      const writes = [write(1, 'a', 20), write(2, 'b', 30)];
      expectFault(
        faults(...writes, audited(1, undefined, 'first'), audited(2, 'a', 'b'), audited(3, 'b', 'a')),
        /audit record 2 begins with a, and first was there/,
        /audit record 3 \(a\) has an older version/,
      );
      const end = [write(1, 'a', 20), read(2, 'a', 20)];
      expectFault(faults(...end, ...chain('first', 'a', 'x')), /a is there in the end, and the audit ends with x/);
    });
  });

  describe('of entities', () => {
    const made = (second: number, more: Partial<Presence> = {}): Presence => ({
      kind: 'create',
      name: 'n',
      ...timed(second),
      ...more,
    });
    const record = (seq: number, what: string): Entry => ({
      kind: 'audit',
      seq,
      event: `service.${what}`,
      entityId: 'e',
      name: 'n',
    });
    const left: Entry = { kind: 'left', name: 'n' };
    const of = (...entries: readonly Entry[]) => judge([HEAD, ...entries]).presence;

    it('is content with what may be', () => {
      expect(of(made(1), record(1, 'created'), left)).to.deep.equal([]);
      expect(of(made(1), made(2, { kind: 'remove' }), record(1, 'created'), record(2, 'deleted'))).to.deep.equal([]);
      expect(of(made(1, { outcome: 'unknown' }))).to.deep.equal([]);
      expect(of(made(1, { outcome: 'unknown' }), record(1, 'created'), left)).to.deep.equal([]);
    });

    it('finds what is lost, came twice, came although it was refused, or stays', () => {
      expectFault(of(made(1), record(1, 'created')), /lost: its creation was acknowledged/);
      expectFault(of(made(1)), /is not in the audit/);
      expectFault(of(made(1), record(1, 'created'), record(2, 'created'), left), /it was made 2 times/);
      expectFault(of(made(1, { outcome: 'failed' }), record(1, 'created'), left), /was refused, and was done/);
      expectFault(
        of(made(1), made(2, { kind: 'remove' }), record(1, 'created'), left),
        /removal was acknowledged, and/,
      );
    });
  });

  describe('of access', () => {
    const change = (kind: Change['kind'], second: number, more: Partial<Change> = {}): Change => ({
      kind,
      subject: 's',
      ...timed(second, 'owner'),
      ...more,
    });
    const use = (start: number, isGranted: boolean, more: Partial<Use> = {}): Use => ({
      kind: 'use',
      subject: 's',
      what: 'a dial',
      isGranted,
      ...timed(0, 'user'),
      start,
      end: start + 5,
      ...more,
    });
    const broken = (start: number, end: number): Fault => ({ kind: 'fault', what: 'cut', start, end });
    const of = (...entries: readonly Entry[]) => judge([HEAD, ...entries]).access;

    it('is content with a moment, a longer one while something is broken, and what cannot be known', () => {
      expect(of(change('take', 1), use(1_100, true), use(1_200, false))).to.deep.equal([]);
      expect(of(change('take', 1), use(1_900, true), broken(500, 600))).to.deep.equal([]);
      expect(of(change('take', 1), change('give', 3), use(2_999, true), use(4_000, true)), 'given').to.deep.equal([]);
      expect(of(change('take', 1, { outcome: 'unknown' }), use(5_000, true))).to.deep.equal([]);
      const unknownGive = change('give', 2, { outcome: 'unknown' });
      expect(of(change('take', 1), unknownGive, use(5_000, true))).to.deep.equal([]);
      expect(of(change('take', 1), use(5_000, true, { outcome: 'unknown' }))).to.deep.equal([]);
    });

    it('finds access that outlasts its end', () => {
      expectFault(of(change('take', 1), use(1_200, true)), /a dial was granted 190 ms after it was taken, at A/);
      expectFault(of(change('take', 1), use(2_100, true), broken(500, 600)), /granted 1090 ms after/);
      expectFault(of(change('take', 1), use(1_200, true), broken(5_000, 6_000)), /granted 190 ms after/);
      const refusedGive = change('give', 2, { outcome: 'failed' });
      expectFault(of(change('take', 1), refusedGive, use(5_000, true)), /granted 3990 ms after/);
      expect(longestAfterTake([change('take', 1), use(1_200, true), use(1_500, false)])).to.equal(190);
    });

    it('finds access that is refused although it was given long before', () => {
      const late = 1_010 + BOUNDS.givenMs + 1;
      expectFault(of(change('give', 1), use(late, false)), /a dial was refused 6001 ms after it was given/);
      expect(of(change('give', 1), use(late - 10, false), change('take', 20))).to.deep.equal([]);
    });
  });

  describe('of events', () => {
    const audit = [1, 2, 3].map((seq) => audited(seq, seq === 1 ? undefined : `v${seq - 1}`, `v${seq}`));
    const got = (reader: string, ...ids: readonly number[]) => ids.map((id) => event(reader, id));
    const of = (...entries: readonly Entry[]) => judge([HEAD, ...audit, ...entries]).events;
    const all = got('r0', 1, 2, 3);

    it('is content with all, in one order, and with deliveries that come again', () => {
      expect(of(...all, ...got('r1', 1, 2, 3), ...got(WEBHOOK, 1, 2, 2, 1, 3))).to.deep.equal([]);
      const refusal = event('r0', 2, { event: 'login.failed' });
      expect(of(...got('r0', 1, 3), refusal), 'a login that was refused meanwhile').to.deep.equal([]);
      expect(of(...all, ...got('r1', 1, 2, 3, 4)), 'later than the record').to.deep.equal([]);
    });

    it('finds what is lost, doubled, out of order or of no record', () => {
      expectFault(of(...all, ...got('r1', 1, 3)), /r1 lost an event: audit record 2/);
      expectFault(of(...all, ...got('r1', 1, 2, 2, 3)), /r1 got the event t\.1\.2 twice/);
      expectFault(of(...all, ...got('r1', 1, 3, 2)), /r1 got the event t\.1\.2 in another order than others/);
      expectFault(of(...got('r0', 1, 3, 2)), /r0 got the event t\.1\.2 before an earlier one/);
      expectFault(of(...all, ...got('r1', 0, 1, 2, 3)), /of which the audit has nothing/);
      expectFault(
        of({ kind: 'notice', reader: 'r0', time: 0, event: 'reset', reason: 'gone' }, ...all),
        /r0 could not go on: gone/,
      );
    });

    it('finds what a webhook lost, or got too early', () => {
      expectFault(of(...all, ...got(WEBHOOK, 1, 3)), /the webhook lost the event t\.1\.2/);
      expectFault(of(...all, ...got(WEBHOOK, 1, 3, 2)), /t\.1\.2 after one that follows it/);
      expectFault(of(...all, ...got(WEBHOOK, 1, 2, 3, 0)), /which no stream had/);
    });
  });

  it('explains refusals and cuts, and no other answer', () => {
    const answered = (answer: string) => judge([read(1, 'a', 1, { outcome: 'unknown', answer })]).answers;
    for (const answer of ['200', '503 UNAVAILABLE', 'cut ECONNRESET', 'late', 'refused'])
      expect(answered(answer)).to.deep.equal([]);
    expect(answered('500 UNHANDLED')).to.deep.equal(['1 x read was answered 500 UNHANDLED']);
    expect(answered('undeclared: x')).to.have.length(1);
  });
});
