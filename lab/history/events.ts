/** Judges what readers of events got, and entities that came and went, by the audit. */
import type { Audited, Entry, Presence, Received } from './record.js';
import { WEBHOOK, groupBy, ofKind } from './record.js';

/** What is wrong, one line each. */
export function judgeEvents(entries: readonly Entry[]): string[] {
  const audit = ofKind(entries, 'audit');
  // The controllers go on while the record ends: later events are of no matter.
  const last = Math.max(0, ...audit.slice(-1).map(({ seq }) => seq));
  const events = ofKind(entries, 'event').filter(({ auditId }) => auditId <= last);
  const readers = groupBy(events, ({ reader }) => reader);
  const [hooked = ''] = ofKind(entries, 'head').map((head) => head.hooked);
  const streams = [...readers].filter(([reader]) => reader !== WEBHOOK);
  const [longest] = [...streams].sort(([, a], [, b]) => b.length - a.length);
  const resets = ofKind(entries, 'notice').filter(({ event }) => event === 'reset');
  return [
    ...resets.map(({ reader, reason }) => `${reader} could not go on: ${reason}`),
    ...streams.flatMap(([reader, events]) => [
      ...judgeSet(reader, events, audit),
      ...judgeOrder(reader, events, longest?.[1] ?? []),
    ]),
    ...judgeWebhook(readers.get(WEBHOOK), longest?.[1] ?? [], hooked),
  ];
}

/** Each record of the audit once, and nothing else. */
function judgeSet(reader: string, events: readonly Received[], audit: readonly Audited[]): string[] {
  const faults: string[] = [];
  const got = new Set<number>();
  const known = new Set(audit.map(({ seq }) => seq));
  for (const { auditId, id } of events) {
    if (got.has(auditId)) faults.push(`${reader} got the event ${id} twice`);
    if (!known.has(auditId)) faults.push(`${reader} got the event ${id}, of which the audit has nothing`);
    got.add(auditId);
  }
  for (const { seq, event } of audit)
    if (!got.has(seq)) faults.push(`${reader} lost an event: audit record ${seq} (${event}) never came`);
  return faults;
}

/** Records of logins name an identity and do not change it: no lock puts them in order with its changes. */
const LOGIN = /^login\./;

/** The same order for all readers, and that of the audit for each entity. */
function judgeOrder(reader: string, events: readonly Received[], longest: readonly Received[]): string[] {
  const faults: string[] = [];
  const places = new Map(longest.map(({ id }, index) => [id, index]));
  let last = -1;
  const newest = new Map<string, number>();
  for (const { id, auditId, entityId, event } of events) {
    const place = places.get(id);
    if (place !== undefined && place < last) faults.push(`${reader} got the event ${id} in another order than others`);
    last = Math.max(last, place ?? last);
    if (LOGIN.test(event)) continue;
    if (auditId < (newest.get(entityId) ?? 0)) faults.push(`${reader} got the event ${id} before an earlier one`);
    newest.set(entityId, auditId);
  }
  return faults;
}

const isMeant = (hooked: string, event: string): boolean =>
  hooked.endsWith('*') ? event.startsWith(hooked.slice(0, -1)) : event === hooked;

/** A webhook may get an event again, but never later than one that follows it, and none is left out. */
function judgeWebhook(
  deliveries: readonly Received[] | undefined,
  stream: readonly Received[],
  hooked: string,
): string[] {
  if (deliveries === undefined) return [];
  const wanted = stream.filter(({ event }) => isMeant(hooked, event)).map(({ id }) => id);
  const places = new Map(wanted.map((id, index) => [id, index]));
  const first = [...new Set(deliveries.map(({ id }) => id))];
  const faults: string[] = [];
  let last = -1;
  for (const id of first) {
    const place = places.get(id);
    if (place === undefined) faults.push(`the webhook got ${id}, which no stream had`);
    else if (place < last) faults.push(`the webhook got ${id} after one that follows it`);
    last = Math.max(last, place ?? last);
  }
  const got = new Set(first);
  for (const id of wanted) if (!got.has(id)) faults.push(`the webhook lost the event ${id}`);
  return faults;
}

/** Entities with names of their own: what was acknowledged is there once, and what was removed is not. */
export function judgePresence(entries: readonly Entry[]): string[] {
  const left = new Set(ofKind(entries, 'left').map(({ name }) => name));
  const audit = groupBy(ofKind(entries, 'audit'), ({ name = '' }) => name);
  return [...groupBy(ofKind(entries, 'create', 'remove'), ({ name }) => name)].flatMap(([name, operations]) =>
    judgeEntity(operations, left.has(name), audit.get(name) ?? []).map((fault) => `${name}: ${fault}`),
  );
}

function judgeEntity(operations: readonly Presence[], isLeft: boolean, audit: readonly Audited[]): string[] {
  const of = (kind: Presence['kind']) => operations.filter((operation) => operation.kind === kind);
  const isAny = (kind: Presence['kind'], ...outcomes: readonly string[]) =>
    of(kind).some(({ outcome }) => outcomes.includes(outcome));
  const recorded = (ending: string) => audit.filter(({ event }) => event.endsWith(ending)).length;
  const [created, deleted] = [recorded('.created'), recorded('.deleted')];
  const faults: string[] = [];
  if (created > 1) faults.push(`it was made ${created} times`);
  if (deleted > 1) faults.push(`it was removed ${deleted} times`);
  if (isAny('create', 'ok') && created === 0) faults.push('its creation was acknowledged and is not in the audit');
  if (!isAny('create', 'ok', 'unknown') && created > 0) faults.push('its creation was refused, and was done');
  if (isAny('create', 'ok') && !isAny('remove', 'ok', 'unknown') && !isLeft)
    faults.push('lost: its creation was acknowledged, nobody removed it, and it is not there');
  if (isAny('remove', 'ok') && isLeft) faults.push('its removal was acknowledged, and it is there');
  if (isAny('remove', 'ok') && deleted === 0) faults.push('its removal was acknowledged and is not in the audit');
  if (isLeft !== created > deleted) faults.push('what is there is not what the audit says');
  return faults;
}
