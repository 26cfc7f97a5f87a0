/** How much of the event loop one router may have, and how often it may come. */
import { expect } from 'chai';
import { RouterShares, SHARE_LIMITS } from '../../fabric/channel/router-shares.js';

/** A router of release 2.1 looks for another controller after 30 s; what keeps it out ends before. */
const PATIENCE_MS = 25_000;

describe('the share of a router', () => {
  let now = 1_000_000;
  const pass = (ms: number) => {
    now += ms;
  };
  const made = () => new RouterShares(SHARE_LIMITS, () => now);

  it('lets a router go on that needs two seconds of a minute, for hours', () => {
    const shares = made();
    for (let minute = 0; minute < 120; minute += 1)
      for (let part = 0; part < 20; part += 1) {
        expect(shares.charge('r1', 99, 'own')).to.equal(true);
        pass(3_000);
      }
    expect(shares.restOf('r1')).to.equal(0);
  });

  it('ends one that needs more, and lets it in again before it gives up', () => {
    const shares = made();
    let parts = 0;
    while (shares.charge('r1', 100, 'own')) parts += 1;
    expect(parts).to.equal(20);
    expect(shares.restOf('r1')).to.equal(SHARE_LIMITS.restMs).and.to.be.below(PATIENCE_MS);
    expect(shares.restOf('r2')).to.equal(0);
    pass(SHARE_LIMITS.restMs);
    expect(shares.restOf('r1')).to.equal(0);
  });

  it('gives a router that goes on like that a thirtieth of the event loop', () => {
    const shares = made();
    let work = 0;
    const until = now + 3_600_000;
    while (now < until) {
      if (shares.restOf('r1') > 0) {
        pass(1_000);
        continue;
      }
      work += 50;
      shares.charge('r1', 50, 'own');
    }
    expect(work / 3_600_000).to.be.below(1 / 29);
  });

  it('counts what clients ask apart, and ten times as much of it', () => {
    const shares = made();
    let parts = 0;
    while (shares.charge('r1', 100, 'clients')) parts += 1;
    expect(parts).to.equal(200);
  });

  it('does not take a pause of the machine for the work of a router', () => {
    expect(made().charge('r1', 60_000, 'own')).to.equal(true);
  });

  it('lets a router come ten times a minute, and once in ten seconds when it goes on', () => {
    const shares = made();
    let came = 0;
    let longest = 0;
    let waited = 0;
    const until = now + 600_000;
    while (now < until) {
      const rest = shares.restOf('r1');
      if (rest === 0) {
        shares.came('r1');
        came += 1;
        waited = 0;
      }
      longest = Math.max(longest, (waited += 100));
      pass(100);
    }
    expect(longest).to.be.below(PATIENCE_MS);
    expect(came).to.be.within(50, 120);
    pass(60_000);
    for (let times = 0; times < 10; times += 1) {
      expect(shares.restOf('r1')).to.equal(0);
      shares.came('r1');
    }
  });
});
