/**
 * Criteria of posture checks, by type, in the one normal form in which they are stored, returned and compared. Field
 * names are those of the wire.
 */
import { invalidField } from '../errors.js';
import { sortedSet } from '../sorted-set.js';
import { parseRange } from './semver.js';

export const postureTypes = ['OS', 'MAC', 'DOMAIN', 'MFA', 'PROCESS', 'PROCESS_MULTI'] as const;
export type PostureType = (typeof postureTypes)[number];

const osNames = ['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS'] as const;
export type OsName = (typeof osNames)[number];

export interface OperatingSystem {
  readonly type: OsName;
  readonly versions: readonly string[];
}
export interface Process {
  readonly osType: OsName;
  readonly path: string;
  readonly hashes: readonly string[];
  readonly signerFingerprint?: string;
}
export interface ProcessOfMany {
  readonly osType: OsName;
  readonly path: string;
  readonly hashes: readonly string[];
  readonly signerFingerprints: readonly string[];
}

export interface MfaCriteria {
  /** -1: a code lasts as long as the session. */
  readonly timeoutSeconds: number;
  readonly promptOnWake: boolean;
  readonly promptOnUnlock: boolean;
  readonly ignoreLegacyEndpoints: boolean;
}

export interface CriteriaByType {
  OS: { readonly operatingSystems: readonly OperatingSystem[] };
  MAC: { readonly macAddresses: readonly string[] };
  DOMAIN: { readonly domains: readonly string[] };
  MFA: MfaCriteria;
  PROCESS: { readonly process: Process };
  PROCESS_MULTI: { readonly semantic: 'AllOf' | 'AnyOf' | 'OneOf'; readonly processes: readonly ProcessOfMany[] };
}

/** A type and what it asks for, which belong together. */
export type Criteria = {
  [T in PostureType]: { readonly typeId: T; readonly criteria: CriteriaByType[T] };
}[PostureType];

interface ChangeByType extends Omit<CriteriaByType, 'PROCESS'> {
  /** A signer of '' takes it away. */
  PROCESS: { readonly process: Partial<Process> };
}

/** The type and some of its fields: what a PATCH brings. */
export type CriteriaChange = {
  [T in PostureType]: { readonly typeId: T; readonly criteria: Partial<ChangeByType[T]> };
}[PostureType];

/**
 * Returns the criteria of a check after a change of it. Members of a process that are not given stay too: a change of
 * its path must not lose its hashes.
 * @returns undefined when nothing of it changes, as with a change of another type
 */
export function changedCriteria(
  present: Criteria,
  { typeId, criteria }: CriteriaChange,
): Criteria['criteria'] | undefined {
  if (present.typeId !== typeId || Object.keys(criteria).length === 0) return undefined;
  if (present.typeId !== 'PROCESS') return { ...present.criteria, ...criteria };
  const { signerFingerprint = '', ...process } = {
    ...present.criteria.process,
    ...('process' in criteria ? criteria.process : {}),
  };
  return { process: signerFingerprint === '' ? process : { ...process, signerFingerprint } };
}

const spellingKey = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');
const bySpelling = new Map(osNames.map((name) => [spellingKey(name), name]));

/** Name of an operating system in any usual spelling. @throws DomainError `invalidField` naming `field` */
export function parseOsName(field: string, name: string | null | undefined): OsName {
  if (name === null || name === undefined) throw invalidField(field, `${field} in body is required`, undefined);
  const known = bySpelling.get(spellingKey(name));
  if (known === undefined) throw invalidField(field, `${field} in body should be one of [${osNames.join(' ')}]`, name);
  return known;
}

/** Names by which devices report a system besides the usual ones. */
const REPORTED_NAMES = new Map<string, OsName>([
  ['darwin', 'macOS'],
  ['macosx', 'macOS'],
]);

/** Whether a device that reports `reported` runs this system, in whatever spelling. */
export function sameOs(name: OsName, reported: string): boolean {
  const known = spellingKey(reported);
  return (bySpelling.get(known) ?? REPORTED_NAMES.get(known)) === name;
}

/** Sorted by type. @throws DomainError `invalidField` for an unknown system and for what is no range of versions */
export function parseOperatingSystems(
  systems: readonly { readonly type: string; readonly versions: readonly string[] }[],
): OperatingSystem[] {
  const parsed = systems.map(({ type, versions }, index) => {
    const field = `operatingSystems.${index}`;
    for (const [at, version] of versions.entries()) {
      if (parseRange(version) === undefined) {
        throw invalidField(
          `${field}.versions.${at}`,
          `${field}.versions.${at} in body should be a range of semantic versions`,
          version,
        );
      }
    }
    return { type: parseOsName(`${field}.type`, type), versions };
  });
  return parsed.sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
}

/** Lower-case hex digits and nothing else. */
export function normalAddress(address: string): string {
  return address.toLowerCase().replace(/[^0-9a-f]/g, '');
}

export const parseAddresses = (addresses: readonly string[]): string[] => sortedSet(addresses.map(normalAddress));

interface GivenProcess {
  readonly os?: string | null;
  readonly osType?: string | null;
  readonly path: string;
  readonly hashes?: readonly string[] | null;
}

const lower = (values: readonly string[] | null | undefined) => (values ?? []).map((value) => value.toLowerCase());

export function parseProcess(given: GivenProcess & { readonly signerFingerprint?: string | null }): Process {
  const osType = parseOsName('process.osType', given.osType ?? given.os);
  const process = { osType, path: given.path, hashes: lower(given.hashes) };
  return given.signerFingerprint == null || given.signerFingerprint === ''
    ? process
    : { ...process, signerFingerprint: given.signerFingerprint.toLowerCase() };
}

/** Reads the given members of a process. @throws DomainError `invalidField` */
export function parseProcessChange(
  given: {
    readonly [K in keyof GivenProcess]?: GivenProcess[K] | null;
  } & { readonly signerFingerprint?: string | null },
): Partial<Process> {
  const { hashes, path, signerFingerprint } = given;
  const os = given.osType ?? given.os;
  return {
    ...(os == null ? {} : { osType: parseOsName('process.osType', os) }),
    ...(path == null ? {} : { path }),
    ...(hashes == null ? {} : { hashes: lower(hashes) }),
    ...(signerFingerprint == null ? {} : { signerFingerprint: signerFingerprint.toLowerCase() }),
  };
}

/** Hashes and signers stay as they are written, unlike those of a check of one process: clients compare them. */
export function parseProcesses(
  given: readonly (GivenProcess & { readonly signerFingerprints?: readonly string[] | null })[],
): ProcessOfMany[] {
  return given.map(({ os, osType, path, hashes, signerFingerprints }, index) => ({
    osType: parseOsName(`processes.${index}.osType`, osType ?? os),
    path,
    hashes: hashes ?? [],
    signerFingerprints: signerFingerprints ?? [],
  }));
}

/** 0 and less mean no limit. @throws DomainError `invalidField` for more than can be counted */
export function parseTimeout(seconds: number): number {
  if (!Number.isSafeInteger(seconds))
    throw invalidField(
      'timeoutSeconds',
      `timeoutSeconds in body should be less than or equal to ${Number.MAX_SAFE_INTEGER}`,
      seconds,
    );
  return seconds > 0 ? seconds : -1;
}
