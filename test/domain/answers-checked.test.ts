/** A list is checked to its last element before its first byte leaves, however long it is. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { writeReply } from '../../server/http/reply.js';
import { ResponseFault } from '../../server/http/spec-check.js';

const operation = operations.management.listIdentityRoleAttributes;
const page = { filterableFields: ['id'], limit: null, offset: 0, totalCount: 0 };

describe('answers with a list', () => {
  /** @returns what the writer threw, and the status and number of bytes that the client got */
  async function answer(items: Iterable<unknown>): Promise<{ fault: unknown; status: number; bytes: number }> {
    let fault: unknown;
    const server = createServer((_, response) => {
      writeReply(response, operation, { status: 200, items, page }, {}, { readerPatienceMs: 1_000 }).catch(
        (error: unknown) => {
          fault = error;
          expect(response.headersSent).to.equal(false);
          response.writeHead(500).end();
        },
      );
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      return { fault, status: response.status, bytes: (await response.arrayBuffer()).byteLength };
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }
  const texts = (count: number, length: number) => Array.from({ length: count }, () => 'ä'.repeat(length / 2));

  for (const [what, count, length] of [
    ['one element', 1, 10],
    ['a few', 10, 10],
    ['several pieces', 1_000, 1_000],
    ['more than is held as text', 30, 1_000_000],
  ] as const) {
    it(`of ${what} leave when all of it follows the spec`, async () => {
      const { fault, status, bytes } = await answer(texts(count, length));
      expect(fault).to.equal(undefined);
      expect(status).to.equal(200);
      expect(bytes).to.be.at.least(count * length);
    });

    it(`of ${what} do not leave when the last element breaks the spec`, async () => {
      const { fault, status, bytes } = await answer([...texts(count, length).slice(1), 7]);
      expect(fault).to.be.instanceOf(ResponseFault);
      expect({ status, bytes }).to.deep.equal({ status: 500, bytes: 0 });
    });
  }

  it('do not hold up the one after a list that breaks the spec', async () => {
    const answers = await Promise.all([answer([...texts(1_000, 1_000), 7]), answer(texts(1_000, 1_000))]);
    expect(answers.map(({ status }) => status)).to.deep.equal([500, 200]);
  });
});
