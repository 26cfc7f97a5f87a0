/** Turns of handshakes: in order, and a few in each turn of the event loop. */
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { HandshakeTurns } from '../../server/sockets/handshake-turns.js';

const socket = (destroyed = false) => ({ destroyed }) as Socket;

describe('turns of handshakes', () => {
  const started: number[] = [];
  const begin = (turns: HandshakeTurns, count: number, isGone: (index: number) => boolean = () => false) => {
    started.length = 0;
    for (let index = 1; index <= count; index += 1) turns.add(socket(isGone(index)), () => started.push(index));
  };
  const until = async (count: number) => {
    for (let turns = 0; turns < 1_000 && started.length < count; turns += 1) await turn();
    expect(started).to.have.length(count);
  };

  it('begin at once where nothing waits', async () => {
    const turns = new HandshakeTurns();
    begin(turns, 1);
    expect(started).to.deep.equal([1]);
    await turn();
    await turn();
    begin(turns, 1);
    expect(started).to.deep.equal([1]);
  });

  it('begin in the order of arrival, but for one in four that is the newest', async () => {
    begin(new HandshakeTurns(), 100);
    await until(100);
    const newest = started.filter((_, at) => (at + 1) % 4 === 0);
    const others = started.filter((_, at) => (at + 1) % 4 !== 0);
    expect(newest.slice(0, 3)).to.deep.equal([100, 99, 98]);
    expect(others).to.deep.equal([...others].sort((a, b) => a - b));
    expect(new Set(started)).to.have.property('size', 100);
  });

  it('leave the event loop to others after every 32', async () => {
    begin(new HandshakeTurns(), 200);
    const seen = [started.length];
    while (started.length < 200) {
      await turn();
      seen.push(started.length);
    }
    const most = Math.max(...seen.slice(1).map((count, at) => count - (seen[at] ?? 0)));
    expect(most).to.be.at.most(32);
  });

  it('pass over connections that have closed', async () => {
    begin(new HandshakeTurns(), 50, (index) => index % 2 === 0);
    await until(25);
    expect(started.every((number) => number % 2 === 1)).to.equal(true);
  });
});
