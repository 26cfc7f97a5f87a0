/** When a controller is ready, and what its checks say: from facts that are given, as a table. */
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import type { Outage } from '../../db/postgres/outages.js';
import { createReadiness } from '../../server/api/readiness.js';

interface Facts {
  readonly outage?: Outage;
  readonly stopping?: Outage;
  readonly heartbeat?: Outage;
  readonly isDeaf?: boolean;
  readonly waiting?: number;
  readonly days?: number;
}

const readinessOf = ({ outage, stopping, heartbeat, isDeaf = false, waiting = 0, days = 300 }: Facts) =>
  createReadiness({
    database: { outage: () => outage, stats: () => ({ total: 1, idle: 1, waiting }) },
    outages: { stopping: () => stopping },
    heartbeat: () => heartbeat,
    isHearing: () => !isDeaf,
    certificateEnds: () => [{ name: 'server', notAfter: new Date(Date.now() + days * 86_400_000) }],
    clusterDir: tmpdir(),
  });

const CASES: readonly (readonly [
  what: string,
  facts: Facts,
  fault: RegExp | undefined,
  unhealthy: readonly string[],
])[] = [
  ['all is well', {}, undefined, []],
  ['the database is lost', { outage: 'unreachable' }, /cannot be reached/, ['database', 'writable']],
  ['the database only reads', { outage: 'readOnly' }, /read-only/, ['database', 'writable']],
  ['changes wait for a standby', { outage: 'unconfirmed' }, /standby/, ['writable']],
  ['its disk is full', { stopping: 'diskFull' }, /disk/, ['writable']],
  ['the last sign of life found no connection', { heartbeat: 'connectionLimit' }, /no connection left/, ['writable']],
  ['the last sign of life met a conflict', { heartbeat: 'conflict' }, undefined, []],
  ['the pool was busy for a sign of life', { heartbeat: 'busy' }, undefined, []],
  ['changes of others are not heard', { isDeaf: true }, undefined, ['feed']],
  ['requests wait for connections', { waiting: 3 }, undefined, ['pool']],
  ['a certificate was not renewed', { days: 3 }, undefined, ['certificates']],
];

describe('readiness', () => {
  for (const [what, facts, fault, unhealthy] of CASES) {
    it(`${fault === undefined ? 'is given' : 'is missing, with the reason,'} when ${what}`, () => {
      const readiness = readinessOf(facts);
      if (fault === undefined) expect(readiness.fault()).to.equal(undefined);
      else expect(readiness.fault()).to.match(fault);
      expect(
        readiness
          .checks()
          .filter(({ healthy }) => !healthy)
          .map(({ id }) => id),
      ).to.deep.equal(unhealthy);
      for (const { healthy, details } of readiness.checks()) expect(healthy).to.equal(details === undefined);
    });
  }
});
