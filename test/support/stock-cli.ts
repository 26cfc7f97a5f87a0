/** The field's own command line program, for tests of interoperability where it is at hand. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside the working copy. */
const NEAR = fileURLToPath(new URL('../../../../shared/bin/ziti', import.meta.url));

/** Its path: what `ZITI` names, one on PATH, or one near the working copy. @throws when what `ZITI` names is missing */
export function findStockCli(): string | undefined {
  const { ZITI, PATH = '' } = process.env;
  if (ZITI !== undefined && ZITI !== '') {
    if (!existsSync(ZITI)) throw new Error(`ZITI names ${ZITI}, which does not exist`);
    return ZITI;
  }
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  return [...folders.map((folder) => join(folder, 'ziti')), NEAR].find((path) => existsSync(path));
}
