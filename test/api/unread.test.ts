/** What the system still has of what was sent, by its tables of connections. */
import { expect } from 'chai';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tableEnd, unreadBytes } from '../../server/sockets/unread.js';
import { until } from '../support/poll.js';

/** More than the client's side takes, less than the buffers of both. */
const SIZE = 1_000_000;

describe('what the system still has of what was sent', () => {
  for (const [family, listen, dialled] of [
    ['IPv4', '127.0.0.1', '127.0.0.1'],
    ['IPv6', '::1', '::1'],
    ['IPv4 at a socket for both', '::', '127.0.0.1'],
  ] as const) {
    it(`is found for ${family}, until the client has taken it`, async () => {
      const server = createServer();
      server.listen(0, listen);
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const open = async () => {
        const accepted = once(server, 'connection') as Promise<[Socket]>;
        const client = connect(port, dialled).pause();
        const [socket] = await accepted;
        return { client, socket };
      };
      const [silent, idle] = [await open(), await open()];
      try {
        await new Promise((resolve) => silent.socket.write(Buffer.alloc(SIZE), resolve));
        expect(silent.socket.writableLength).to.equal(0);
        const found = await unreadBytes([silent.socket, idle.socket]);
        expect(found.get(silent.socket)).to.be.within(1, SIZE);
        expect(found.get(idle.socket)).to.equal(0);
        silent.client.resume();
        await until('it is read', async () => (await unreadBytes([silent.socket])).get(silent.socket) === 0);
      } finally {
        for (const { client, socket } of [silent, idle]) {
          client.destroy();
          socket.destroy();
        }
        server.close();
      }
      await until('the connections are gone', async () => silent.socket.destroyed && idle.socket.destroyed);
      expect((await unreadBytes([silent.socket])).size).to.equal(0);
    });
  }

  it('is looked for by addresses as the tables write them', () => {
    const write = (address: string) => tableEnd(address, 1280);
    expect(write('127.0.0.1')).to.equal('0100007F:0500');
    expect(write('::')).to.equal('00000000000000000000000000000000:0500');
    expect(write('::1')).to.equal('00000000000000000000000001000000:0500');
    expect(write('::ffff:127.0.0.1')).to.equal('0000000000000000FFFF00000100007F:0500');
    expect(write('fe80::a00:27ff:fe4e:66a1%eth0')).to.equal('000080FE00000000FF27000AA1664EFE:0500');
    expect(write('2001:db8:1:2:3:4:5:6')).to.equal('B80D0120020001000400030006000500:0500');
  });
});
