/**
 * The row by which other controllers, and readers of `/controllers`, know this one. Its name belongs to one controller:
 * another one that lives keeps a start from taking it, and what a killed process left keeps none for longer than a sign
 * of life lasts.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ControllerDraft } from '../../db/stores/controllers.js';
import type { Stores } from '../../db/stores/stores.js';
import { PROVIDER_PATH } from '../../domain/oidc/issuers.js';
import { basePaths } from '../../generated/routes.js';
import type { SigningEntity } from '../keys/pki-records.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import { routersReach } from '../settings/control-settings.js';
import type { Start } from './phases.js';

const LOOK_MS = 250;

/** @returns the id of the row, which another start may have made */
export const joinControllers = (config: Settings, stores: Stores, server: SigningEntity, id: string): Promise<string> =>
  stores.controllers.join(rowOf(config, server, id));

/**
 * The same at a start. Waits, for some seconds at most, to see whether a controller of this name lives.
 * @throws ConfigError when one does
 */
export async function joinFirst(
  { config, abort }: Pick<Start, 'config' | 'abort'>,
  { controllers }: Pick<Stores, 'controllers'>,
  server: SigningEntity,
  id: string,
): Promise<string> {
  const row = rowOf(config, server, id);
  let seen: number | undefined;
  for (;;) {
    const joined = await controllers.joinFirst(row);
    if (joined !== undefined) return joined;
    const last = await controllers.lastSeen(config.name);
    if (seen !== undefined && last !== undefined && last > seen) throw nameIsTaken(config.name);
    seen = last;
    await pause(LOOK_MS);
    abort.throwIfAborted();
  }
}

const nameIsTaken = (name: string) =>
  new ConfigError(
    `A controller named "${name}" already runs on this database. Give each controller a name of its own with ` +
      'EDGE_NAME, or stop the other one before this one starts.',
  );

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
