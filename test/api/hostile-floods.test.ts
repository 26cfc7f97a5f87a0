/**
 * Two hundred at once of what costs most to refuse: others are answered meanwhile, and a refused caller learns when to
 * try again.
 */
import { expect } from 'chai';
import { entityOf, itemsOf } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { createCertificateClient, makeCa, makeLeaf, makeRequest, shownBy } from '../support/certificates.js';
import { enrollByRequest, newVerifiedCa } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { EDGE_DATABASE_PATIENCE, unique } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import { childEnv } from './server-support.js';

const AT_ONCE = 200;
/**
 * Far less than a flood takes, so that one who waited for its end is found. On a machine so busy that it is not enough,
 * half of the flood's own time is: that grows with it.
 */
const PATIENCE_MS = 2_000;
const ATTEMPTS = 4;
const FLOOD_MS = 100_000;
const VERSION = `${CLIENT}/version`;

describe('floods', function suite() {
  this.timeout(120_000);
  const shop = new ProcessShop();
  let database: TestDatabase;
  let admin: Client;
  let bystander: Client;
  let busy: Client;
  let certified: Client;
  let far: Client;
  before(async () => {
    database = await openTestDatabase();
    // A process of its own: what the test does to flood it must not hold it up.
    const place = shop.place();
    const env = { ...childEnv(place, database), EDGE_DATABASE_PATIENCE };
    const url = await shop.start(place, { env }).ready();
    admin = await shop.login(url);
    [bystander, busy] = [shop.client(url), shop.client(url)];
    const { ca } = await newVerifiedCa({ admin });
    const { id } = entityOf(
      expectStatus(
        await admin.post(`${MANAGEMENT}/identities`, { name: 'device', type: 'Device', isAdmin: false }),
        201,
      ),
    );
    certified = createCertificateClient(url, (await enrollByRequest({ admin, anonymous: bystander }, id)).shown);
    // The most expensive to refuse: namesakes of a CA that is known.
    const namesakes = Array.from({ length: 8 }, () => makeCa({ subject: ca.subject, subjectKeyId: ca.subjectKeyId }));
    far = createCertificateClient(url, shownBy(makeLeaf(namesakes[0] ?? ca, { keyKind: 'ec-p521' }), ...namesakes));
    // The connections are there before the flood: handshakes are the test's work as much as the controller's.
    for (const client of [busy, certified, far]) await all(() => client.get(VERSION));
    expectStatus(await bystander.get(VERSION), 200);
  });
  after(async () => {
    [certified, far].forEach((client) => {
      client.close();
    });
    await shop.end();
    await database.close();
  });

  const all = (send: () => Promise<Answer>): Promise<Answer[]> => Promise.all(Array.from({ length: AT_ONCE }, send));

  /** What the flood got, how long a bystander waited at most while it lasted, and how long it might have. */
  const flood = async (
    send: () => Promise<Answer>,
  ): Promise<{ answers: Answer[]; longest: number; patience: number }> => {
    const begun = performance.now();
    let isOver = false;
    const answers = all(send).finally(() => {
      isOver = true;
    });
    let longest = 0;
    await until(
      'the flood is over',
      async () => {
        const started = performance.now();
        expectStatus(await bystander.get(VERSION), 200);
        longest = Math.max(longest, performance.now() - started);
        return isOver;
      },
      FLOOD_MS,
    );
    return { answers: await answers, longest, patience: Math.max(PATIENCE_MS, (performance.now() - begun) / 2) };
  };
  const expectAlive = async (send: () => Promise<Answer>, statuses: readonly number[]): Promise<Answer[]> => {
    let { answers, longest, patience } = await flood(send);
    // On a busy machine others may hold it up: once is enough to show that the flood itself does not.
    for (let attempt = 1; attempt < ATTEMPTS && longest >= patience; attempt += 1) {
      const next = await flood(send);
      answers = [...answers, ...next.answers];
      ({ longest, patience } = next);
    }
    for (const { status, headers } of answers) {
      expect(status).to.be.oneOf([...statuses, 429]);
      if (status === 429) expect(Number(headers['retry-after'])).to.be.within(1, 60);
    }
    expect(longest).to.be.below(patience);
    return answers;
  };

  it('of wrong passwords', async () => {
    const answers = await expectAlive(
      () =>
        busy.post(`${CLIENT}/authenticate?method=password`, { username: unique('nobody'), password: 'pass word 1' }),
      [403],
    );
    expect(answers.filter(({ status }) => status === 429)).to.not.have.length(0);
    expect(answers.filter(({ status }) => status === 403)).to.not.have.length(0);
    expect(
      new Set(answers.filter(({ status }) => status === 403).map(({ text }) => text.replace(/"requestId":"[^"]*"/, '')))
        .size,
    ).to.equal(1);
  });

  it('of large schemas of config types', async () => {
    const pattern = (index: number): [string, object] => [
      `p${index}`,
      { type: 'string', pattern: `^[a-z]{1,9}${index}$` },
    ];
    const schema = { properties: Object.fromEntries(Array.from({ length: 60 }, (_, index) => pattern(index))) };
    const answers = await expectAlive(
      () => admin.post(`${MANAGEMENT}/config-types`, { name: unique('large'), schema }),
      [201],
    );
    expect(answers.filter(({ status }) => status === 429)).to.not.have.length(0);
    // One that is compiled, and sixteen that wait.
    expect(answers.filter(({ status }) => status === 201)).to.have.length.at.least(17);
  });

  it('of logins by certificate, good and bad', async () => {
    await expectAlive(() => certified.post(`${CLIENT}/authenticate?method=cert`, {}), [200]);
    await expectAlive(() => far.post(`${CLIENT}/authenticate?method=cert`, {}), [403]);
  });

  it('of enrollments with a certificate alone, and of routers', async () => {
    await expectAlive(() => far.post(`${CLIENT}/enroll/ca`), [400]);
    await expectAlive(() => far.post(`${CLIENT}/enroll/extend/router`, { certCsr: 'x', serverCertCsr: 'x' }), [401]);
  });

  it('of requests for certificates, and of first passwords', async () => {
    const invite = async (enrollment: object) => {
      const { id } = entityOf(
        expectStatus(
          await admin.post(`${MANAGEMENT}/identities`, {
            name: unique('invited'),
            type: 'User',
            isAdmin: false,
            enrollment,
          }),
          201,
        ),
      );
      return itemsOf(await admin.get(`${MANAGEMENT}/identities/${id}/enrollments`))[0]?.['token'] as string;
    };
    const [ott, updb] = [await invite({ ott: true }), await invite({ updb: unique('user') })];
    const forged = makeRequest({ keyKind: 'rsa-4096', isForged: true }).pem;
    await expectAlive(() => busy.post(`${CLIENT}/enroll/ott`, { token: ott, clientCsr: forged }), [400]);
    const answers = await expectAlive(
      () => busy.post(`${CLIENT}/enroll/updb?token=${updb}`, { password: 'pass word 1' }),
      [200, 404],
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
  });
});
