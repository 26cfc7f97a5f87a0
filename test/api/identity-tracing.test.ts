/** Tracing of an identity: its requests are in the log under a name, on every controller, and only while it lasts. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { unique } from '../support/controller.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

/** Reads have a line when they are traced, and never else. */
const QUIET = { EDGE_LOG_REQUESTS: 'changes' };

interface Trace {
  readonly enabled?: boolean;
  readonly traceId?: string;
  readonly until?: string;
}

describe('tracing of an identity', () => {
  let database: TestDatabase;
  let north: LoggedController;
  let south: LoggedController;
  let admin: Client;
  before(async () => {
    database = await openTestDatabase();
    north = await startLogged(database, QUIET);
    south = await startLogged(database, { ...QUIET, EDGE_NAME: 'south' });
    admin = await north.login();
  });
  after(async () => {
    await south.stop();
    await north.stop();
    await database.close();
  });

  const newUser = async (extra: object = {}) => {
    const name = unique('traced');
    const { id } = await makeUser(admin, name, extra);
    return { id, login: (controller: LoggedController) => controller.login(name, PASSWORD) };
  };
  const trace = (id: string, spec: object, client = admin) => client.put(`${MANAGEMENT}/identities/${id}/trace`, spec);
  const begin = async (id: string, spec: object) =>
    expectStatus(await trace(id, { enabled: true, duration: '10m', ...spec }), 200).data as Trace;
  const linesOf = (controller: LoggedController, traceId: string) =>
    controller.log.filter((line) => line['traceId'] === traceId);
  /** The line of one read, once the line of a change is there that came after it. */
  const lineOfRead = async ({ log }: LoggedController, client: Client) => {
    const find = ({ headers }: Answer) =>
      log.find(({ msg, requestId }) => msg === 'request' && requestId === headers['x-request-id']);
    const read = expectStatus(await client.get(`${CLIENT}/current-identity`), 200);
    const change = expectStatus(await client.delete(`${CLIENT}/sessions/none`), 404);
    await until('the line of the change', () => find(change));
    return find(read);
  };
  /** Asks until a read has, or has not, a line of that name, and answers the last line. */
  const asks = async (controller: LoggedController, client: Client, traceId: string, isTraced: boolean) => {
    let line: Record<string, unknown> | undefined;
    await until(`requests to be ${isTraced ? '' : 'un'}traced`, async () => {
      line = await lineOfRead(controller, client);
      return (line?.['traceId'] === traceId) === isTraced;
    });
    return line;
  };

  it('is refused without a duration that makes sense, and for a name that is no plain word', async () => {
    const { id } = await newUser();
    for (const [duration, reason] of [
      ['zz', 'time: invalid duration "zz"'],
      ['', 'time: invalid duration ""'],
      ['0', 'must be more than nothing and at most 744h'],
      ['-1m', 'must be more than nothing and at most 744h'],
      ['744h1s', 'must be more than nothing and at most 744h'],
    ] as const)
      expectField(await trace(id, { enabled: true, duration }), 'duration', reason);
    expectField(
      await trace(id, { enabled: true, duration: '1m', traceId: 'a b' }),
      'traceId',
      'must consist of letters, digits, _, ., : and -',
    );
    expect((await database.query('SELECT FROM identity_traces')).rows).to.deep.equal([]);
  });

  it('goes on for an hour when the duration is null or absent', async () => {
    const { id } = await newUser();
    for (const duration of [null, undefined]) {
      const { until } = expectStatus(await trace(id, { enabled: true, duration }), 200).data as Trace;
      const minutes = (Date.parse(String(until)) - Date.now()) / 60_000;
      expect(minutes).to.be.within(50, 70);
    }
    expectStatus(await trace(id, { enabled: false }), 200);
  });

  it('is told to be of an unknown identity, on and off', async () => {
    for (const spec of [{ enabled: true, duration: '1m' }, { enabled: false }, {}])
      expectNotFound(await trace('nope', spec), 'identity with id nope not found');
  });

  it('needs the permission, and for an administrator all of it', async () => {
    const administrator = await newUser({ isAdmin: true });
    const delegate = await (await newUser({ permissions: ['identity.update'] })).login(north);
    const reader = await (await newUser({ permissions: ['admin_readonly'] })).login(north);
    const { id } = await newUser();
    const spec = { enabled: true, duration: '1m' };
    expectStatus(await trace(id, spec, reader), 401);
    expectStatus(await trace(administrator.id, spec, delegate), 401);
    expectStatus(await trace(id, spec, delegate), 200);
    const { rows } = await database.query('SELECT identity_id FROM identity_traces');
    expect(rows).to.deep.equal([{ identity_id: id }]);
    expectStatus(await trace(id, {}), 200);
  });

  it('logs each request of the identity on every controller, and of no other', async () => {
    const user = await newUser();
    const other = await (await newUser()).login(south);
    const clients = [await user.login(north), await user.login(south)] as const;
    const answer = await begin(user.id, { traceId: 'support-1' });
    expect(answer).to.include({ enabled: true, traceId: 'support-1' });
    expect(new Date(answer.until ?? '').getTime()).to.be.greaterThan(Date.now());
    await asks(north, clients[0], 'support-1', true);
    expect(await asks(south, clients[1], 'support-1', true)).to.include({
      operation: 'getCurrentIdentity',
      identityId: user.id,
      status: 200,
    });
    expect(await lineOfRead(south, other)).to.equal(undefined);
    expect(expectStatus(await trace(user.id, { enabled: false }), 200).data).to.deep.equal({ enabled: false });
    expect(await asks(north, clients[0], 'support-1', false)).to.equal(undefined);
    expect(await asks(south, clients[1], 'support-1', false)).to.equal(undefined);
  });

  it('gets a name when none is given, and takes another in its place', async () => {
    const user = await newUser();
    const client = await user.login(north);
    const first = await begin(user.id, { traceId: '', channels: ['control', 'unheard-of', 'control'] });
    expect(first.traceId).to.match(/^[0-9a-f-]{36}$/);
    await asks(north, client, first.traceId ?? '', true);
    await begin(user.id, { traceId: 'second' });
    await asks(north, client, 'second', true);
    expect((await database.query('SELECT trace_id FROM identity_traces')).rows).to.deep.equal([{ trace_id: 'second' }]);
  });

  it('ends by itself, without a request that ends it', async () => {
    const user = await newUser();
    const client = await user.login(north);
    await until('a request within the time', async () => {
      await begin(user.id, { traceId: 'short', duration: '300ms' });
      expectStatus(await client.get(`${CLIENT}/current-identity`), 200);
      return linesOf(north, 'short').length > 0;
    });
    await asks(north, client, 'short', false);
  });
});
