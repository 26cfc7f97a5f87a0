/** Reads where clients reach a router from its report. It goes to clients, so only sound addresses count. */
import { formatHostPort, parseHost } from '../../domain/pki/server-name.js';
import type { ClientHello } from '../../generated/fabric/edge_pb.js';

export interface Reach {
  /** Empty when none is sound. */
  readonly hostname: string;
  /** URLs by protocol. Of several with one protocol the last counts. */
  readonly protocols: Readonly<Record<string, string>>;
  /** Listeners that cannot be used. */
  readonly unusable: number;
  /** Hosts that the certificate for clients does not have. */
  readonly uncertified: readonly string[];
}

interface ClientAddress {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
}

const MAX_LISTENERS = 20;
const PROTOCOL = /^[a-z][a-z0-9+.-]{0,31}$/;

/** @param serverNames  hosts in its certificate; null when they are not known */
export function reachOf(hello: ClientHello, serverNames: readonly string[] | null): Reach {
  const claimed = claimedBy(hello).slice(0, MAX_LISTENERS);
  const sound = claimed.flatMap(soundAddress);
  const hosts = [...new Set(sound.map(({ hostname }) => hostname))];
  return {
    hostname: hostOf(hello.hostname) ?? hosts[0] ?? '',
    protocols: Object.fromEntries(
      sound.map(({ protocol, hostname, port }) => [
        protocol,
        `${protocol}://${formatHostPort({ host: hostname, port })}`,
      ]),
    ),
    unusable: claimed.length - sound.length,
    uncertified: serverNames === null ? [] : hosts.filter((host) => !serverNames.includes(host)),
  };
}

function claimedBy({ hostname, protocols, protocolPorts, listeners }: ClientHello): ClientAddress[] {
  if (listeners.length > 0)
    return listeners.map(({ advertise }) => ({
      protocol: advertise?.protocol ?? '',
      hostname: advertise?.hostname ?? '',
      port: advertise?.port ?? 0,
    }));
  return protocols.map((protocol, index) => ({ protocol, hostname, port: Number(protocolPorts[index]) }));
}

function soundAddress({ protocol, hostname, port }: ClientAddress): ClientAddress[] {
  const host = hostOf(hostname);
  const isSound = host !== undefined && PROTOCOL.test(protocol) && Number.isInteger(port) && port > 0 && port < 65_536;
  return isSound ? [{ protocol, hostname: host, port }] : [];
}

function hostOf(text: string): string | undefined {
  try {
    return parseHost(text);
  } catch {
    return undefined;
  }
}
