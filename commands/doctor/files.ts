/** Check of the master key. It changes nothing. */
import { readFileSync } from 'node:fs';
import { OwnFileError, readOwnFile } from '../../db/embedded/own-files.js';
import { masterKeyIn } from '../../db/embedded/paths.js';
import { createKeyRing, parseMasterKey } from '../../domain/pki/master-key.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import type { Settings } from '../../server/settings/config.js';
import { failed, faultOf, passed } from '../../server/maintenance/finding.js';
import type { Finding } from '../../server/maintenance/finding.js';

export interface FoundKey {
  readonly finding: Finding;
  readonly keyRing?: KeyRing;
}

const KEY = 'master key';

/** Whether there is one, of the right form. A first start would make one; this does not. */
export function examineMasterKey(config: Settings): FoundKey {
  const file = config.masterKeyFile ?? masterKeyIn(config.dataDir);
  const place = config.masterKey !== null ? 'EDGE_MASTER_KEY' : file;
  try {
    const text =
      config.masterKey ??
      (config.masterKeyFile === null ? readOwnFile(file) : readFileSync(config.masterKeyFile, 'utf8'));
    if (text === undefined)
      return { finding: failed(KEY, `${file} does not exist.`, 'Put it back, or set EDGE_MASTER_KEY.') };
    const keyRing = createKeyRing(parseMasterKey(text), config.oldMasterKeys.map(parseMasterKey));
    return { finding: passed(KEY, `The key of ${place} has the right form.`), keyRing };
  } catch (error) {
    const { message } = error as Error;
    return {
      finding:
        error instanceof OwnFileError
          ? faultOf(KEY, `${place} cannot be used: ${message}`)
          : failed(
              KEY,
              `${place} cannot be used: ${message}.`,
              'Set it to the key of the network: 32 bytes in base64.',
            ),
    };
  }
}
