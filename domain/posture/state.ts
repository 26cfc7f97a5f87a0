/**
 * Known state of the device behind an API session: its client's reports, and the time at which its user gave a code.
 * Facts that are unknown or cannot be read count as missing, so that checks of them fail.
 */

/** One report. */
interface Reported {
  /** The check that the client answered, as it named it. */
  readonly checkId: string;
  /** Time since which it is so. */
  readonly at: Date;
}

export interface ReportedOs extends Reported {
  readonly type: string;
  readonly version: string;
  readonly build: string | null;
}
export interface ReportedAddresses extends Reported {
  /** Lower-case hex digits, sorted. */
  readonly addresses: readonly string[];
}
export interface ReportedDomain extends Reported {
  readonly domain: string;
}
export interface ReportedProcess extends Reported {
  /** null: the one that the check asks for. */
  readonly path: string | null;
  readonly isRunning: boolean;
  /** SHA-256 and SHA-1 as lower-case hex digits; '' when there is none. */
  readonly hash: string;
  readonly signerFingerprints: readonly string[];
}

/** Report of a client about its device, stored as one document. */
export interface PostureReport {
  readonly os: ReportedOs | null;
  readonly mac: ReportedAddresses | null;
  readonly domain: ReportedDomain | null;
  readonly processes: readonly ReportedProcess[];
}

export interface PostureState extends PostureReport {
  /** The last code that was given in this API session. */
  readonly passedMfaAt: Date | null;
  /** The first of these events since that code. */
  readonly wokenAt: Date | null;
  readonly unlockedAt: Date | null;
}

export const NOTHING_REPORTED: PostureReport = { os: null, mac: null, domain: null, processes: [] };
export const NOTHING_KNOWN: PostureState = { ...NOTHING_REPORTED, passedMfaAt: null, wokenAt: null, unlockedAt: null };

type Fields = Readonly<Record<string, unknown>>;
const isText = (value: unknown): value is string => typeof value === 'string';
const textOf = (value: unknown) => (isText(value) ? value : '');
const textsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isText) : []);

/** A report as it was stored; null when it is none. */
function storedReport<T>(value: unknown, read: (fields: Fields) => T): (T & Reported) | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const fields = value as Fields;
  const at = new Date(textOf(fields['at']));
  return Number.isNaN(at.getTime()) ? null : { ...read(fields), checkId: textOf(fields['checkId']), at };
}

/** Reads the stored document; never throws. */
export function readPostureReport(document: unknown): PostureReport {
  if (typeof document !== 'object' || document === null) return NOTHING_REPORTED;
  const { os, mac, domain, processes } = document as Fields;
  return {
    os: storedReport(os, ({ type, version, build }) => ({
      type: textOf(type),
      version: textOf(version),
      build: isText(build) ? build : null,
    })),
    mac: storedReport(mac, ({ addresses }) => ({ addresses: textsOf(addresses) })),
    domain: storedReport(domain, (fields) => ({ domain: textOf(fields['domain']) })),
    processes: (Array.isArray(processes) ? processes : []).flatMap((each: unknown) => {
      const read = storedReport(each, ({ path, isRunning, hash, signerFingerprints }) => ({
        path: isText(path) ? path : null,
        isRunning: isRunning === true,
        hash: textOf(hash),
        signerFingerprints: textsOf(signerFingerprints),
      }));
      return read === null ? [] : [read];
    }),
  };
}
