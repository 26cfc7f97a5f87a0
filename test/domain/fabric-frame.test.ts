import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { expect } from 'chai';
import fc from 'fast-check';
import { couldBeStored } from '../../domain/ids.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import {
  FrameReader,
  HELLO_LIMITS,
  encodeFrame,
  message,
  readBody,
  textOf,
  typedMessage,
} from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import {
  encodeBytesMap,
  encodeCapabilities,
  encodeInt32,
  encodeText,
  encodeTextMap,
  encodeTexts,
  readBoolean,
  readBytesMap,
  readCapabilities,
  readInt32,
  readText,
  readTextMap,
  readTexts,
  readUint32,
  readUint64,
} from '../../fabric/channel/headers.js';
import { MalformedError } from '../../fabric/channel/malformed.js';
import {
  ApiSessionAddedSchema,
  ClientHelloSchema,
  CreateTerminatorV2ResponseSchema,
} from '../../generated/fabric/edge_pb.js';
import {
  ListenersSchema,
  FaultSchema,
  FaultSubject,
  RouterLinksSchema,
  ValidateTerminatorsV2ResponseSchema,
} from '../../generated/fabric/control_pb.js';
import { SubscribeToDataModelRequestSchema } from '../../generated/fabric/data-model_pb.js';

const LIMITS = { headers: 65_536, body: 1 << 20 };

const bytes = (hex: string) => Buffer.from(hex.replace(/\s/g, ''), 'hex');

function decode(hex: string): Frame {
  const reader = new FrameReader(LIMITS);
  reader.push(bytes(hex));
  const frame = reader.next();
  if (frame === undefined) throw new Error('no whole frame');
  expect(reader.held, 'bytes after the frame').to.equal(0);
  return frame;
}

const encoded = (frame: Frame) => Buffer.concat(encodeFrame(frame.sequence, frame)).toString('hex');

/** What a stock router and its controller were seen to send. */
const HELLO = `0306090c 00000000 ffffffff 93000000 09000000
  04000000 2c000000 76302e302e307c6c6f63616c7c323032302d30312d30312030313a30313a30317c6c696e75787c616d643634
  e8030000 28000000 0a260a12746c733a3132372e302e302e313a333132331203746c73220764656661756c742a026c6f
  ea030000 01000000 02 09000000 01000000 01 07000000 0c000000 6374726c2e64656661756c74 0b000000 01000000 01
  6e3356757269475747`;
const ROUTER_LINKS = '0306090c 0b040000 01000000 10000000 02000000 05000000 08000000 7ea8bdf8972aea18 1001';
const SERVER_HELLO = `0306090c 204e0000 02000000 29000000 2e000000 00040000 01000000 01
  05000000 08000000 a3fc44f9972aea18 06000000 08000000 7ea8bdf8972aea18
  0a0676302e302e30120f0a07696e7374616e7412047472756512130a0b726f757465724d6f64656c120474727565`;
const SUBSCRIBE = '0306090c 19500000 02000000 00000000 0e000000 10ac02 2a09 33705041627447505a';
const CLIENT_HELLO = `0306090c 214e0000 03000000 25000000 75000000 00040000 01000000 01
  01040000 08000000 0000000000000000 01000000 04000000 02000000
  0a0676302e302e3012093132372e302e302e311a03746c732a04333132325255522a5212746c733a3132372e302e302e313a33313232a20103
  746c73f201093132372e302e302e31c002b218a20126520e3132372e302e302e313a33313232a20103746c73f201093132372e302e302e31c0
  02b218`;
const HEARTBEAT = '0306090c 05000000 04000000 10000000 00000000 06000000 08000000 a3fc44f9972aea18';
const TERMINATOR_ANSWER = `0306090c f94e0000 13000000 0c000000 18000000 01000000 04000000 09000000
  0a16326d624b75785354707138335865796d494963637874`;
const ROUTE_RESULT = `0306090c fe030000 0f000000 21000000 16000000 4e040000 01000000 01 01000000 04000000 21000000
  4d040000 04000000 00000000 36506f3570396a784668554d61635355724562664171`;
const FAULT = `0306090c ec030000 11000000 00000000 18000000
  12 16 ${Buffer.from('6Po5p9jxFhUMacSUrEbfAq').toString('hex')}`;

describe('frames of the control channel', () => {
  for (const [name, hex] of Object.entries({
    HELLO,
    ROUTER_LINKS,
    SERVER_HELLO,
    SUBSCRIBE,
    CLIENT_HELLO,
    HEARTBEAT,
    TERMINATOR_ANSWER,
    ROUTE_RESULT,
    FAULT,
  })) {
    it(`reads and writes ${name.toLowerCase().replaceAll('_', ' ')} as it was seen`, () => {
      expect(encoded(decode(hex))).to.equal(bytes(hex).toString('hex'));
    });
  }

  it('makes no text that the database could not hold', () => {
    const nul = 'a\0b';
    const fault = typedMessage(ContentType.Fault, FaultSchema, create(FaultSchema, { id: nul }));
    const state = create(ValidateTerminatorsV2ResponseSchema, { states: { [nul]: { detail: nul } } });
    const headers = new Map([
      [1, encodeText(nul)],
      [2, encodeTexts([nul])],
      [3, encodeTextMap(new Map([[nul, nul]]))],
    ]);
    const texts = [
      textOf(message(0, nul)),
      readBody(FaultSchema, fault).id,
      ...Object.entries(
        readBody(ValidateTerminatorsV2ResponseSchema, message(0, toBinary(ValidateTerminatorsV2ResponseSchema, state)))
          .states,
      ).flatMap(([key, { detail }]) => [key, detail]),
      readText(headers, 1),
      ...readTexts(headers, 2),
      ...[...readTextMap(headers, 3)].flat(),
    ];
    expect(texts).to.deep.equal(texts.map(() => 'a\uFFFDb'));
    expect(texts.map((text) => couldBeStored(text ?? ''))).to.not.include(true);
  });

  it('reads the hello of a router', () => {
    const frame = decode(HELLO);
    expect(frame).to.include({ contentType: 0, sequence: -1 });
    expect(textOf(frame)).to.equal('n3VuriGWG');
    expect(readText(frame.headers, 4)).to.equal('v0.0.0|local|2020-01-01 01:01:01|linux|amd64');
    expect(readText(frame.headers, 7)).to.equal('ctrl.default');
    expect(readBoolean(frame.headers, 9)).to.equal(true);
    expect(readBoolean(frame.headers, 12)).to.equal(false);
    expect(readCapabilities(frame.headers.get(1002))).to.equal(2n);
    const { listeners } = fromBinary(ListenersSchema, frame.headers.get(1000) ?? Buffer.alloc(0));
    expect(
      listeners.map(({ address, protocol, groups, localBinding }) => [address, protocol, groups, localBinding]),
    ).to.deep.equal([['tls:127.0.0.1:3123', 'tls', ['default'], 'lo']]);
  });

  it('reads the bodies of what routers send', () => {
    expect(readBody(RouterLinksSchema, decode(ROUTER_LINKS))).to.deep.include({ fullRefresh: true, links: [] });
    expect(readBody(SubscribeToDataModelRequestSchema, decode(SUBSCRIBE))).to.include({
      currentIndex: 0n,
      subscriptionDurationSeconds: 300,
      subscriptionId: '3pPAbtGPZ',
    });
    const hello = readBody(ClientHelloSchema, decode(CLIENT_HELLO));
    expect(hello.hostname).to.equal('127.0.0.1');
    expect(
      hello.listeners.map(({ advertise }) => [advertise?.protocol, advertise?.hostname, advertise?.port]),
    ).to.deep.equal([['tls', '127.0.0.1', 3122]]);
    expect(readBody(CreateTerminatorV2ResponseSchema, decode(TERMINATOR_ANSWER)).terminatorId).to.equal(
      '2mbKuxSTpq83XeymIIccxt',
    );
    expect(readBody(FaultSchema, decode(FAULT))).to.include({
      subject: FaultSubject.INGRESS,
      id: '6Po5p9jxFhUMacSUrEbfAq',
    });
  });

  it('reads the headers of what routers send', () => {
    const { headers } = decode(ROUTE_RESULT);
    expect([readInt32(headers, 1), readUint32(headers, 1101), readBoolean(headers, 1102)]).to.deep.equal([33, 0, true]);
    expect(readUint64(decode(HEARTBEAT).headers, 6)).to.equal(0x18ea2a97f944fca3n);
    expect(readUint64(decode(CLIENT_HELLO).headers, 1025)).to.equal(0n);
  });

  it('reads frames that come in pieces of any size, and several in one piece', () => {
    const all = [HELLO, ROUTER_LINKS, CLIENT_HELLO, HEARTBEAT].map(bytes);
    const stream = Buffer.concat(all);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), (sizes) => {
        const reader = new FrameReader(LIMITS);
        const found: string[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          reader.push(stream.subarray(at, at + size));
          at += size;
          for (let frame = reader.next(); frame !== undefined; frame = reader.next()) found.push(encoded(frame));
        }
        expect(found).to.deep.equal(all.map((each) => each.toString('hex')));
        expect(reader.held).to.equal(0);
      }),
      { numRuns: 50 },
    );
  });

  it('leaves frames that were read as they are when more comes', () => {
    const reader = new FrameReader(LIMITS);
    const first = bytes(FAULT);
    reader.push(first.subarray(0, 25));
    expect(reader.next()).to.equal(undefined);
    reader.push(Buffer.concat([first.subarray(25), bytes(HEARTBEAT).subarray(0, 7)]));
    const frame = reader.next();
    reader.push(bytes(HEARTBEAT).subarray(7));
    reader.next();
    expect(frame && encoded(frame)).to.equal(first.toString('hex'));
  });

  const prefix = (headers: number, body: number) => {
    const frame = bytes('0306090c 00000000 01000000 00000000 00000000');
    frame.writeUInt32LE(headers, 12);
    frame.writeUInt32LE(body, 16);
    return frame;
  };
  const refused: [name: string, what: Buffer, message: RegExp][] = [
    ['another protocol, at its first byte', Buffer.from('G'), /does not begin/],
    ['another version of this protocol', bytes('0306090a'), /does not begin/],
    ['more headers than allowed', prefix(16_385, 0), /headers of 16385 bytes, more than 16384/],
    ['a larger body than allowed', prefix(0, 4_193), /body of 4193 bytes, more than 4192/],
    ['sizes near 4 GiB', prefix(0xffffffff, 0xffffffff), /headers of 4294967295/],
    ['half a header', Buffer.concat([prefix(7, 0), Buffer.alloc(7)]), /end within/],
    ['a header longer than the headers', Buffer.concat([prefix(8, 0), bytes('04000000 01000000')]), /longer than/],
    ['a header that comes twice', Buffer.concat([prefix(16, 0), Buffer.alloc(16)]), /comes twice/],
  ];
  for (const [name, what, expected] of refused) {
    it(`refuses ${name}`, () => {
      const reader = new FrameReader(HELLO_LIMITS);
      reader.push(what);
      expect(() => reader.next()).to.throw(MalformedError, expected);
    });
  }

  it('survives any bytes: a frame, a refusal, or a wait for more', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (tail) => {
        const reader = new FrameReader(LIMITS);
        reader.push(Buffer.concat([bytes('0306090c'), Buffer.from(tail)]));
        try {
          reader.next();
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError);
        }
      }),
    );
  });

  it('refuses a body that is not what its type says', () => {
    expect(() => readBody(ApiSessionAddedSchema, message(20200, bytes('0a ff')))).to.throw(
      MalformedError,
      /no ApiSession/,
    );
  });
});

describe('values of headers', () => {
  const header = (value: Uint8Array) => new Map([[10, value]]);

  it('has capabilities as a big-endian number without leading zeros', () => {
    expect(encodeCapabilities([6]).toString('hex')).to.equal('40');
    expect(encodeCapabilities([1, 2, 3, 4, 5, 6]).toString('hex')).to.equal('7e');
    expect(encodeCapabilities([9]).toString('hex')).to.equal('0200');
    expect(readCapabilities(bytes('00000040'))).to.equal(0x40n);
    expect(readCapabilities(bytes('40000000'))).to.equal(0x40000000n);
    expect([undefined, bytes('')].map(readCapabilities)).to.deep.equal([0n, 0n]);
    // More than fits into a number: of a router of the next release.
    const long = bytes('4000000000000076');
    expect(readCapabilities(long)).to.equal(0x4000000000000076n);
    expect(encodeCapabilities([1, 2, 4, 5, 6, 62])).to.deep.equal(long);
    // No more than 64 bits, whatever a router sends.
    expect(readCapabilities(bytes('ff8000000000000002'))).to.equal(0x8000000000000002n);
  });

  it('writes maps as they were seen', () => {
    const key = Buffer.alloc(32, 7);
    expect(encodeBytesMap(new Map([[1003, key]])).toString('hex')).to.equal(
      `01000000eb03000020000000${key.toString('hex')}`,
    );
    expect(encodeTextMap(new Map([['serviceId', 'x']])).toString('hex')).to.equal(
      `0100000009000000${Buffer.from('serviceId').toString('hex')}0100000078`,
    );
  });

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 20 }), (texts) => {
        const proper = texts.map((text) => text.toWellFormed());
        expect(readTexts(header(encodeTexts(proper)), 10)).to.deep.equal(proper);
        const map = new Map(proper.map((text, index) => [`${index}`, text]));
        expect(readTextMap(header(encodeTextMap(map)), 10)).to.deep.equal(map);
        const ofBytes = new Map(proper.map((text, index) => [index, Buffer.from(text)]));
        expect(readBytesMap(header(encodeBytesMap(ofBytes)), 10)).to.deep.equal(ofBytes);
      }),
    );
    expect(readInt32(header(encodeInt32(-1)), 10)).to.equal(-1);
    expect(readTexts(new Map(), 10)).to.deep.equal([]);
  });

  const broken: [name: string, value: Buffer][] = [
    ['more items than a list may have', bytes('81000000')],
    ['an item that is longer than one may be', Buffer.concat([bytes('01000000 01200000'), Buffer.alloc(8_193)])],
    ['an item that ends too early', bytes('01000000 05000000 61')],
    ['a count without items', bytes('02000000')],
    ['bytes after the last item', bytes('00000000 61')],
    ['half a count', bytes('0100')],
  ];
  for (const [name, value] of broken) {
    it(`refuses ${name}`, () => {
      expect(() => readTexts(header(value), 10)).to.throw(MalformedError);
      expect(() => readBytesMap(header(value), 10)).to.throw(MalformedError);
    });
  }

  it('refuses numbers of another size', () => {
    for (const read of [readInt32, readUint32, readUint64, readBoolean])
      expect(() => read(header(Buffer.alloc(3)), 10)).to.throw(MalformedError, /3 bytes instead of/);
  });
});
