/** Sessions, for one service each: made, read and ended by a client, read and ended by an administrator. */
import { methodOf, reading } from './case.js';
import type { BenchCase, CaseContext, Group } from './case.js';
import { each, one } from './paths.js';
import { CLIENT, MANAGEMENT, requestBytes } from './world.js';
import type { World } from './world.js';

/** A use has one session, so many sessions need several API sessions: each costs a login. */
const MOST_API_SESSIONS = 8;
const PER_SECOND = 1500;

/** API sessions of the client that last for one case. */
const extra = new WeakMap<World, string[]>();

const endExtra = async (world: World): Promise<void> => {
  const tokens = extra.get(world) ?? [];
  extra.delete(world);
  for (const token of tokens) await world.client.as(token).logOut();
};
const group: Group = { clearUp: ({ world }) => endExtra(world) };

/** A request for every pair of a new API session of the client and a service, as many as the case may need. */
async function creations(context: CaseContext): Promise<Buffer[]> {
  const { world, seconds } = context;
  await endExtra(world);
  const count = Math.min(MOST_API_SESSIONS, Math.ceil((PER_SECOND * seconds) / world.services.length));
  const tokens: string[] = [];
  extra.set(world, tokens);
  while (tokens.length < count) {
    const session = await world.admin.login(world.clientIdentity.username, world.clientIdentity.password);
    session.close();
    tokens.push(session.token ?? '');
  }
  return tokens.flatMap((token) =>
    world.services.map(({ id }) =>
      requestBytes(world, {
        method: 'POST',
        path: `${CLIENT}/sessions`,
        body: { serviceId: id, type: 'Dial' },
        token,
      }),
    ),
  );
}

const deletion = (name: string, api: 'client' | 'management'): BenchCase => ({
  name,
  api,
  operationId: 'deleteSession',
  group,
  plan: async (context) => {
    const { world, load } = context;
    const { ids } = await load.run(world.target, {
      mode: 'once',
      requests: await creations(context),
      collectsIds: true,
      connections: 16,
      seconds: 60,
    });
    const token = api === 'client' ? world.client.token : world.admin.token;
    return {
      mode: 'once',
      requests: ids.map((id) =>
        requestBytes(world, {
          method: methodOf(api, 'deleteSession'),
          path: `${api === 'client' ? CLIENT : MANAGEMENT}/sessions/${id}`,
          token,
        }),
      ),
    };
  },
});

const sessions = (world: World) => world.sessions;

export const sessionCases: readonly BenchCase[] = [
  reading('client sessions 10', 'client', 'listSessions', one('/sessions?limit=10'), 'client'),
  reading(
    'client session by id',
    'client',
    'detailSession',
    each(sessions, ({ id }) => `/sessions/${id}`),
    'client',
  ),
  reading('sessions 10', 'management', 'listSessions', one('/sessions?limit=10'), 'admin'),
  reading(
    'session by id',
    'management',
    'detailSession',
    each(sessions, ({ id }) => `/sessions/${id}`),
    'admin',
  ),
  reading(
    'session route path',
    'management',
    'detailSessionRoutePath',
    each(sessions, ({ id }) => `/sessions/${id}/route-path`),
    'admin',
  ),
  {
    name: 'session create',
    api: 'client',
    operationId: 'createSession',
    group,
    plan: async (context) => ({ mode: 'once', requests: await creations(context) }),
  },
  {
    name: 'session create again',
    api: 'client',
    operationId: 'createSession',
    plan: async ({ world }) => ({
      mode: 'cycle',
      requests: world.services.slice(0, world.sessions.length).map(({ id }) =>
        requestBytes(world, {
          method: 'POST',
          path: `${CLIENT}/sessions`,
          body: { serviceId: id, type: 'Dial' },
          token: world.client.token,
        }),
      ),
    }),
  },
  deletion('session delete', 'client'),
  deletion('session delete by administrator', 'management'),
];
