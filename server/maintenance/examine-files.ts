/** Checks of the controller's files. They change none. */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { bitsOf, ownDirectory } from '../../db/embedded/own-files.js';
import { adminPasswordIn, clusterIn, masterKeyIn, snapshotsIn } from '../../db/embedded/paths.js';
import { readConfig } from '../settings/config-reader.js';
import { SETTINGS } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import type { Setting } from '../settings/setting-kinds.js';
import { failed, faultOf, passed, warning } from './finding.js';
import type { Finding } from './finding.js';

const DIRECTORY = 'data directory';
const OTHERS = 0o077;
const EVERYBODY = 0o007;
const octal = (bits: number): string => bits.toString(8).padStart(3, '0');

/** Exists, is ours, and is closed to others. A fault of it hinders whatever has to read or start something there. */
export function examineDataDir({ dataDir }: Settings): Finding {
  if (!existsSync(dataDir)) {
    const isLink = lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink
      ? failed(DIRECTORY, `${dataDir} is a link that leads nowhere.`, 'Mount or make what it leads to.')
      : failed(
          DIRECTORY,
          `${dataDir} does not exist.`,
          'Set EDGE_DATA_DIR to the directory of your network, or start a controller, which makes a new one.',
        );
  }
  try {
    const real = ownDirectory(dataDir);
    const bits = bitsOf(real);
    if ((bits & OTHERS) !== 0)
      return failed(DIRECTORY, `${dataDir} is open to other users (mode ${octal(bits)}).`, `chmod 700 '${dataDir}'`);
    return passed(
      DIRECTORY,
      real === dataDir ? `${dataDir} is yours alone.` : `${dataDir} leads to ${real}, yours alone.`,
    );
  } catch (error) {
    return faultOf(DIRECTORY, `${dataDir} cannot be used: ${(error as Error).message}`);
  }
}

/** Checks the permissions of the files in the data directory, and of files that settings name. */
export function examinePermissions(config: Settings, file: string | undefined): Finding[] {
  const secrets = [
    masterKeyIn(config.dataDir),
    adminPasswordIn(config.dataDir),
    snapshotsIn(config.dataDir),
    clusterIn(config.dataDir),
  ];
  const found = secrets.flatMap((path) => openTo(path, OTHERS));
  if (config.masterKeyFile !== null) found.push(...openTo(config.masterKeyFile, EVERYBODY));
  if (file !== undefined && holdsSecret(file)) found.push(...openTo(file, EVERYBODY));
  const note = adminPasswordIn(config.dataDir);
  if (existsSync(note))
    found.push(
      warning(
        'permissions',
        `The password of the first administrator still stands in ${note}.`,
        `Note it, then delete the file: rm '${note}'`,
      ),
    );
  return found.length > 0 ? found : [passed('permissions', 'No file with a secret is open to other users.')];
}

function openTo(path: string, whom: number): Finding[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & whom) === 0) return [];
  const bits = found.mode & 0o777;
  const closed = octal(bits & ~whom);
  return [failed('permissions', `${path} is open to other users (mode ${octal(bits)}).`, `chmod ${closed} '${path}'`)];
}

function holdsSecret(file: string): boolean {
  try {
    const config = readConfig({ file, env: {} });
    return (Object.entries(SETTINGS) as [keyof Settings, Setting<unknown>][]).some(
      ([key, { isSecret }]) => isSecret === true && isGiven(config[key]),
    );
  } catch {
    return true; // what it lacks is in the environment; be careful with it
  }
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
