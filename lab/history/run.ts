/** One run: clients work while things break, then everything is mended, and what is there is written down. */
import { setMaxListeners } from 'node:events';
import { openEvents } from '../../test/support/event-source.js';
import { until } from '../../test/support/poll.js';
import { randomly } from '../../test/support/random.js';
import { Caller, pause } from './caller.js';
import { breakThings } from './faults.js';
import type { Network } from './network.js';
import { AccessUser, SessionOwner, ownAccess } from './owners.js';
import { EventReader, recordDeliveries } from './readers.js';
import type { RecordFile } from './record.js';
import type { Saboteur } from './sabotage.js';
import { HOOKED, makeWorld } from './world.js';
import type { World } from './world.js';
import { MADE_PREFIX, RegisterClient, makeAndRemove } from './writers.js';
import type { Crew, Draw } from './writers.js';

const REGISTER_CLIENTS = 6;
const SPREAD = 1_000_003;
const QUIET_MS = 60_000;
const CATCH_UP_MS = 60_000;

export interface RunOptions {
  readonly seed: number;
  readonly minutes: number;
  /** Between two faults, at least. */
  readonly restMs: number;
  readonly sabotage: Saboteur;
  readonly say: (text: string) => void;
}

export async function runHistory(network: Network, record: RecordFile, options: RunOptions): Promise<void> {
  const { seed, minutes, restMs, sabotage, say } = options;
  const { database } = network;
  record.add({ kind: 'head', seed, minutes, hooked: HOOKED });
  let serial = 0;
  const draw = (): Draw => randomly(seed + SPREAD * (serial += 1));
  const faultDraw = draw();
  const world = await makeWorld(network, (token) => presentEventId(network, token));
  const [halt, readersHalt] = [new AbortController(), new AbortController()];
  for (const { signal } of [halt, readersHalt]) setMaxListeners(0, signal);
  const crew = (): Crew => ({ record, signal: halt.signal, draw: draw() });
  const readers = startReaders(world, record, draw, sabotage);
  const reading = readers.map((reader) => reader.run(readersHalt.signal));
  const working = [
    ...clients(world, crew, sabotage),
    ...(sabotage.acts ?? []).map((act) => act(database, record, halt.signal)),
  ];
  say('clients work');
  const breaking = breakThings({ network, record, draw: faultDraw, restMs, say }, halt.signal);
  await Promise.race([pause(minutes * 60_000, halt.signal), breaking, ...working]);
  halt.abort();
  await Promise.all([breaking, ...working]);
  say('the end: waiting until nothing is being committed');
  await whatIsThere(network, world, record);
  await catchUp(world, readers, record);
  readersHalt.abort();
  await Promise.all(reading);
  recordDeliveries(world.receiver, record);
  await world.receiver.close();
  record.flush();
}

function clients(world: World, crew: () => Crew, { tamper }: Saboteur): Promise<void>[] {
  const { places, adminToken, registers, subjects } = world;
  const admin = (name: string) => new Caller(name, places, adminToken);
  return [
    ...Array.from({ length: REGISTER_CLIENTS }, (_, index) =>
      new RegisterClient(admin(`w${index}`), crew(), index === 0 ? tamper : undefined).run(registers),
    ),
    ...[0, 1].map((index) => makeAndRemove(admin(`m${index}`), crew())),
    ...subjects.flatMap((subject) => [
      ownAccess(admin(`${subject.name}-owner`), subject, crew()),
      ...places.map((place) => new AccessUser(`${subject.name}-${place.name}`, place, subject, crew()).run()),
    ]),
    new SessionOwner(new Caller('s0', places), subjects[0]?.name ?? '', crew()).run(),
  ];
}

function startReaders(
  { places, adminToken: token, firstEventId }: World,
  record: RecordFile,
  draw: () => Draw,
  { sieve }: Saboteur,
): EventReader[] {
  return [places.slice(0, 1), places].map((some, index) => {
    const options = { name: `r${index}`, token, record, draw: draw(), sieve: index === 0 ? sieve : undefined };
    return new EventReader(some, options, firstEventId);
  });
}

async function presentEventId({ controllers }: Network, token: string): Promise<string> {
  const source = await openEvents(controllers[0].place.url, token);
  await until('the stream begins', () => source.lastId() !== '');
  source.close();
  return source.lastId();
}

interface AuditRow {
  readonly seq: number;
  readonly kind: string;
  readonly entity_id: string | null;
  readonly entity_name: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** The registers as both controllers have them, the audit, and entities that are left. */
async function whatIsThere({ database }: Network, world: World, record: RecordFile): Promise<void> {
  await until(
    'nothing is being committed',
    async () => {
      const open = `SELECT count(*)::int AS open FROM pg_stat_activity
        WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()`;
      const rows = await database.query<{ open: number }>(open).catch(() => []);
      return rows[0]?.open === 0;
    },
    QUIET_MS,
  );
  const never = new AbortController().signal;
  for (const [index, place] of world.places.entries()) {
    const caller = new Caller(`final-${place.name}`, [place], world.adminToken);
    const client = new RegisterClient(caller, { record, signal: never, draw: randomly(index) });
    for (const register of world.registers)
      await until('a final read is answered', async () => {
        await client.read(register, 0);
        return (
          record.entries.at(-1)?.kind === 'read' && (record.entries.at(-1) as { outcome: string }).outcome === 'ok'
        );
      });
    caller.close();
  }
  const audit = await database.query<AuditRow>(`SELECT seq::int, kind, entity_id, entity_name,
    before #>> '{tags,value}' AS before, after #>> '{tags,value}' AS after
    FROM audit_records WHERE seq >= ${world.firstSeq} ORDER BY seq`);
  for (const { seq, kind, entity_id: id, entity_name: name, before, after } of audit)
    record.add({
      kind: 'audit',
      seq,
      event: kind,
      entityId: id ?? '',
      ...(name === null ? {} : { name }),
      ...(before === null ? {} : { before }),
      ...(after === null ? {} : { after }),
    });
  const left = await database.query<{ name: string }>(
    `SELECT name FROM services WHERE starts_with(name, '${MADE_PREFIX}')`,
  );
  for (const { name } of left) record.add({ kind: 'left', name });
}

/** Waits until readers have as many events as the audit has records; the checker tells those that never come. */
async function catchUp({ receiver }: World, readers: readonly EventReader[], record: RecordFile): Promise<void> {
  const audit = record.entries.filter((entry) => entry.kind === 'audit');
  const hooked = audit.filter(({ event }) => event.startsWith(HOOKED.slice(0, -1))).length;
  const arrived = () => new Set(receiver.deliveries.map(({ id }) => id)).size;
  const isDone = () => readers.every(({ got }) => got >= audit.length) && arrived() >= hooked;
  await until('readers have all events', isDone, CATCH_UP_MS).catch(() => undefined);
}
