/** Processor time as the bench counts it: of a process, for each request. */
import { expect } from 'chai';
import { cpuEach, cpuTime } from '../../lab/bench/cpu.js';

describe('the processor time of a controller', () => {
  it('grows with the work of its main thread', () => {
    const before = cpuTime(process.pid);
    for (const end = process.cpuUsage().user + 100_000; process.cpuUsage().user < end;);
    const spent = cpuEach(before, cpuTime(process.pid), 2);
    expect(spent?.main).to.be.within(25, 1000);
    expect(spent?.all).to.be.at.least(spent?.main ?? NaN);
  });

  it('is unknown of a process that is not there, and for no request', () => {
    const now = cpuTime(process.pid);
    expect(cpuTime(0)).to.equal(undefined);
    expect(cpuEach(undefined, now, 1)).to.equal(undefined);
    expect(cpuEach(now, now, 0)).to.equal(undefined);
  });
});
