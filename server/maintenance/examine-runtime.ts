/** The Node.js that runs this: whether its line still gets fixes. TLS and HTTP are its own. */
import { passed, warning } from './finding.js';
import type { Finding } from './finding.js';

const CHECK = 'Node.js';

/** Last day of fixes by major version, as announced by the Node.js project. Odd releases get them for half a year. */
const ENDS: ReadonlyMap<number, string> = new Map([
  [20, '2026-04-30'],
  [21, '2024-06-01'],
  [22, '2027-04-30'],
  [23, '2025-06-01'],
  [24, '2028-04-30'],
  [25, '2026-06-01'],
  [26, '2029-04-30'],
]);

/** @param version  such as `v24.1.0`. A line that this release does not know is newer than it, and passes. */
export function examineRuntime(version: string, now: Date): Finding {
  const end = ENDS.get(Number(/^v(\d+)\./.exec(version)?.[1]));
  if (end === undefined) return passed(CHECK, `${version}: this release does not know when its line ends.`);
  if (now.getTime() <= Date.parse(`${end}T23:59:59Z`)) return passed(CHECK, `${version} gets fixes until ${end}.`);
  return warning(
    CHECK,
    `${version} is of a line without fixes since ${end}: faults in its TLS and HTTP stay.`,
    'Run it with Node.js 24, or with the default base of the image, and restart the controller.',
  );
}
