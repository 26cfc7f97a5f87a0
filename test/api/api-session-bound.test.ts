/** How many API sessions an identity may have: the next login ends the one used least recently, on every controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { Pair } from './server-support.js';

describe('more API sessions of an identity than it may have', function bound() {
  this.timeout(60_000);
  let pair: Pair;
  before(async () => {
    pair = await startPair({ EDGE_LIMIT_API_SESSIONS_PER_IDENTITY: '3' });
  });
  after(() => pair.stop());

  const statusOf = async (client: Client) => (await client.get(`${C}/current-identity`)).status;

  it('end the one that was used least recently, in the memory of both controllers', async () => {
    const { one, two, admin } = pair;
    const name = unique('shared');
    const { id = '' } = await makeUser(admin, name);
    const tokens: string[] = [];
    for (const controller of [one, two, one]) tokens.push((await controller.login(name, PASSWORD)).token ?? '');
    const [first = '', second = '', third = ''] = tokens;
    for (const token of tokens)
      for (const controller of [one, two]) expect(await statusOf(controller.client(token))).to.equal(200);
    await pair.database.query(
      `UPDATE api_sessions SET last_activity_at = now() - interval '20 min' WHERE identity_id = $1 AND id = (
        SELECT id FROM api_sessions WHERE identity_id = $1 ORDER BY created_at LIMIT 1)`,
      [id],
    );
    const { token: fourth } = await two.login(name, PASSWORD);
    for (const controller of [one, two]) {
      await until('the session has ended', async () => (await statusOf(controller.client(first))) === 401);
      for (const token of [second, third, fourth]) expect(await statusOf(controller.client(token))).to.equal(200);
    }
    const records = expectStatus(
      await admin.get(
        `${M}/audit?filter=${encodeURIComponent(`kind = "apiSession.deleted" and entityName = "${name}"`)}`,
      ),
      200,
    ).data as { actor: { kind: string }; before: { identityId: string } }[];
    expect(records.map(({ actor, before }) => [actor.kind, before.identityId])).to.deep.equal([['controller', id]]);
  });
});
