/**
 * The row by which other controllers, and readers of `/controllers`, know this one. Two of one name share a row: they
 * are warned and not refused, since the next one may start before the last has ended.
 */
import type { ControllerDraft } from '../../db/stores/controllers.js';
import type { Stores } from '../../db/stores/stores.js';
import { PROVIDER_PATH } from '../../domain/oidc/issuers.js';
import { basePaths } from '../../generated/routes.js';
import type { SigningEntity } from '../keys/pki-records.js';
import type { Settings } from '../settings/config.js';
import { routersReach } from '../settings/control-settings.js';
import type { Start } from './phases.js';

/** @returns the id of the row, which another start may have made */
export const joinControllers = (config: Settings, stores: Stores, server: SigningEntity, id: string): Promise<string> =>
  stores.controllers.join(rowOf(config, server, id));

/** The same at a start. Warns when a controller of this name lives, or was killed a moment ago. */
export async function joinFirst(
  { config, log }: Pick<Start, 'config' | 'log'>,
  { controllers }: Pick<Stores, 'controllers'>,
  server: SigningEntity,
  id: string,
): Promise<string> {
  const row = rowOf(config, server, id);
  const joined = await controllers.joinFirst(row);
  if (joined !== undefined) return joined;
  log.warn({ name: config.name }, NAME_IN_USE);
  return controllers.join(row);
}

const NAME_IN_USE =
  'a controller of this name gave a sign of life some seconds ago: if it still runs, /controllers shows one of the ' +
  'two; give each a name of its own with EDGE_NAME';

function rowOf(config: Settings, { certPem, fingerprint }: SigningEntity, id: string): ControllerDraft {
  const address = (path: string) => [{ url: `https://${config.advertise}${path}`, version: 'v1' }];
  return {
    id,
    name: config.name,
    ctrlAddress: `tls:${routersReach(config)}`,
    certPem,
    fingerprint,
    apiAddresses: {
      'edge-client': address(basePaths.client),
      'edge-management': address(basePaths.management),
      ...(config.oidcEnabled ? { 'edge-oidc': address(PROVIDER_PATH) } : {}),
    },
  };
}
