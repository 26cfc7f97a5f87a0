/** Turns of logins: in order, one network after the other, and held up neither by slow ones nor by clients that go. */
import { expect } from 'chai';
import type { Exchange } from '../../server/http/exchange.js';
import { LoginTurns } from '../../server/sessions/login-turns.js';
import { StopSource } from '../../domain/scheduling/stop-signal.js';
import { until } from '../support/poll.js';

const UNDER_WAY = 16;

describe('turns of logins', () => {
  const exchangeFrom = (remoteAddress: string, signal = new StopSource()) =>
    ({ request: { socket: { remoteAddress } }, reader: { signal }, since: 1 }) as unknown as Exchange;
  const address = (index: number) => `192.0.2.${index}`;

  it('go to networks in turn, and to those of one in order', async () => {
    const turns = new LoginTurns();
    const served: string[] = [];
    const login = (from: string, name: string) =>
      turns.run(exchangeFrom(from), async () => {
        served.push(name);
        await Promise.resolve();
      });
    const crowd = Array.from({ length: 100 }, (_, index) => login(address(1), `crowd ${index}`));
    await Promise.all([...crowd, login(address(2), 'one')]);
    expect(served).to.have.length(101);
    expect(served.indexOf('one')).to.be.below(UNDER_WAY);
    const crowded = served.filter((name) => name !== 'one');
    expect(crowded).to.deep.equal(crowd.map((_, index) => `crowd ${index}`));
  });

  it('are half of all at most for one network', async () => {
    const turns = new LoginTurns();
    const running: string[] = [];
    const never = new Promise<void>(() => undefined);
    for (let index = 0; index < 20; index += 1)
      void turns.run(exchangeFrom(address(1)), async () => {
        running.push('crowd');
        await never;
      });
    await turns.run(exchangeFrom(address(2)), () => Promise.resolve());
    expect(running.length).to.equal(UNDER_WAY / 2);
    expect(turns.load.waiting).to.equal(20 - UNDER_WAY / 2);
  });

  it('pass to the next when a login takes long', async () => {
    const turns = new LoginTurns();
    const never = new Promise<void>(() => undefined);
    for (let index = 0; index < 3 * UNDER_WAY; index += 1) void turns.run(exchangeFrom(address(index)), () => never);
    await turns.run(exchangeFrom(address(200)), () => Promise.resolve());
    expect(turns.load.waiting).to.equal(0);
  });

  it('are left by a client that goes, whose work is never begun', async () => {
    const turns = new LoginTurns();
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const first = Array.from({ length: UNDER_WAY }, (_, index) => turns.run(exchangeFrom(address(index)), () => held));
    const gone = new StopSource();
    let isBegun = false;
    const left = turns.run(exchangeFrom(address(200), gone), () => {
      isBegun = true;
      return Promise.resolve();
    });
    gone.stop();
    const kind = await left.then(
      () => 'served',
      (error: unknown) => (error as { kind: string }).kind,
    );
    expect(kind).to.equal('timeout');
    end();
    await Promise.all(first);
    expect([isBegun, turns.load]).to.deep.equal([false, { running: 0, waiting: 0 }]);
  });

  it('do not count the wait as work', async () => {
    const turns = new LoginTurns();
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const first = Array.from({ length: UNDER_WAY }, (_, index) => turns.run(exchangeFrom(address(index)), () => held));
    const exchange = exchangeFrom(address(200));
    const beganAt = performance.now();
    const waiting = turns.run(exchange, () => Promise.resolve());
    expect(exchange.since).to.equal(Infinity);
    end();
    await Promise.all([...first, waiting]);
    expect(exchange.since).to.be.within(beganAt, performance.now());
  });

  it('are given back by what fails, once', async () => {
    const turns = new LoginTurns();
    const fault = new Error('no');
    for (let index = 0; index < 40; index += 1)
      await turns
        .run(exchangeFrom(address(1)), () => Promise.reject(fault))
        .catch((error: unknown) => {
          expect(error).to.equal(fault);
        });
    await until('all turns are free', () => turns.load.running === 0);
    expect(turns.load).to.deep.equal({ running: 0, waiting: 0 });
  });
});
