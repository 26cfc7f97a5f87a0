/** A long answer becomes text piece by piece, and others have their turns in between; a short one takes one. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { PIECE } from '../../server/http/socket-writer.js';
import { writeReply } from '../../server/http/reply.js';

const operation = operations.management.listIdentityRoleAttributes;
const page = { filterableFields: ['id'], limit: null, offset: 0, totalCount: 0 };
const LETTERS = 400;

describe('answers in turns', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  /**
   * Asks for so many lists of so many texts at once.
   * @returns their elements, and the rounds of the event loop until each was text
   */
  async function answer(lists: number, length: number): Promise<{ lengths: number[]; rounds: number[] }> {
    const rounds: number[] = [];
    const server = createServer((_, response) => {
      let round = 0;
      let isText = false;
      const next = () => {
        round += 1;
        if (!isText) setImmediate(next);
      };
      setImmediate(next);
      const data = Array.from({ length }, (_item, index) => String(index).padStart(LETTERS, 'x'));
      const onWritten = () => {
        isText = true;
        rounds.push(round);
      };
      void writeReply(
        response,
        operation,
        { status: 200, items: data, page, onWritten },
        {},
        { readerPatienceMs: 1_000 },
      );
    });
    servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bodies = await Promise.all(
      Array.from({ length: lists }, async () => (await fetch(url)).json() as Promise<{ data: string[] }>),
    );
    return { lengths: bodies.map(({ data }) => data.length), rounds };
  }

  it('take one round for each piece', async () => {
    const length = 2_000;
    const { lengths, rounds } = await answer(1, length);
    expect(lengths).to.deep.equal([length]);
    expect(rounds[0]).to.be.at.least(Math.floor((length * LETTERS) / PIECE) - 1);
  });

  it('take as many rounds as all of them have pieces, when there are several', async () => {
    const { lengths, rounds } = await answer(4, 2_000);
    expect(lengths).to.deep.equal([2_000, 2_000, 2_000, 2_000]);
    for (const count of rounds) expect(count).to.be.at.least(Math.floor((2_000 * LETTERS) / PIECE) - 1);
  });

  it('take none when they are short', async () => {
    expect(await answer(1, 10)).to.deep.equal({ lengths: [10], rounds: [0] });
    expect((await answer(1, 100)).rounds).to.deep.equal([0]);
  });
});
