/**
 * PROXY protocol: whom a balancer that is listed speaks for, what is refused of it, and that no one else is believed.
 */
import { expect } from 'chai';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { CLIENT as C } from '../support/paths.js';
import { dial, parseRaw, PROXY_SIGNATURE, readToEnd, startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const REFUSED = 'a balancer sent no valid PROXY protocol header and was cut';

function header(
  family: number,
  addresses: Buffer,
  { command = 0x21, length = addresses.length, more = Buffer.alloc(0) } = {},
): Buffer {
  const bytes = Buffer.from([command, family, 0, 0]);
  bytes.writeUInt16BE(length + more.length, 2);
  return Buffer.concat([PROXY_SIGNATURE, bytes, addresses, more]);
}
const v4 = (client: string) => Buffer.from([...client.split('.').map(Number), 10, 0, 0, 1, 0x30, 0x39, 1, 187]);
const v6 = (hex: string) =>
  Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(16), Buffer.from([0x30, 0x39, 1, 187])]);
const IPV4 = header(0x11, v4('203.0.113.9'));

describe('the PROXY protocol', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, {
      EDGE_PROXY_PROTOCOL_FROM: '127.0.0.2',
      EDGE_LIMIT_HEADERS_TIMEOUT: '1s',
      EDGE_LIMIT_CONNECTIONS_PER_ADDRESS: '3',
    });
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const raw = (localAddress: string) =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: Number(new URL(controller.url).port), localAddress });
      socket
        .once('connect', () => {
          socket.on('error', () => undefined);
          resolve(socket);
        })
        .once('error', reject);
    });
  const over = async (bytes: Buffer, from = '127.0.0.2') => {
    const socket = await raw(from);
    socket.write(bytes);
    return dial(controller.url, { socket });
  };
  /** In the log, from an index of it on. */
  const refusals = (since: number) => controller.log.slice(since).filter(({ msg }) => msg === REFUSED);
  /** Logs in over it and answers the address that the session has. */
  const addressSeen = async (bytes: Buffer, from?: string) => {
    const socket = await over(bytes, from);
    const body = JSON.stringify(ADMIN);
    socket.write(
      `POST ${C}/authenticate?method=password HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ` +
        `application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const answer = parseRaw(await readToEnd(socket));
    expect(answer.status, answer.head).to.equal(200);
    return (JSON.parse(answer.body) as { data: { ipAddress: string } }).data.ipAddress;
  };

  it('gives sessions the address of the client', async () => {
    expect(await addressSeen(IPV4)).to.equal('203.0.113.9');
    expect(await addressSeen(header(0x21, v6('20010db8000000000000000000000007')))).to.equal('2001:db8::7');
    expect(await addressSeen(header(0x21, v6('00000000000000000000ffffcb007109')))).to.equal('203.0.113.9');
  });

  it('skips what follows the addresses', async () => {
    expect(await addressSeen(header(0x11, v4('203.0.113.9'), { more: Buffer.alloc(500, 4) }))).to.equal('203.0.113.9');
  });

  it('leaves the balancer its own address where it speaks for itself, or of no TCP', async () => {
    expect(await addressSeen(header(0, Buffer.alloc(0), { command: 0x20 }))).to.equal('127.0.0.2');
    expect(await addressSeen(header(0x11, v4('203.0.113.9'), { command: 0x20 }))).to.equal('127.0.0.2');
    expect(await addressSeen(header(0x31, Buffer.alloc(216)))).to.equal('127.0.0.2');
  });

  it('is not believed from anywhere else, and not needed there', async () => {
    expect(await addressSeen(Buffer.alloc(0), '127.0.0.1')).to.equal('127.0.0.1');
    const outcome = await over(IPV4, '127.0.0.1').then(
      () => 'taken',
      () => 'refused',
    );
    expect(outcome).to.equal('refused');
  });

  it('counts connections by the address of the client', async () => {
    const held = [];
    for (let i = 0; i < 3; i += 1) held.push(await over(IPV4));
    expect(
      await over(IPV4).then(
        () => 'taken',
        () => 'refused',
      ),
    ).to.equal('refused');
    held.push(await over(header(0x11, v4('203.0.113.10'))));
    held.forEach((socket) => {
      socket.destroy();
    });
  });

  for (const [what, bytes, reason] of [
    [
      'version 1',
      Buffer.from('PROXY TCP4 203.0.113.9 10.0.0.1 1 2\r\n'),
      'version 1, which is not supported: set the balancer to version 2',
    ],
    ['no header', Buffer.alloc(40, 0x16), 'no header'],
    ['a wrong signature', Buffer.concat([Buffer.from([0]), IPV4.subarray(1)]), 'no header'],
    ['another version', header(0x11, v4('203.0.113.9'), { command: 0x31 }), 'unknown version or command'],
    ['another command', header(0x11, v4('203.0.113.9'), { command: 0x22 }), 'unknown version or command'],
    ['a length beyond the bound', header(0x11, v4('203.0.113.9'), { length: 65_535 }), '65535 bytes, more than 520'],
    ['too little for IPv4', header(0x11, Buffer.alloc(11)), 'cut short'],
    ['too little for IPv6', header(0x21, Buffer.alloc(35)), 'cut short'],
    ['a part that nothing follows', IPV4.subarray(0, 20), 'it did not come in time'],
    ['nothing at all', Buffer.alloc(0), 'it did not come in time'],
  ] as const) {
    it(`cuts a balancer that sends ${what}, and says why`, async () => {
      const before = controller.log.length;
      const socket = await raw('127.0.0.2');
      let isOver = false;
      socket
        .on('close', () => {
          isOver = true;
        })
        .resume();
      socket.write(bytes);
      await until('the connection is cut', () => isOver);
      const line = await until('its line', () => refusals(before)[0]);
      expect(line).to.include({ level: 40, balancer: '127.0.0.2', reason });
      socket.destroy();
    });
  }

  it('takes a header that comes byte by byte', async () => {
    const socket = await raw('127.0.0.2');
    socket.setNoDelay(true);
    for (const byte of IPV4)
      await new Promise<void>((resolve) => {
        socket.write(Buffer.from([byte]), () => {
          resolve();
        });
      });
    (await dial(controller.url, { socket })).destroy();
  });

  it('lets a check that connects and goes away be, without a line', async () => {
    const before = controller.log.length;
    const check = (await raw('127.0.0.2')).end().resume();
    await until('it is closed', () => check.closed);
    const later = (await raw('127.0.0.2')).resume();
    later.write(Buffer.alloc(40, 0x16));
    await until('the line of a later one', () => refusals(before).some(({ reason }) => reason === 'no header'));
    expect(refusals(before)).to.have.length(1);
    later.destroy();
  });
});
