/** The sign of life of a controller, which readiness relies on. */
import { expect } from 'chai';
import { DatabaseUnavailable } from '../../db/postgres/outages.js';
import { startHeartbeat } from '../../server/changes/heartbeat.js';
import { until } from '../support/poll.js';

describe('the sign of life of a controller', () => {
  it('comes again soon after one that failed, so that a database that is back makes the controller ready', async () => {
    let [beats, isBack] = [0, false];
    const heartbeat = startHeartbeat(
      async () => {
        beats += 1;
        if (!isBack) throw new DatabaseUnavailable('unreachable', undefined);
      },
      { everyMs: 1_000, againMs: 10 },
    );
    try {
      await until('it fails again and again', () => beats > 30);
      expect(heartbeat.outage()).to.equal('unreachable');
      isBack = true;
      await until('it is well', () => heartbeat.outage() === undefined);
    } finally {
      heartbeat.stop();
    }
  });
});
