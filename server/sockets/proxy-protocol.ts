/**
 * PROXY protocol version 2: a balancer says before TLS from where its client connects. Only balancers that are listed
 * in `proxyProtocol.from` are believed, and they must send the header; whoever else connects is taken as it is, so that
 * a header from there is refused by TLS as no handshake.
 * @see https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt
 */
import { BlockList, SocketAddress, isIP, isIPv4 } from 'node:net';
import type { Socket } from 'node:net';
import { plainAddress } from '../base/client-address.js';

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const HEAD_BYTES = 16;
/**
 * Longest header that every sender can pass on in one segment (section 2.2): addresses, and some hundred bytes that are
 * skipped.
 */
const MAX_HEADER_BYTES = 536;

/** A header that is malformed, or says something impossible. */
class HeaderFault extends Error {}

/** @param networks  addresses, and networks such as `10.0.0.0/8`; checked when the configuration is read */
export function listedIn(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Length of what follows the first 16 bytes. @throws HeaderFault */
function lengthAfter(head: Buffer): number {
  if (head.length === 0) throw new HeaderFault('nothing');
  if (head.subarray(0, 6).toString('latin1') === 'PROXY ') {
    throw new HeaderFault('version 1, which is not supported: set the balancer to version 2');
  }
  if (!head.subarray(0, 12).equals(SIGNATURE)) throw new HeaderFault('no header');
  if (head.length < HEAD_BYTES) throw new HeaderFault('cut short');
  const [version, command] = [head.readUInt8(12) >> 4, head.readUInt8(12) & 0x0f];
  if (version !== 2 || command > 1) throw new HeaderFault('unknown version or command');
  const length = head.readUInt16BE(14);
  const most = MAX_HEADER_BYTES - HEAD_BYTES;
  if (length > most) throw new HeaderFault(`${length} bytes, more than ${most}`);
  return length;
}

/** The client's address; null when the balancer speaks for itself, or of what is no TCP over IP. @throws HeaderFault */
function clientIn(head: Buffer, rest: Buffer): string | null {
  if ((head.readUInt8(12) & 0x0f) === 0) return null;
  const family = head.readUInt8(13);
  if (family === 0x11) {
    if (rest.length < 12) throw new HeaderFault('cut short');
    return [...rest.subarray(0, 4)].join('.');
  }
  if (family === 0x21) {
    if (rest.length < 36) throw new HeaderFault('cut short');
    const groups = rest.subarray(0, 16).toString('hex').match(/.{4}/g) ?? [];
    return plainAddress(new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address);
  }
  return null;
}

/**
 * Takes the header off the connection; what follows stays in its buffer. Cuts it and reports the fault, or calls
 * `done`.
 */
export function takeHeader(
  socket: Socket,
  timeoutMs: number,
  done: (client: string | null) => void,
  faulty: (reason: string) => void,
): void {
  let head: Buffer | undefined;
  let length = 0;
  const finish = (fault?: string) => {
    clearTimeout(timer);
    socket.off('readable', look).off('end', ended).off('close', closed);
    if (fault === undefined) return;
    socket.destroy();
    if (fault !== 'nothing') faulty(fault);
  };
  const look = () => {
    try {
      if (head === undefined) {
        const bytes = socket.read(HEAD_BYTES) as Buffer | null;
        if (bytes === null) return;
        length = lengthAfter(bytes);
        head = bytes;
      }
      const rest = length === 0 ? Buffer.alloc(0) : (socket.read(length) as Buffer | null);
      if (rest === null) return;
      if (rest.length < length) throw new HeaderFault('cut short');
      const client = clientIn(head, rest);
      finish();
      done(client);
    } catch (error) {
      if (!(error instanceof HeaderFault)) throw error;
      finish(error.message);
    }
  };
  const ended = () => {
    finish(head === undefined ? 'nothing' : 'cut short');
  };
  const closed = () => {
    finish('nothing');
  };
  const timer = setTimeout(() => {
    finish('it did not come in time');
  }, timeoutMs);
  socket
    .on('error', () => undefined)
    .on('readable', look)
    .on('end', ended)
    .on('close', closed);
}
