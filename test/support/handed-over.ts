/**
 * A net over what commits hand over: all that the triggers announce for a request to other controllers must be a part
 * of what the commits of that request handed over to this one. Announcements of a test database name their request.
 */
import pg from 'pg';
import type { Touched } from '../../db/postgres/touched.js';
import { ChangeSubscribers } from '../../server/start/change-subscribers.js';
import type { TestDatabase } from './database.js';
import { until } from './poll.js';

const CHANNEL = 'edge_test';

/** Each announcement of a trigger once more, after the id of its request; and who owns which API session. */
const ANNOUNCE = `CREATE FUNCTION announce_in_test(payload text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('edge', payload);
  PERFORM pg_notify('${CHANNEL}', split_part(current_setting('edge.actor', true), '|', 6) || ' ' || payload);
END $$;
CREATE FUNCTION tell_owner_in_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('${CHANNEL}', 'owner ' || NEW.id || ' ' || NEW.identity_id);
  RETURN NULL;
END $$;
CREATE TRIGGER in_test_tell_owner AFTER INSERT ON api_sessions FOR EACH ROW EXECUTE FUNCTION tell_owner_in_test()`;

const ANNOUNCING = `SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.proname <> 'announce_in_test'
  AND p.prosrc LIKE '%pg_notify(''edge''%'`;

/** What moves an epoch, or decides a dial: each change says of itself that it may have. */
const EPOCHS: readonly string[] = [
  'access',
  'ended',
  'grants',
  'presence',
  'prints',
  'router',
  'routing',
  'terminators',
];
/** What sets off work and is nowhere in memory: no answer depends on it. */
const WORK_ALONE: readonly string[] = [
  'cas',
  'circuit',
  'clients',
  'controllers',
  'events',
  'link',
  'links',
  'model',
  'opened',
  'pki',
  'watched',
  'webhooks',
];

const INSTRUMENT_MS = 100;

export interface Announced {
  readonly requestId: string;
  /** As other controllers hear it. */
  readonly payload: string;
}

export interface HandedOverNet {
  /** What was announced so far for requests, and what of it no commit of the same request handed over. */
  look(): Promise<{ readonly announced: readonly Announced[]; readonly missed: readonly Announced[] }>;
  close(): Promise<void>;
}

/** Begins with the requests that come after it. Controllers of other databases do not disturb it. */
export async function watchHandedOver(database: TestDatabase): Promise<HandedOverNet> {
  const owners = new Map<string, string>();
  const announced: Announced[] = [];
  const handedOver = new Map<string, Touched[]>();
  let marks = 0;

  await database.query(ANNOUNCE);
  const instrument = async () => {
    for (const { definition } of (await database.query(ANNOUNCING)).rows)
      await database.query(String(definition).replaceAll("pg_notify('edge', ", 'announce_in_test('));
  };
  await instrument();
  // A fix of data integrity brings the functions of the release back.
  let instrumenting = Promise.resolve();
  const again = setInterval(() => {
    instrumenting = instrumenting.then(instrument).catch(() => undefined);
  }, INSTRUMENT_MS);
  for (const { id, owner } of (await database.query('SELECT id, identity_id AS owner FROM api_sessions')).rows)
    owners.set(String(id), String(owner));

  const client = new pg.Client(database.connection);
  client.on('error', () => undefined);
  await client.connect();
  client.on('notification', ({ payload = '' }) => {
    const [first = '', ...rest] = payload.split(' ');
    if (first === 'mark') marks += 1;
    else if (first === 'owner') owners.set(rest[0] ?? '', rest[1] ?? '');
    else if (first !== '') announced.push({ requestId: first, payload: rest.join(' ') });
  });
  await client.query(`LISTEN ${CHANNEL}`);

  const original = Object.getOwnPropertyDescriptor(ChangeSubscribers.prototype, 'committed');
  if (original === undefined) throw new Error('nothing takes what commits hand over');
  const take = original.value as ChangeSubscribers['committed'];
  ChangeSubscribers.prototype.committed = function committed(touched, requestId) {
    if (requestId !== undefined) handedOver.set(requestId, [...(handedOver.get(requestId) ?? []), ...touched]);
    take.call(this, touched, requestId);
  };

  const isHandedOver = ({ requestId, payload }: Announced): boolean => {
    const [subject = '', ...ids] = payload.split(' ');
    const noted = handedOver.get(requestId) ?? [];
    const has = (key: string, id: string | undefined) =>
      noted.some((each) => typeof each === 'object' && Object.entries(each).some(([k, v]) => k === key && v === id));
    const isGone = (id: string) =>
      noted.includes('apiSessions') ||
      has('apiSession', id) ||
      has('postureOf', id) ||
      has('identity', owners.get(id) ?? 'nobody');
    if (WORK_ALONE.includes(subject)) return true;
    if (EPOCHS.includes(subject)) return noted.includes('epochs');
    if (subject === 'identity') return noted.includes('epochs') && ids.every((id) => has('identity', id));
    if (subject === 'revoked') return ids.every((id) => has('token', id));
    if (subject === 'session') return ids.every(isGone);
    return subject === 'posture' && ids.every(isGone);
  };

  return {
    async look() {
      const before = marks;
      await database.query(`SELECT pg_notify('${CHANNEL}', 'mark')`);
      await until('its own announcement comes back', () => marks > before);
      return { announced, missed: announced.filter((each) => !isHandedOver(each)) };
    },
    async close() {
      clearInterval(again);
      await instrumenting;
      Object.defineProperty(ChangeSubscribers.prototype, 'committed', original);
      await client.end();
    },
  };
}
