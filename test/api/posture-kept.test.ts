/**
 * What controllers keep is never older than the posture that was answered: two controllers, two API sessions of one
 * identity, and changes in random order through either.
 */
import { expect } from 'chai';
import type { Client } from '../support/client.js';
import { expectStatus } from '../support/client.js';
import { CLIENT as C } from '../support/paths.js';
import { until } from '../support/poll.js';
import { randomly, seedOfRun } from '../support/random.js';
import { recordStatements } from '../support/statements.js';
import {
  isPassing,
  lastChange,
  opened,
  openSession,
  ownSessions,
  queriesOf,
  report,
  startPostureNetwork,
} from './posture-support.js';
import type { PostureNetwork } from './posture-support.js';

const ROUNDS = 25;
const PATIENCE_MS = 20_000;

interface Device {
  readonly clients: readonly [Client, Client];
  address: string;
  seen: string;
  changedAt: string;
}

describe('answers under posture', function kept() {
  this.timeout(120_000);
  let network: PostureNetwork;
  before(async () => {
    network = await startPostureNetwork();
  });
  after(() => network.stop());

  it('are those of the API session as it is, on each controller, and service updates move with them', async () => {
    const seed = seedOfRun();
    const pick = randomly(seed);
    const check = await network.check({ typeId: 'MAC', macAddresses: ['aa'] });
    const guard = await network.guard([check]);
    const second = await network.loginAs(guard.name);
    const { service } = guard;
    const devices = [guard, second].map(({ client, elsewhere }): Device => ({
      clients: [client, elsewhere],
      address: '',
      seen: '',
      changedAt: '',
    }));
    let listed = 'aa';
    let isAsked = true;
    const someAddress = () => ['aa', 'bb', 'cc'][pick(3)] ?? 'aa';
    const changes: (() => Promise<unknown>)[] = [
      async () => {
        listed = someAddress();
        await network.change(`posture-checks/${check}`, { typeId: 'MAC', macAddresses: [listed] });
      },
      async () => {
        isAsked = !isAsked;
        await network.change(`service-policies/${guard.policy}`, { postureCheckRoles: isAsked ? [`@${check}`] : [] });
      },
      ...devices.flatMap((device) =>
        device.clients.map((client) => async () => {
          device.address = someAddress();
          await report(client, { typeId: 'MAC', id: check, macAddresses: [device.address] });
        }),
      ),
    ];
    const told = (queries: object) => JSON.stringify(queries);
    for (let round = 0; round < ROUNDS; round += 1) {
      await changes[pick(changes.length)]?.();
      for (const device of devices) {
        const label = `seed ${seed}, round ${round}, device ${devices.indexOf(device)}`;
        const isGood = !isAsked || device.address === listed;
        const [here, there] = device.clients;
        for (const client of device.clients) {
          await until(
            `the truth is answered (${label})`,
            async () => {
              const [policy] = await queriesOf(client, service);
              return policy?.isPassing === isGood && policy.postureQueries.length === (isAsked ? 1 : 0);
            },
            PATIENCE_MS,
          );
          expect((await openSession(client, service)).status, label).to.equal(isGood ? 201 : 409);
          expect(await ownSessions(client), label).to.have.length.at.least(isGood ? 1 : 0);
        }
        // The check itself may have changed, which its other controller hears of a moment later.
        const seen = await until(
          `both controllers say the same (${label})`,
          async () => {
            const [one, two] = [told(await queriesOf(here, service)), told(await queriesOf(there, service))];
            return one === two && one;
          },
          PATIENCE_MS,
        );
        const changedAt = await lastChange(here);
        if (device.seen !== '' && seen === device.seen) expect(changedAt, label).to.equal(device.changedAt);
        else if (device.changedAt !== '') expect(changedAt > device.changedAt, label).to.equal(true);
        await until(
          `service updates are the same (${label})`,
          async () => (await lastChange(there)) === changedAt,
          PATIENCE_MS,
        );
        Object.assign(device, { seen, changedAt });
      }
    }
  });

  it('are given again without a statement, each to its API session', async () => {
    const check = await network.check({ typeId: 'MAC', macAddresses: ['aa'] });
    const { client, name, service } = await network.guard([check]);
    const other = await network.loginAs(name);
    await report(client, { typeId: 'MAC', id: check, macAddresses: ['aa'] });
    for (const [each, isGood] of [
      [client, true],
      [other.client, false],
    ] as const) {
      await isPassing(each, service);
      await lastChange(each);
      await until('an answer costs no statement', async () => {
        const recorded = recordStatements(/api_session_postures|service_policies|service_views|api_session_views/);
        try {
          expect(await isPassing(each, service)).to.equal(isGood);
          await lastChange(each);
        } finally {
          recorded.stop();
        }
        return recorded.texts.length === 0;
      });
    }
  });

  it('cost nothing of posture while no policy asks for it', async () => {
    const { client, service } = await network.guard([]);
    const recorded = recordStatements(/api_session_postures|api_session_views|posture_revision = |FOR NO KEY UPDATE/);
    try {
      expect(await queriesOf(client, service)).to.have.length(1);
      expectStatus(await client.get(`${C}/services`), 200);
      await lastChange(client);
      const session = await opened(client, service);
      expectStatus(await client.get(`${C}/sessions/${session}`), 200);
      expect(await ownSessions(client)).to.deep.equal([session]);
      expectStatus(await client.delete(`${C}/sessions/${session}`), 200);
    } finally {
      recorded.stop();
    }
    expect(recorded.texts).to.deep.equal([]);
  });
});
