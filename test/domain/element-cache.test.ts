/** Texts of list elements: good for equal rows and contexts, and for nothing else; never more than they may be. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { keptListOf } from '../../handlers/handler.js';
import { ElementCache } from '../../handlers/element-cache.js';
import type { ElementKind } from '../../handlers/element-cache.js';
import type { LazyRow } from '../../domain/model.js';
import { writeReply } from '../../server/http/reply.js';
import { ResponseFault } from '../../server/http/spec-check.js';

const MAX_BYTES = 1024 * 1024;

type Texts = readonly (string | null)[];
const row = (...texts: Texts): LazyRow<Texts> => ({
  id: texts[0] ?? '',
  text: JSON.stringify(texts),
  read: () => texts,
});
const kindOf = (context = 'offline', name = 'identity'): ElementKind<Texts, unknown> => ({
  name,
  contextOf: () => context,
  make: (texts, seen) => ({ texts, seen }),
});

describe('texts of list elements', () => {
  let kept: ElementCache;
  let written: unknown[];
  beforeEach(() => {
    kept = new ElementCache(MAX_BYTES);
    written = [];
  });
  const textOf = (of: LazyRow<Texts>, kind = kindOf(), validator = 'a', texts = kept) =>
    texts.element(of, kind).text(validator, (value) => {
      written.push(value);
      return JSON.stringify(value);
    });

  /** Its text is kept from then on. */
  const twice = (...of: Parameters<typeof textOf>) => {
    textOf(...of);
    const text = textOf(...of);
    written = [];
    return text;
  };

  it('are known once the same row has come twice', () => {
    const first = twice(row('1', 'a', null));
    expect(textOf(row('1', 'a', null))).to.equal(first);
    expect(written).to.have.lengthOf(0);
    expect(textOf(row('2', 'a', null))).to.not.equal(first);
    expect(written).to.have.lengthOf(1);
  });

  it('are not kept of rows that are others each time', () => {
    for (let time = 0; time < 100; time += 1) textOf(row('1', String(time)));
    expect(kept.bytes).to.equal(0);
    expect(written).to.have.lengthOf(100);
  });

  it('are written again when any column is another one', () => {
    const texts: Texts = ['1', 'a', null, '', '{}'];
    for (let at = 1; at < texts.length; at += 1)
      for (const other of ['', null, 'x', '{"a":1}']) {
        if (other === texts[at]) continue;
        twice(row(...texts));
        const changed = texts.map((text, index) => (index === at ? other : text));
        expect(textOf(row(...changed))).to.equal(JSON.stringify({ texts: changed, seen: 'offline' }));
        expect(written, `column ${at}: ${String(other)}`).to.have.lengthOf(1);
      }
  });

  it('are of one context, kind and check', () => {
    const of = row('1', 'a');
    twice(of, kindOf('offline'));
    for (let time = 0; time < 2; time += 1) {
      expect(textOf(of, kindOf('online'))).to.include('online');
      expect(textOf(of, kindOf('offline'))).to.include('offline');
    }
    expect(written).to.have.lengthOf(4);
    twice(of, kindOf('offline', 'other'));
    textOf(of, kindOf('offline', 'other'));
    expect(written).to.have.lengthOf(0);
    textOf(of, kindOf('offline', 'other'), 'b');
    expect(written).to.have.lengthOf(1);
  });

  it('of other kinds are others, however ids and names are put together', () => {
    const one = twice(row('b c', 'x'), kindOf('', 'a'));
    const other = twice(row('c', 'x'), kindOf('', 'a b'));
    expect([one, other].map((text) => (JSON.parse(text) as { texts: Texts }).texts[0])).to.deep.equal(['b c', 'c']);
  });

  it('see the context that they are kept for, also when it moves meanwhile', () => {
    let asked = 0;
    twice(row('1'));
    const moving: ElementKind<Texts, unknown> = { ...kindOf(), contextOf: () => String((asked += 1)) };
    expect(textOf(row('1'), moving)).to.equal(JSON.stringify({ texts: ['1'], seen: '1' }));
    expect(textOf(row('1'), moving)).to.equal(JSON.stringify({ texts: ['1'], seen: '2' }));
  });

  it('take no more than they may, and the least used go first', () => {
    const long = 'x'.repeat(1_000);
    const isKnown = (id: string) => {
      const before = written.length;
      textOf(row(id, long));
      return written.length === before;
    };
    twice(row('used', long));
    for (let id = 0; id < 3_000; id += 1) {
      twice(row(String(id), long));
      expect(isKnown('used')).to.equal(true);
      expect(kept.bytes).to.be.at.most(MAX_BYTES);
    }
    expect(kept.bytes).to.be.greaterThan(MAX_BYTES / 2);
    expect(isKnown('0')).to.equal(false);
  });

  it('stay when more is read over and over than there is room for', () => {
    const all = Array.from({ length: 1_000 }, (_, id) => row(String(id), 'x'.repeat(1_000)));
    for (let time = 0; time < 5; time += 1) for (const one of all) textOf(one);
    written = [];
    for (const one of all) textOf(one);
    expect(written.length).to.be.lessThan(all.length - 100);
  });

  it('count two bytes for each character beyond Latin-1', () => {
    twice(row('1', 'x'.repeat(1_000)));
    const plain = kept.bytes;
    const other = new ElementCache(MAX_BYTES);
    twice(row('1', '東'.repeat(1_000)), kindOf(), 'a', other);
    expect(other.bytes - plain).to.be.greaterThan(1_900);
  });

  it('are not kept when one takes a large part of all, and none when none may be', () => {
    twice(row('1', 'x'.repeat(MAX_BYTES / 16)));
    expect(kept.bytes).to.equal(0);
    const none = new ElementCache(0);
    twice(row('1', 'a'), kindOf(), 'a', none);
    textOf(row('1', 'a'), kindOf(), 'a', none);
    expect(written).to.have.lengthOf(1);
    expect(none.bytes).to.equal(0);
  });

  describe('in an answer', () => {
    const operation = operations.management.listIdentityRoleAttributes;
    const strings = (read: (texts: Texts) => unknown): ElementKind<Texts, unknown> => ({
      name: 'attribute',
      contextOf: () => '',
      make: read,
    });
    /** @returns the text of the answer, and what the writer threw */
    async function answer(
      rows: readonly LazyRow<Texts>[],
      kind: ElementKind<Texts, unknown>,
      limit: number | null = 10,
    ) {
      const page = { filterableFields: ['id'], limit, offset: 0, totalCount: rows.length };
      let fault: unknown;
      const server = createServer((_, response) => {
        const reply = keptListOf({ items: rows, ...page }, kind, kept);
        writeReply(response, operation, reply, {}, { readerPatienceMs: 1_000 }).catch((error: unknown) => {
          fault = error;
          response.writeHead(500).end();
        });
      });
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      try {
        const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        return { fault, text: await response.text() };
      } finally {
        server.close();
        server.closeAllConnections();
      }
    }

    for (const [what, count, length] of [
      ['a few', 3, 10],
      ['several pieces', 150, 1_000],
    ] as const) {
      it(`of ${what} make the same answer again`, async () => {
        const rows = Array.from({ length: count }, (_, index) => row(String(index), 'ä'.repeat(length)));
        let made = 0;
        const kind = strings(([, text]) => {
          made += 1;
          return text;
        });
        const first = await answer(rows, kind);
        expect((JSON.parse(first.text) as { data: unknown[] }).data).to.have.lengthOf(count);
        for (let time = 0; time < 3; time += 1) expect((await answer(rows, kind)).text).to.equal(first.text);
        expect(made).to.equal(2 * count);
        const changed = rows.map((one, index) => (index === 1 ? row('1', 'other') : one));
        const { data } = JSON.parse((await answer(changed, kind)).text) as { data: unknown[] };
        expect(data).to.deep.equal(changed.map((one) => one.read()[1]));
        expect(made).to.equal(2 * count + 1);
      });
    }

    it('are not kept of one that breaks its spec', async () => {
      const rows = [row('1', 'good'), row('2', 'bad')];
      const kind = strings(([, text]) => (text === 'bad' ? 7 : text));
      for (let time = 0; time < 4; time += 1) {
        const { fault, text } = await answer(rows, kind);
        expect(fault).to.be.instanceOf(ResponseFault);
        expect(text).to.equal('');
      }
    });

    it('are not kept of a list without limit', async () => {
      const kind = strings(([, text]) => text);
      for (let time = 0; time < 3; time += 1) {
        const { text } = await answer([row('1', 'good')], kind, null);
        expect((JSON.parse(text) as { data: unknown[] }).data).to.deep.equal(['good']);
      }
      expect(kept.bytes).to.equal(0);
    });
  });
});
