/** Why the database fails a request: each cause by its own name and text, and one log line for each change of state. */
import { expect } from 'chai';
import { DatabaseError } from 'pg';
import { translate } from '../../db/postgres/errors.js';
import { DatabaseUnavailable, OUTAGES, outageOf, reasonOf } from '../../db/postgres/outages.js';
import type { Outage } from '../../db/postgres/outages.js';
import { ReadOnlyServer } from '../../db/postgres/connection.js';
import { DomainError } from '../../domain/errors.js';
import { OutageLog } from '../../server/base/outage-log.js';
import { until } from '../support/poll.js';

const sql = (code: string, message = 'user "s3cret" and more'): DatabaseError =>
  Object.assign(new DatabaseError(message, 0, 'error'), { code });
const system = (code: string): Error => Object.assign(new Error(`connect ${code} s3cret`), { code });

const CASES: readonly (readonly [string, unknown, Outage])[] = [
  ['connection refused', system('ECONNREFUSED'), 'unreachable'],
  ['unknown host', system('ENOTFOUND'), 'unreachable'],
  ['connection failure', sql('08006'), 'unreachable'],
  ['terminated', new Error('Connection terminated unexpectedly'), 'unreachable'],
  ['no answer', new Error('timeout expired'), 'frozen'],
  ['no answer to a statement', new Error('Query read timeout'), 'frozen'],
  ['cut by the watchdog', new Error('Connection terminated: the database does not answer'), 'frozen'],
  ['no free connection', new Error('timeout exceeded when trying to connect'), 'busy'],
  ['shutdown', sql('57P01'), 'shuttingDown'],
  ['start', sql('57P03'), 'startingUp'],
  ['read-only', sql('25006'), 'readOnly'],
  ['standby', new ReadOnlyServer(), 'readOnly'],
  ['disk full', sql('53100'), 'diskFull'],
  ['out of memory', sql('53200'), 'outOfMemory'],
  ['limit', sql('53300'), 'connectionLimit'],
  ['input or output error', sql('58030'), 'faulty'],
  ['lock timeout', sql('55P03'), 'locked'],
  ['deadlock', sql('40P01'), 'conflict'],
  ['wrong password', sql('28P01'), 'loginRefused'],
  ['no such database', sql('3D000'), 'loginRefused'],
  ['closed to connections', Object.assign(sql('55000'), { severity: 'FATAL' }), 'loginRefused'],
  ['certificate', system('SELF_SIGNED_CERT_IN_CHAIN'), 'tlsRefused'],
  ['no TLS', new Error('The server does not support SSL connections'), 'tlsRefused'],
  ['open files', system('EMFILE'), 'noFiles'],
  ['several, one for good', new AggregateError([system('ECONNREFUSED'), sql('28P01')]), 'loginRefused'],
  ['several, one a standby', new AggregateError([system('ECONNREFUSED'), new ReadOnlyServer()]), 'readOnly'],
];

interface Line {
  readonly level: string;
  readonly outage: unknown;
  readonly failed: unknown;
  readonly text: string;
}

function recorder() {
  const lines: Line[] = [];
  const at = (level: string) => (facts: string | { outage?: unknown; failed?: unknown }, text?: string) => {
    lines.push(
      typeof facts === 'string'
        ? { level, outage: undefined, failed: undefined, text: facts }
        : { level, outage: facts.outage, failed: facts.failed, text: text ?? '' },
    );
    expect(JSON.stringify([facts, text])).not.to.include('s3cret');
  };
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } };
}

describe('an outage of the database', () => {
  for (const [what, error, outage] of CASES) {
    it(`by ${what} is ${outage}, said without names of the URL`, () => {
      expect(outageOf(error)).to.equal(outage);
      const translated = translate(error);
      expect(translated).to.be.instanceOf(DatabaseUnavailable);
      expect((translated as DatabaseUnavailable).causeMessage).to.equal(`${OUTAGES[outage].caller}; try again shortly`);
      expect(reasonOf(error)).not.to.include('s3cret');
    });
  }

  it('is not what a refused statement or a failure of ours is', () => {
    for (const error of [
      sql('42P01'),
      sql('23505'),
      new Error('wrong'),
      new DomainError('notFound'),
      new TypeError('x'),
      undefined,
    ]) {
      expect(outageOf(error)).to.equal(undefined);
      expect(translate(error)).to.equal(error);
    }
  });

  const lasting = { repeatMs: 600_000, quietMs: 600_000, tickMs: 5 };

  it('is reported once however many requests meet it: error when a person must act, warn when it mends itself', () => {
    const { lines, log } = recorder();
    const outages = new OutageLog(log, {}, lasting);
    for (let count = 0; count < 1000; count += 1) {
      outages.seen(translate(sql('53100', 'could not extend file')));
      outages.seen(translate(sql('25006')));
      outages.seen(new DomainError('unavailable'));
      outages.seen(new Error('ours'));
    }
    outages.close();
    expect(lines.map(({ level, outage, failed }) => [level, outage, failed])).to.deep.equal([
      ['error', 'diskFull', 1],
      ['warn', 'readOnly', 1],
    ]);
    expect(lines[0]?.text).to.match(/disk of the database is full.*Free space/);
  });

  it('is reported again with a count, and at its end', async () => {
    const { lines, log } = recorder();
    const outages = new OutageLog(log, {}, { repeatMs: 30, quietMs: 200, tickMs: 5 });
    for (let count = 0; count < 7; count += 1) outages.seen(translate(sql('53100', 'could not extend file')));
    await until('it is over', () => lines.some(({ level }) => level === 'info'));
    outages.close();
    const failed = lines.map((line) => line.failed as number);
    expect(failed.reduce((sum, count) => sum + count, 0)).to.equal(7);
    expect(lines.at(-1)?.text).to.equal('over: the disk of the database is full');
    expect(lines.length).to.be.greaterThan(2);
  });

  it('that the watchdog found lasts until the database answers, though no request meets it', async () => {
    const { lines, log } = recorder();
    const outages = new OutageLog(log, {}, { repeatMs: 30, quietMs: 1, tickMs: 5 });
    outages.lost(system('ECONNREFUSED'));
    await until('it is repeated', () => lines.length >= 3);
    expect(lines.every(({ level, outage }) => level === 'warn' && outage === 'unreachable')).to.equal(true);
    outages.recovered();
    expect(lines.slice(-2).map(({ level, text }) => [level, text])).to.deep.equal([
      ['info', 'over: the database cannot be reached'],
      ['info', 'the database answers again'],
    ]);
    outages.close();
  });
});
