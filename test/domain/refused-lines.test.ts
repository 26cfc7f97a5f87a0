/** Lines of refused requests of strangers: a burst is told one by one, a flood in sums that are right. */
import { expect } from 'chai';
import { pino } from 'pino';
import { LINES_A_SECOND, LINES_AT_ONCE, RefusedLines } from '../../server/http/refused-lines.js';

interface Line {
  readonly msg: string;
  readonly refused?: number;
  readonly network?: string;
  readonly ofNetwork?: number;
}

describe('the lines of refused requests', () => {
  let nowMs: number;
  let lines: Line[];
  let refused: RefusedLines;
  let own: number;
  beforeEach(() => {
    [nowMs, own, lines] = [1_000, 0, []];
    const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as Line) });
    refused = new RefusedLines({ log, nowMs: () => nowMs });
  });
  const refuse = (count: number, address = '203.0.113.7') => {
    for (let n = 0; n < count; n += 1) if (refused.admits(address)) own += 1;
  };

  it('are written one by one for a burst', () => {
    refuse(LINES_AT_ONCE);
    refused.tell();
    expect([own, lines]).to.deep.equal([LINES_AT_ONCE, []]);
  });

  it('are few for 5,000 refusals at any rate, and the sum is right', () => {
    for (const aSecond of [50, 100, 300, 1_000, 5_000]) {
      [own, lines.length] = [0, 0];
      for (let sent = 0; sent < 5_000; sent += aSecond) {
        refuse(Math.min(aSecond, 5_000 - sent));
        nowMs += 1_000;
        refused.tell();
      }
      const sum = lines.reduce((total, line) => total + (line.refused ?? 0), own);
      expect([aSecond, sum]).to.deep.equal([aSecond, 5_000]);
      expect(own + lines.length, `${aSecond} a second`).to.be.below(1_300);
      if (aSecond >= 100) expect(own + lines.length, `${aSecond} a second`).to.be.below(1_000);
      nowMs += 3_600_000;
    }
  });

  it('are few for a flood that goes on', () => {
    for (let second = 0; second < 600; second += 1) {
      refuse(1_000);
      nowMs += 1_000;
      refused.tell();
    }
    expect(own).to.be.at.most(LINES_AT_ONCE + 600 * LINES_A_SECOND);
    expect(lines).to.have.lengthOf(600);
  });

  it('name the network that most came from', () => {
    refuse(LINES_AT_ONCE);
    refuse(3, '2001:db8:0:1::1');
    refuse(4, '2001:db8:0:1::2');
    refuse(5, '203.0.113.7');
    refused.tell();
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.include({ msg: 'requests refused', refused: 12, network: '2001:db8:0:1', ofNetwork: 7 });
  });

  it('hold no more than so many networks, and count all', () => {
    refuse(LINES_AT_ONCE);
    for (let n = 0; n < 3_000; n += 1) refuse(1, `10.0.${n >> 8}.${n & 255}`);
    refused.tell();
    expect(lines[0]).to.include({ refused: 3_000, ofNetwork: 1 });
  });
});
