/** What a router makes the controller write and do again and again: lines of the log, whole states. */
import { expect } from 'chai';
import { pino } from 'pino';
import { RouterLog } from '../../fabric/channel/router-log.js';
import { Spacing } from '../../fabric/channel/spacing.js';
import { until } from '../support/poll.js';

describe('the log of the control channel', () => {
  const written = () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
    let now = 0;
    const noteFailure = (error: unknown, facts: object, message: string) => {
      log.warn({ ...facts, failure: (error as Error).message }, message);
    };
    const made = new RouterLog({ log, noteFailure }, () => now);
    return {
      log: made.log,
      noteFailure: made.noteFailure,
      close: () => {
        made.close();
      },
      lines,
      pass: (ms: number) => {
        now += ms;
        made.writeDue();
      },
    };
  };

  it('has one line a minute of each kind for each router, and says how many were left out', () => {
    const { log, lines, pass, close } = written();
    for (let times = 0; times < 1_000; times += 1)
      for (const routerId of ['r1', 'r2']) {
        log.info({ routerId, times }, 'it asks again');
        log.warn({ routerId, times }, 'it advertises');
      }
    expect(lines).to.have.length(4);
    pass(59_000);
    expect(lines).to.have.length(4);
    pass(1_000);
    // The last of them, so that what the log says last is true.
    expect(lines.slice(4).map(({ routerId, times, repeated }) => [routerId, times, repeated])).to.deep.equal([
      ['r1', 999, 999],
      ['r1', 999, 999],
      ['r2', 999, 999],
      ['r2', 999, 999],
    ]);
    pass(60_000);
    log.info({ routerId: 'r1' }, 'it asks again');
    expect(lines.at(-1)).to.not.have.property('repeated');
    expect(lines).to.have.length(9);
    close();
  });

  it('bounds failures the same way, and keeps none back at the end', () => {
    const { noteFailure, lines, close } = written();
    for (let times = 0; times < 100; times += 1)
      noteFailure(new Error(`failure ${times}`), { routerId: 'r1' }, 'it could not be done');
    expect(lines.map(({ failure }) => failure)).to.deep.equal(['failure 0']);
    close();
    expect(lines.map(({ failure }) => failure)).to.deep.equal(['failure 0', 'failure 99']);
  });

  it('has more lines of a kind that says more', () => {
    const { log, lines, close } = written();
    for (let times = 0; times < 9; times += 1) log.info({ routerId: 'r1', times }, 'it is connected', 5);
    expect(lines.map(({ times }) => times)).to.deep.equal([0, 1, 2, 3, 4]);
    close();
    expect(lines.at(-1)).to.include({ times: 8, repeated: 4 });
  });
});

describe('what routers ask for too often', () => {
  it('is done at once, then once more as it was asked for last', async () => {
    const done: string[] = [];
    let now = 0;
    const spacing = new Spacing(50, () => now);
    const channel = { isClosed: false };
    for (const name of ['first', 'second', 'third']) spacing.run(channel, () => done.push(name));
    spacing.run({ isClosed: false }, () => done.push('of another'));
    expect(done).to.deep.equal(['first', 'of another']);
    await until('the last', () => done.length > 2);
    expect(done).to.deep.equal(['first', 'of another', 'third']);
    now += 50;
    spacing.run(channel, () => done.push('later'));
    expect(done.at(-1)).to.equal('later');
  });

  it('is not done for a channel that has ended', async () => {
    const done: string[] = [];
    const spacing = new Spacing(20);
    const channel = { isClosed: false };
    for (const name of ['first', 'second']) spacing.run(channel, () => done.push(name));
    channel.isClosed = true;
    spacing.run({ isClosed: false }, () => done.push('of another'));
    const other = { isClosed: false };
    for (const name of ['its first', 'its last']) spacing.run(other, () => done.push(name));
    await until('a later one is done', () => done.includes('its last'));
    expect(done).to.deep.equal(['first', 'of another', 'its first', 'its last']);
  });
});
