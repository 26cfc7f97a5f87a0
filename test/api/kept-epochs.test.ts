/**
 * Answers that are kept while an epoch in memory stays the same: never behind a change of the same controller, behind
 * others by no more than an announcement takes, right while none is heard, and free of statements while nothing
 * changes.
 */
import { expect } from 'chai';
import { FEED_NAME } from '../../server/changes/change-feed.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { TestDatabase } from '../support/database.js';
import { HEARD_MS, until } from '../support/poll.js';
import { recordStatements } from '../support/statements.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { amount } from '../support/unless.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

/** For what was never announced. */
const UNHEARD_MS = 15_000;

const ROUNDS = amount(30, 300);
const POLLS = amount(60, 200);

/** Statements of timers: activity, heartbeat, the sweep of sessions, identities that other processes know, sums. */
const BACKGROUND = /last_activity_at|last_seen_at|granted_epoch|connected_identities|audit_sums/;

const isDeaf = (line: Record<string, unknown>) => /cannot be heard/.test(String(line['msg']));
const isHearing = (line: Record<string, unknown>) => /are heard again/.test(String(line['msg']));

interface Subject {
  readonly identity: string;
  readonly service: string;
  readonly policy: string;
  /** The same session on each controller. */
  readonly onOne: Client;
  readonly onTwo: Client;
}

describe('answers kept by an epoch in memory', function keptEpochs() {
  this.timeout(600_000);
  let pair: Pair;
  let database: TestDatabase;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;

  before(async () => {
    pair = await startPair();
    ({ database, one, two, admin } = pair);
  });
  after(() => pair.stop());

  const post = async (path: string, body: object) =>
    (expectStatus(await admin.post(`${M}/${path}`, body), 201).data as { id: string }).id;
  const patch = async (path: string, body: object) => expectStatus(await admin.patch(`${M}/${path}`, body), 200);

  /** An identity that may dial one service by its role attribute. */
  const newSubject = async (): Promise<Subject> => {
    const name = unique('kept');
    const { id: identity } = await makeUser(admin, name, { roleAttributes: [name] });
    const service = await post('services', { name, encryptionRequired: false });
    const policy = await post('service-policies', {
      name,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`#${name}`],
      serviceRoles: [`@${service}`],
    });
    const onOne = await one.login(name, PASSWORD);
    return { identity, service, policy, onOne, onTwo: two.client(onOne.token) };
  };
  const namesOf = async (client: Client) =>
    (expectStatus(await client.get(`${C}/services`), 200).data as { name: string }[]).map(({ name }) => name);
  const isReached = async (client: Client, { service }: Subject) =>
    (await client.get(`${C}/services/${service}`)).status === 200;
  const lastChange = async (client: Client) =>
    (expectStatus(await client.get(`${C}/current-api-session/service-updates`), 200).data as { lastChangeAt: string })
      .lastChangeAt;
  const poll = async (client: Client, subject: Subject) => {
    await namesOf(client);
    await isReached(client, subject);
    return lastChange(client);
  };

  it('follow each change that another controller makes', async () => {
    const subject = await newSubject();
    const { identity, service, policy, onTwo } = subject;
    const [attribute = ''] = (
      expectStatus(await admin.get(`${M}/identities/${identity}`), 200).data as { roleAttributes: string[] }
    ).roleAttributes;
    const changes: readonly (readonly [
      what: string,
      change: () => Promise<unknown>,
      isSeen: () => Promise<boolean>,
    ])[] = [
      [
        'a policy names others',
        () => patch(`service-policies/${policy}`, { identityRoles: ['#others'] }),
        async () => (await namesOf(onTwo)).length === 0 && !(await isReached(onTwo, subject)),
      ],
      [
        'a policy names it again',
        () => patch(`service-policies/${policy}`, { identityRoles: [`#${attribute}`] }),
        async () => (await namesOf(onTwo)).length === 1 && isReached(onTwo, subject),
      ],
      [
        'it loses its role attributes',
        () => patch(`identities/${identity}`, { roleAttributes: [] }),
        async () => (await namesOf(onTwo)).length === 0 && !(await isReached(onTwo, subject)),
      ],
      [
        'it gets them back',
        () => patch(`identities/${identity}`, { roleAttributes: [attribute] }),
        async () => (await namesOf(onTwo)).length === 1 && isReached(onTwo, subject),
      ],
      [
        'the service is renamed',
        () => patch(`services/${service}`, { name: `${attribute}-renamed` }),
        async () => (await namesOf(onTwo))[0] === `${attribute}-renamed`,
      ],
      [
        'the service gets its name back',
        () => patch(`services/${service}`, { name: attribute }),
        async () => (await namesOf(onTwo))[0] === attribute,
      ],
    ];
    const took: number[] = [];
    for (let round = 0; round < amount(1, 4); round += 1) {
      for (const [what, change, isSeen] of changes) {
        const before = await poll(onTwo, subject);
        await change();
        const answered = performance.now();
        await until(`${what}: in the services`, isSeen, HEARD_MS);
        took.push(performance.now() - answered);
        await until(`${what}: in service-updates`, async () => (await lastChange(onTwo)) > before, HEARD_MS);
      }
    }
    took.sort((a, b) => a - b);
    const [half = 0, most = 0] = [took[took.length >> 1], took.at(-1)];
    console.log(`      seen on the other controller after ${half.toFixed(1)} ms, ${most.toFixed(1)} at most`);
  });

  it(`are never behind a change of the same controller, in ${ROUNDS} rounds against 4 writers, 2 readers`, async () => {
    const subject = await newSubject();
    const { identity, service, policy, onOne } = subject;
    const other = await newSubject();
    const reader = one.client(onOne.token);
    const halt = { now: false };
    const repeat = async (work: (turn: number) => Promise<unknown>) => {
      for (let turn = 0; !halt.now; turn += 1) await work(turn);
    };
    const others = [
      repeat((turn) => patch(`services/${other.service}`, { tags: { turn } })),
      repeat((turn) => patch(`services/${other.service}`, { maxIdleTimeMillis: turn })),
      repeat((turn) => patch(`service-policies/${other.policy}`, { tags: { turn } })),
      repeat((turn) => patch(`identities/${other.identity}`, { roleAttributes: [`turn${turn % 2}`] })),
      // Their reads are under way whenever a change is committed.
      repeat(() => namesOf(reader)),
      repeat(() => lastChange(reader)),
    ];
    const stale: string[] = [];
    try {
      let before = await poll(onOne, subject);
      for (let round = 0; round < ROUNDS; round += 1) {
        // Taken away, given back, renamed.
        const name = unique('round');
        const isGranted = round % 3 !== 0;
        if (round % 3 === 2) await patch(`services/${service}`, { name });
        else await patch(`service-policies/${policy}`, { identityRoles: [isGranted ? `@${identity}` : '#others'] });
        const names = await namesOf(onOne);
        if (names.length !== (isGranted ? 1 : 0)) stale.push(`round ${round}: number of services`);
        if (round % 3 === 2 && names[0] !== name) stale.push(`round ${round}: name of the service`);
        if ((await isReached(onOne, subject)) !== isGranted) stale.push(`round ${round}: service by id`);
        const last = await lastChange(onOne);
        if (last <= before) stale.push(`round ${round}: service-updates`);
        before = last;
      }
    } finally {
      halt.now = true;
      await Promise.all(others);
    }
    expect(stale).to.deep.equal([]);
  });

  it('are right at once while changes cannot be heard', async () => {
    const subject = await newSubject();
    const { service, onTwo } = subject;
    let rounds = 0;
    await until(
      'a round without hearing',
      async () => {
        const before = await poll(onTwo, subject);
        two.log.length = 0;
        await database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = $1`,
          [FEED_NAME],
        );
        await until('it is deaf', () => two.log.some(isDeaf));
        await poll(onTwo, subject);
        const name = unique('unheard');
        await database.query('UPDATE services SET name = $2 WHERE id = $1', [service, name]);
        const names = await namesOf(onTwo);
        const last = await lastChange(onTwo);
        await until('it hears again', () => two.log.some(isHearing));
        expect(names).to.deep.equal([name]);
        expect(last > before, `${last} is later than ${before}`).to.equal(true);
        return (rounds += 1) === amount(1, 5);
      },
      60_000,
    );
  });

  it('are right soon when the connection that hears is dead and nothing shows it', async () => {
    const subject = await newSubject();
    const { policy, onTwo } = subject;
    expect(await isReached(onTwo, subject)).to.equal(true);
    await withFeedsStopped(async () => {
      await patch(`service-policies/${policy}`, { identityRoles: ['#others'] });
      await until(
        'the right is gone',
        async () => !(await isReached(onTwo, subject)) && (await namesOf(onTwo)).length === 0,
        UNHEARD_MS,
      );
    });
  });

  it('are never behind a change of the same controller, also when its announcement does not come', async () => {
    const subject = await newSubject();
    const { service, onOne } = subject;
    let before = await poll(onOne, subject);
    let rounds = 0;
    await withFeedsStopped(async () => {
      await until('it is deaf', async () => {
        const name = unique('own');
        await patch(`services/${service}`, { name });
        expect(await namesOf(onOne), `round ${rounds}`).to.deep.equal([name]);
        const last = await lastChange(onOne);
        expect(last > before, `round ${rounds}: ${last} is later than ${before}`).to.equal(true);
        before = last;
        rounds += 1;
        return one.log.some(isDeaf);
      });
    });
    expect(rounds).to.be.greaterThan(1);
  });

  /** The connections stay up and say nothing more. */
  const withFeedsStopped = async (work: () => Promise<void>) => {
    const feeds = await until('both feeds', async () => {
      const { rows } = await database.query(
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
        [FEED_NAME],
      );
      return rows.length === 2 && rows.map(({ pid }) => Number(pid));
    });
    for (const { log } of [one, two]) log.length = 0;
    feeds.forEach((pid) => process.kill(pid, 'SIGSTOP'));
    try {
      await work();
      await until('both are deaf', () => [one, two].every(({ log }) => log.some(isDeaf)));
    } finally {
      feeds.forEach((pid) => process.kill(pid, 'SIGCONT'));
    }
    await until('both hear again', () => [one, two].every(({ log }) => log.some(isHearing)));
  };

  it('are right soon when a change is announced to no controller', async () => {
    const subject = await newSubject();
    const { service, onTwo } = subject;
    const before = await poll(onTwo, subject);
    const name = unique('unheard');
    await database.query('SET session_replication_role = replica');
    await database.query('UPDATE services SET name = $2 WHERE id = $1', [service, name]);
    await database.query(
      "UPDATE model_epochs SET epoch = epoch + 1, content = content + 1, moved_at = now() WHERE name = 'access'",
    );
    await database.query('SET session_replication_role = origin');
    await until('the name is new', async () => (await namesOf(onTwo))[0] === name, UNHEARD_MS);
    expect((await lastChange(onTwo)) > before).to.equal(true);
  });

  it('cost no statement while nothing changes', async () => {
    const subject = await newSubject();
    const { policy, onOne } = subject;
    await poll(onOne, subject);
    const sent = recordStatements(/model_epochs|service_views|service_policies|services|identities/);
    try {
      const begin = performance.now();
      for (let round = 0; round < POLLS; round += 1) await poll(onOne, subject);
      // The epoch is read again every five seconds, once for all.
      const epochs = Math.ceil((performance.now() - begin) / 5_000);
      const texts = sent.texts.filter((text) => !BACKGROUND.test(text));
      expect(texts, texts.join('\n')).to.have.length.at.most(epochs);
      expect(epochs).to.be.lessThan(50);
      sent.texts.length = 0;
      await patch(`service-policies/${policy}`, { identityRoles: ['#others'] });
      await poll(onOne, subject);
      expect(sent.texts.filter((text) => text.includes('model_epochs'))).to.have.length.greaterThan(0);
    } finally {
      sent.stop();
    }
  });
});
