/**
 * Settings of the address that is for routers alone, and what routers are told of it. Part of the table in config.ts;
 * docs/control-channel.md says when to have one.
 */
import { formatHostPort, parseHostPort } from '../../domain/pki/server-name.js';
import { parseFlag, hostPort, orNone, setting } from './setting-kinds.js';
import type { SettingsOf } from './setting-kinds.js';

export const CONTROL = {
  controlListen: setting(
    'control.listen',
    'EDGE_CONTROL_LISTEN',
    orNone(hostPort),
    null,
    'Address and port for routers alone. When it is set, `listen` takes none. Unset: routers use `listen`.',
  ),
  controlAdvertise: setting(
    'control.advertise',
    'EDGE_CONTROL_ADVERTISE',
    orNone(hostPort),
    null,
    'Address and port that routers reach: stands in enrollment JWTs and the server certificate. Unset: the host of ' +
      '`advertise`, with the port of `control.listen` when that is set.',
  ),
  controlShared: setting(
    'control.shared',
    'EDGE_CONTROL_SHARED',
    parseFlag,
    false,
    'Whether `listen` takes routers besides `control.listen`: for the time in which routers that know only the first ' +
      'are moved.',
  ),
};

type ControlConfig = SettingsOf<typeof CONTROL>;

/** Address at which routers reach this controller, as `host:port`. */
export function routersReach({
  advertise,
  controlAdvertise,
  controlListen,
}: Pick<ControlConfig, 'controlAdvertise' | 'controlListen'> & { readonly advertise: string }): string {
  if (controlAdvertise !== null) return controlAdvertise;
  if (controlListen === null) return advertise;
  return formatHostPort({ host: parseHostPort(advertise).host, port: parseHostPort(controlListen).port });
}

/** Returns the faults of these settings together, as sentences. */
export function controlFaults({
  listen,
  controlListen,
  controlAdvertise,
}: Partial<Pick<ControlConfig, 'controlListen' | 'controlAdvertise'> & { readonly listen: string }>): string[] {
  if (controlListen === undefined || controlListen === null) return [];
  const { port } = parseHostPort(controlListen);
  if (port === 0)
    return controlAdvertise === null
      ? ['control.listen takes any free port, which routers cannot know: name a port, or set control.advertise']
      : [];
  return controlListen === listen
    ? [`control.listen is ${controlListen}, as listen is: give it another port, or leave it out`]
    : [];
}
