/**
 * Judges the registers of a record. A version is the entity's own, which every change moves on, so it gives the order
 * of all writes that were seen: nothing has to be searched for. Each register has to behave as one that takes one
 * operation at a time, at some moment between its start and its end.
 */
import type { Audited, Entry, Read, Write } from './record.js';
import { groupBy, ofKind } from './record.js';

/** An operation that names the version it has left, or has seen. */
interface Sighting {
  readonly operation: Write | Read;
  readonly version: number;
}

/** What is wrong, one line each. */
export function judgeRegisters(entries: readonly Entry[]): string[] {
  const operations = groupBy(ofKind(entries, 'write', 'read'), ({ key }) => key);
  const audit = groupBy(
    ofKind(entries, 'audit').filter(({ after }) => after !== undefined),
    ({ entityId }) => entityId,
  );
  return [...operations].flatMap(([key, all]) =>
    judgeRegister(all, audit.get(key) ?? []).map((fault) => `${key}: ${fault}`),
  );
}

function judgeRegister(all: readonly (Write | Read)[], audit: readonly Audited[]): string[] {
  const writes = all.filter((operation): operation is Write => operation.kind === 'write');
  const reads = all.filter((operation): operation is Read => operation.kind === 'read');
  const sightings = all.flatMap((operation): Sighting[] =>
    operation.outcome === 'ok' && operation.version !== undefined ? [{ operation, version: operation.version }] : [],
  );
  return [
    ...judgeVersions(sightings),
    ...judgeOrder(sightings),
    ...judgeConditions(writes, sightings),
    ...judgeOrigins(writes, reads, audit),
    ...judgeAudit(writes, sightings, audit),
  ];
}

const shown = ({ client, at, start }: Write | Read): string => `${client} at ${at}, ${(start / 1000).toFixed(3)} s`;
const valueOf = ({ value }: Write | Read): string => value ?? '';

/** One version is one value, and one value has one version. */
function judgeVersions(sightings: readonly Sighting[]): string[] {
  const faults: string[] = [];
  const values = new Map<number, string>();
  const versions = new Map<string, number>();
  for (const { operation, version } of sightings) {
    const value = valueOf(operation);
    const knownValue = values.get(version);
    if (knownValue === undefined) values.set(version, value);
    else if (knownValue !== value)
      faults.push(`version ${version} is ${knownValue} and ${value} (${shown(operation)})`);
    const knownVersion = versions.get(value);
    if (knownVersion === undefined) versions.set(value, version);
    else if (knownVersion !== version)
      faults.push(`written twice: ${value} has the versions ${knownVersion} and ${version} (${shown(operation)})`);
  }
  return faults;
}

/** An operation that begins after another one has ended is not older than it. */
function judgeOrder(sightings: readonly Sighting[]): string[] {
  const faults: string[] = [];
  const byStart = [...sightings].sort((a, b) => a.operation.start - b.operation.start);
  const byEnd = [...sightings].sort((a, b) => a.operation.end - b.operation.end);
  let ended = 0;
  let newest: Sighting | undefined;
  const ofClients = new Map<string, Sighting>();
  for (const sighting of byStart) {
    const { operation, version } = sighting;
    for (let before; (before = byEnd[ended]) && before.operation.end < operation.start; ended += 1) {
      if (newest === undefined || before.version > newest.version) newest = before;
      const own = ofClients.get(before.operation.client);
      if (own === undefined || before.version > own.version) ofClients.set(before.operation.client, before);
    }
    if (newest === undefined) continue;
    const isOld = operation.kind === 'read' ? version < newest.version : version <= newest.version;
    if (!isOld) continue;
    const own = ofClients.get(operation.client);
    const isOwn = own !== undefined && version < own.version;
    const what = operation.kind === 'read' ? 'stale read' : 'a write that is not the newest';
    faults.push(
      `${what}${isOwn ? " of the caller's own" : ''}: ${shown(operation)} has version ${version} ` +
        `(${valueOf(operation)}), after ${newest.operation.kind} ${valueOf(newest.operation)} ` +
        `of version ${newest.version} had ended ` +
        `(${shown(newest.operation)})`,
    );
  }
  return faults;
}

/** A write with `If-Match` follows the version that it names, and is refused only when there is another one. */
function judgeConditions(writes: readonly Write[], sightings: readonly Sighting[]): string[] {
  const faults: string[] = [];
  const versions = [...new Set(sightings.map(({ version }) => version))].sort((a, b) => a - b);
  for (const write of writes) {
    const { base, version, outcome, answer } = write;
    if (base === undefined) continue;
    if (outcome === 'ok' && version !== undefined) {
      const between = versions.find((other) => other > base && other < version);
      if (between !== undefined)
        faults.push(
          `lost update: ${write.value} was to follow version ${base}, and came after ${between} (${shown(write)})`,
        );
    }
    if (!answer.startsWith('412')) continue;
    const same = sightings.find((other) => other.operation.start > write.end && other.version === base);
    if (same !== undefined)
      faults.push(
        `refused for nothing: ${shown(write)} got 412, and version ${base} was there afterwards ` +
          `(${shown(same.operation)})`,
      );
  }
  return faults;
}

/** What is read was written, not after it was read, and not by a write that was refused. */
function judgeOrigins(writes: readonly Write[], reads: readonly Read[], audit: readonly Audited[]): string[] {
  const byValue = new Map(writes.map((write) => [write.value, write]));
  const first = audit[0]?.after;
  return reads.flatMap((read) => {
    if (read.outcome !== 'ok' || read.value === undefined || read.value === first) return [];
    const write = byValue.get(read.value);
    if (write === undefined) return [`nobody wrote ${read.value} (${shown(read)})`];
    if (write.outcome === 'failed') return [`a refused write was done: ${read.value} (${shown(read)})`];
    return write.start > read.end ? [`${read.value} was read before it was written (${shown(read)})`] : [];
  });
}

/** The audit has each write once, in the order of versions, each after the one before; the last is what is there. */
function judgeAudit(writes: readonly Write[], sightings: readonly Sighting[], audit: readonly Audited[]): string[] {
  const faults: string[] = [];
  const counts = new Map<string, number>();
  for (const { after = '' } of audit) counts.set(after, (counts.get(after) ?? 0) + 1);
  for (const write of writes) {
    const count = counts.get(write.value) ?? 0;
    if (write.outcome === 'ok' && count === 0)
      faults.push(`lost write: ${write.value} was acknowledged and is not in the audit (${shown(write)})`);
    if (write.outcome === 'failed' && count > 0)
      faults.push(`a refused write is in the audit: ${write.value}, ${write.answer} (${shown(write)})`);
    if (count > 1) faults.push(`written twice: ${write.value} is ${count} times in the audit (${shown(write)})`);
  }
  const versions = new Map(sightings.map(({ operation, version }) => [valueOf(operation), version]));
  let [last, newest] = ['', -Infinity];
  for (const { seq, before = '', after = '' } of audit) {
    if (last !== '' && before !== last) faults.push(`audit record ${seq} begins with ${before}, and ${last} was there`);
    last = after;
    const version = versions.get(after);
    if (version === undefined) continue;
    if (version < newest) faults.push(`audit record ${seq} (${after}) has an older version than one before it`);
    newest = Math.max(newest, version);
  }
  const final = sightings.reduce<Sighting | undefined>(
    (latest, sighting) =>
      sighting.operation.kind === 'read' && sighting.operation.start > (latest?.operation.start ?? -1)
        ? sighting
        : latest,
    undefined,
  );
  const isQuiet = final !== undefined && writes.every(({ end }) => end < final.operation.start);
  if (isQuiet && last !== '' && valueOf(final.operation) !== last)
    faults.push(`${valueOf(final.operation)} is there in the end, and the audit ends with ${last}`);
  return faults;
}
