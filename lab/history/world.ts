/** Entities that clients of a run work on, made before it begins. */
import { MANAGEMENT as M } from '../../test/support/paths.js';
import { until } from '../../test/support/poll.js';
import { makeUser } from '../../test/support/users.js';
import { createClient, expectStatus } from '../../test/support/client.js';
import type { Client } from '../../test/support/client.js';
import { openReceiver } from '../../test/support/webhook-receiver.js';
import type { Receiver } from '../../test/support/webhook-receiver.js';
import type { Place } from './caller.js';
import type { Network } from './network.js';

const REGISTERS = 6;
const SETUP_MS = 30_000;
/** The kinds of events that the webhook gets. */
export const HOOKED = 'service.*';
export const FIRST_VALUE = 'first';
export const NOBODY = ['#history-nobody'];

/** A register is the tag `value` of an entity. */
export interface Register {
  readonly id: string;
  readonly path: string;
}

/** Somebody whose access to a service is given and taken. */
export interface Subject {
  readonly name: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly policyId: string;
}

export interface World {
  readonly places: readonly Place[];
  readonly adminToken: string;
  readonly registers: readonly Register[];
  readonly subjects: readonly Subject[];
  readonly receiver: Receiver;
  /** Records of the audit from this number on are those of the run. */
  readonly firstSeq: number;
  /** From where readers of events begin. */
  readonly firstEventId: string;
}

export async function makeWorld(network: Network, firstEventId: (token: string) => Promise<string>): Promise<World> {
  const places = network.controllers.map(({ place }) => place);
  const url = places[0]?.url ?? '';
  const login = createClient(url);
  const answer = await login.post(`${M}/authenticate?method=password`, network.credentials);
  const adminToken = (expectStatus(answer, 200).data as { token: string }).token;
  login.close();
  const admin = createClient(url, adminToken);
  const make = (collection: string, body: object): Promise<string> => create(admin, collection, body);
  await make('edge-routers', { name: 'history-router' });
  const all = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  await make('edge-router-policies', { name: 'history-routers', identityRoles: ['#all'], ...all });
  await make('service-edge-router-policies', { name: 'history-routers', serviceRoles: ['#all'], ...all });
  const subjects: Subject[] = [];
  for (const way of ['policy', 'attribute', 'identity']) subjects.push(await makeSubject(admin, way));
  const receiver = await openReceiver();
  const hook = { name: 'history', url: receiver.url, kinds: [HOOKED] };
  const made = expectStatus(await admin.post(`${M}/webhooks`, hook), 201).data as { id: string; secret: string };
  receiver.secret = made.secret;
  await until(
    'the webhook is served',
    async () => {
      const leased = 'SELECT 1 FROM webhook_progress WHERE leased_by IS NOT NULL';
      return (await network.database.query(leased)).length > 0;
    },
    SETUP_MS,
  );
  const eventId = await firstEventId(adminToken);
  const last = 'SELECT coalesce(max(seq), 0)::int AS seq FROM audit_records';
  const [row] = await network.database.query<{ seq: number }>(last);
  const registers: Register[] = [];
  for (let serial = 0; serial < REGISTERS; serial += 1) registers.push(await makeRegister(admin, serial));
  admin.close();
  return {
    places,
    adminToken,
    registers,
    subjects,
    receiver,
    firstSeq: (row?.seq ?? 0) + 1,
    firstEventId: eventId,
  };
}

async function create(admin: Client, collection: string, body: object): Promise<string> {
  return (expectStatus(await admin.post(`${M}/${collection}`, body), 201).data as { id: string }).id;
}

/** Services and identities in turn. */
async function makeRegister(admin: Client, serial: number): Promise<Register> {
  const isService = serial % 2 === 0;
  const collection = isService ? 'services' : 'identities';
  const fields = isService ? { encryptionRequired: true } : { type: 'Device', isAdmin: false };
  const tags = { value: FIRST_VALUE };
  const id = await create(admin, collection, { name: `history-register-${serial}`, tags, ...fields });
  return { id, path: `${M}/${collection}/${id}` };
}

async function makeSubject(admin: Client, way: string): Promise<Subject> {
  const name = `history-${way}`;
  const { id: identityId } = await makeUser(admin, name, { roleAttributes: [name] });
  const serviceId = await create(admin, 'services', { name: `${name}-service`, encryptionRequired: false });
  const policyId = await create(admin, 'service-policies', {
    name,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`#${name}`],
    serviceRoles: [`@${serviceId}`],
  });
  return { name, identityId, serviceId, policyId };
}
