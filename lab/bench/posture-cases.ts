/**
 * What posture costs: sessions, services and their updates of a client whose one policy asks for a check, and reports
 * of devices. A device reports about once a minute, and nearly always what is known: so many devices as a controller
 * takes such reports in a minute can be online. To see what a second controller on the same database costs, which hears
 * of each change, start two by hand and measure one of them:
 *
 * npm run bench -- --base https://first:1280 --only "posture" --connections 16
 */
import { randomBytes } from 'node:crypto';
import { methodOf } from './case.js';
import type { BenchCase, CaseContext, Group } from './case.js';
import { CLIENT, MANAGEMENT, requestBytes } from './world.js';
import type { World } from './world.js';

/** API sessions of the client, each as a device of its own. */
const DEVICES = 8;
const PER_SECOND = 1500;
const GOOD = '02fc00aa1234';
const PASSWORD = `Aa1!${randomBytes(9).toString('base64url')}`;

/** A client under posture. */
interface Guarded {
  readonly identity: string;
  readonly policy: string;
  readonly check: string;
  readonly username: string;
  /** Of its devices. */
  readonly tokens: string[];
}

const guarded = new WeakMap<World, Guarded>();

/** The client, and as many devices as asked for, of which all have reported well. */
async function ready(world: World, devices: number): Promise<Guarded> {
  const known = guarded.get(world) ?? (await prepare(world));
  guarded.set(world, known);
  while (known.tokens.length < devices) {
    const session = await world.admin.login(known.username, PASSWORD);
    await session.call('POST', `${CLIENT}/posture-response`, { typeId: 'MAC', id: known.check, macAddresses: [GOOD] });
    session.close();
    known.tokens.push(session.token ?? '');
  }
  return known;
}

async function prepare({ admin }: World): Promise<Guarded> {
  const name = `bench-posture-${randomBytes(9).toString('hex')}`;
  const identity = await admin.create(`${MANAGEMENT}/identities`, { name, type: 'Device', isAdmin: false });
  const authenticator = { identityId: identity, method: 'updb', username: name, password: PASSWORD };
  await admin.create(`${MANAGEMENT}/authenticators`, authenticator);
  const check = await admin.create(`${MANAGEMENT}/posture-checks`, { name, typeId: 'MAC', macAddresses: [GOOD] });
  const policy = await admin.create(`${MANAGEMENT}/service-policies`, {
    name,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${identity}`],
    serviceRoles: ['#all'],
    postureCheckRoles: [`@${check}`],
  });
  return { identity, policy, check, username: name, tokens: [] };
}

const group: Group = {
  clearUp: async ({ world }) => {
    const known = guarded.get(world);
    if (known === undefined) return;
    guarded.delete(world);
    await world.admin.call('DELETE', `${MANAGEMENT}/service-policies/${known.policy}`);
    await world.admin.call('DELETE', `${MANAGEMENT}/posture-checks/${known.check}`);
    await world.admin.call('DELETE', `${MANAGEMENT}/identities/${known.identity}`);
  },
};

const reading = (name: string, operationId: 'listServices' | 'listServiceUpdates', path: string): BenchCase => ({
  name,
  api: 'client',
  operationId,
  group,
  plan: async ({ world }) => {
    const { tokens } = await ready(world, 1);
    const method = methodOf('client', operationId);
    return { mode: 'cycle', requests: tokens.map((token) => requestBytes(world, { method, path, token })) };
  },
});

/** A request for each round and device. @param addressOf  what is reported in a round */
const reports = (name: string, rounds: number, addressOf: (round: number) => string): BenchCase => ({
  name,
  api: 'client',
  operationId: 'createPostureResponse',
  group,
  plan: async ({ world }) => {
    const { tokens, check } = await ready(world, DEVICES);
    return {
      mode: 'cycle',
      requests: Array.from({ length: rounds }, (_, round) =>
        tokens.map((token) =>
          requestBytes(world, {
            method: 'POST',
            path: `${CLIENT}/posture-response`,
            body: { typeId: 'MAC', id: check, macAddresses: [GOOD, addressOf(round)] },
            token,
          }),
        ),
      ).flat(),
    };
  },
});

/** New API sessions for as many uses as the case may need. */
async function creations({ world, seconds }: CaseContext): Promise<Buffer[]> {
  guarded.get(world)?.tokens.splice(0);
  const devices = Math.min(DEVICES, Math.ceil((PER_SECOND * seconds) / world.services.length));
  const { tokens } = await ready(world, devices);
  return tokens.flatMap((token) =>
    world.services.map(({ id }) =>
      requestBytes(world, { method: 'POST', path: `${CLIENT}/sessions`, body: { serviceId: id, type: 'Dial' }, token }),
    ),
  );
}

export const postureCases: readonly BenchCase[] = [
  {
    name: 'session create under posture',
    api: 'client',
    operationId: 'createSession',
    group,
    plan: async (context) => ({ mode: 'once', requests: await creations(context) }),
  },
  reading('client services under posture', 'listServices', `${CLIENT}/services?limit=10`),
  reading('service updates under posture', 'listServiceUpdates', `${CLIENT}/current-api-session/service-updates`),
  reports('posture report, nothing new', 1, () => GOOD),
  reports('posture report, a change', 50, (round) => `ff${round.toString(16).padStart(10, '0')}`),
];
