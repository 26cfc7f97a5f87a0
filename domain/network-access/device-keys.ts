/**
 * Devices that no posture check tells apart: what they reported, without times and without hardware addresses that no
 * check wants. Thousands of devices become a few, of which each is judged once.
 */
import { normalAddress } from '../posture/criteria.js';
import type { AskedCheck } from '../posture/evaluate.js';

type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : NONE);
/** A part without a time that can be read counts as missing. */
const isTimed = ({ at }: Fields): boolean => typeof at === 'string' && !Number.isNaN(Date.parse(at));

export class DeviceKeys {
  readonly #wanted: ReadonlySet<string>;

  /** @param checks  all that devices are judged by */
  constructor(checks: readonly AskedCheck[]) {
    this.#wanted = new Set(checks.flatMap((check) => (check.typeId === 'MAC' ? check.criteria.macAddresses : [])));
  }

  /** Equal for documents that every check judges alike, as `readPostureReport` reads them. */
  of(document: unknown): string {
    const { os, mac, domain, processes } = fieldsOf(document);
    const [system, address, place] = [fieldsOf(os), fieldsOf(mac), fieldsOf(domain)];
    return JSON.stringify([
      isTimed(system) && [system['type'], system['version'], system['build']],
      isTimed(address) && this.#addressesIn(address['addresses']),
      isTimed(place) && place['domain'],
      Array.isArray(processes) && processes.length > 0 ? processes.map(processKey) : '',
    ]);
  }

  #addressesIn(addresses: unknown): unknown {
    if (!Array.isArray(addresses)) return '';
    return addresses.filter((address) => typeof address === 'string' && this.#wanted.has(normalAddress(address)));
  }
}

function processKey(process: unknown): unknown {
  const fields = fieldsOf(process);
  const { checkId, path, isRunning, hash, signerFingerprints } = fields;
  return isTimed(fields) && [checkId, path, isRunning, hash, signerFingerprints];
}
