/** The address that a client connects from, as sessions, logs and limits know it. */
import type { Socket } from 'node:net';

const MAPPED = /^::ffff:(?=\d+\.)/;

/** An IPv4 address that came over an IPv6 socket is an IPv4 address. */
export const plainAddress = (address: string): string => address.replace(MAPPED, '');

/**
 * Addresses that a trusted balancer declared, by the TLS layer's socket and by the one below. Empty without a balancer.
 */
const declared = new WeakMap<Socket, string>();

export function declareAddress(socket: Socket, address: string): void {
  declared.set(socket, address);
}

/** '' once the connection is gone. */
export function addressOf(socket: Socket): string {
  return declared.get(socket) ?? plainAddress(socket.remoteAddress ?? '');
}

/**
 * The network in which one client can have many addresses: of IPv6 the first 64 bits, the smallest that is given out.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const zeros = Array.from({ length: missing }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
