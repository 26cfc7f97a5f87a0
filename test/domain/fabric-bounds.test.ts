/** What frames of each kind may hold: bytes are looked at before a body is read, fields before it is decoded. */
import { create, toBinary } from '@bufbuild/protobuf';
import type { DescMessage } from '@bufbuild/protobuf';
import { expect } from 'chai';
import type { RouterChannel } from '../../fabric/channel/channel.js';
import { ContentType, contentTypeName } from '../../fabric/channel/content-types.js';
import { MOST_ELEMENTS, piecesOf, requireFields } from '../../fabric/channel/elements.js';
import { FrameReader, decode, encodeFrame, message, readBody } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import { Header, encodeUint64 } from '../../fabric/channel/headers.js';
import { MalformedError } from '../../fabric/channel/malformed.js';
import { boundOf, boundedKinds } from '../../fabric/channel/bounds.js';
import { messageTable } from '../../fabric/messages/index.js';
import type { MessageParts } from '../../fabric/messages/index.js';
import { eachPiece } from '../../fabric/channel/pieces.js';
import { worstFramesOf } from '../support/worst-frames.js';
import {
  CircuitConfirmationSchema,
  RemoveTerminatorsRequestSchema,
  RouterInterfacesUpdateSchema,
  ValidateTerminatorsV2ResponseSchema,
} from '../../generated/fabric/control_pb.js';
import {
  ApiSessionHeartbeatSchema,
  ConnectEventsSchema,
  ValidateSessionsRequestSchema,
} from '../../generated/fabric/edge_pb.js';

const MIB = 1 << 20;

/** Kinds that list things, with their bodies and the number of a field that may come often. */
const LISTS: readonly (readonly [number, DescMessage, number])[] = [
  [ContentType.RemoveTerminators, RemoveTerminatorsRequestSchema, 1],
  [ContentType.ValidateTerminatorsV2Response, ValidateTerminatorsV2ResponseSchema, 1],
  [ContentType.ValidateSessions, ValidateSessionsRequestSchema, 1],
  [ContentType.ApiSessionHeartbeat, ApiSessionHeartbeatSchema, 1],
  [ContentType.ConnectEvents, ConnectEventsSchema, 1],
  [ContentType.CircuitConfirmation, CircuitConfirmationSchema, 1],
  [ContentType.CircuitConfirmation, CircuitConfirmationSchema, 2],
];

const readerOfRouters = (): FrameReader => {
  const reader = new FrameReader({ headers: 0, body: 0 });
  reader.bounds = boundOf;
  return reader;
};
const head = (contentType: number, headerBytes: number, bodyBytes: number): Buffer => {
  const [bytes] = encodeFrame(1, message(contentType));
  bytes.writeUInt32LE(headerBytes, 12);
  bytes.writeUInt32LE(bodyBytes, 16);
  return bytes;
};
/** A body of so many bytes that is full of empty elements of a list. */
const empties = (field: number, bytes: number): Buffer => Buffer.alloc(bytes, Buffer.of((field << 3) | 2, 0));
/** One element that is full of empty elements of its own. */
const nested = (field: number, inner: number, bytes: number): Buffer => {
  const body = empties(inner, bytes - 6);
  const length = Buffer.of((body.length & 0x7f) | 0x80, ((body.length >> 7) & 0x7f) | 0x80, body.length >> 14);
  return Buffer.concat([Buffer.of((field << 3) | 2), length, body]);
};

describe('frames of routers', () => {
  it('have a bound for each kind that is handled, and for no other', () => {
    expect([...boundedKinds].sort()).to.deep.equal([...messageTable({} as MessageParts).keys()].sort());
  });

  it('are large for kinds that list things, and for none else', () => {
    const large = boundedKinds.filter((kind) => boundOf(kind).body > 256 << 10);
    expect(large.sort()).to.deep.equal([1007, 1034, 1035, 1038, 1042, 20203, 20213, 20415]);
    for (const kind of large) expect(boundOf(kind).body).to.equal(MIB);
    for (const kind of boundedKinds) expect(boundOf(kind).headers).to.be.at.most(128 << 10);
  });

  for (const kind of boundedKinds.filter((each) => boundOf(each).beyond === 'cut'))
    it(`are cut after their head beyond the bound of ${contentTypeName(kind)}`, () => {
      const { headers, body } = boundOf(kind);
      for (const bytes of [head(kind, headers + 1, 0), head(kind, 0, body + 1)]) {
        const reader = readerOfRouters();
        reader.push(bytes);
        expect(() => reader.next()).to.throw(MalformedError, /more than \d+$/);
      }
      const reader = readerOfRouters();
      reader.push(head(kind, headers, body));
      expect(reader.next()).to.equal(undefined);
    });

  it('of unknown kinds are passed over without being held, and their signs of life count', () => {
    const reader = readerOfRouters();
    const sign = encodeUint64(7n);
    const [bytes] = encodeFrame(3, message(ContentType.Metrics, '', [[Header.Heartbeat, sign]]));
    bytes.writeUInt32LE(15 * MIB, 16);
    reader.push(bytes);
    const frame = reader.next();
    expect(frame).to.include({ contentType: ContentType.Metrics, sequence: 3, isSkipped: true });
    expect(frame?.headers.get(Header.Heartbeat)).to.deep.equal(sign);
    const chunk = Buffer.alloc(MIB);
    for (let passed = 0; passed < 15; passed += 1) {
      reader.push(chunk);
      expect(reader.next()).to.equal(undefined);
      expect(reader.held).to.equal(0);
    }
    reader.push(Buffer.concat(encodeFrame(4, message(ContentType.Ping))));
    expect(reader.next()).to.include({ contentType: ContentType.Ping, sequence: 4 });
  });

  it('that a client made too large are passed over, and their router is not cut', () => {
    const many = Array.from({ length: 300 }, (_, key) => [key + 1_000, Buffer.alloc(1)] as const);
    for (const [headerBytes, bodyBytes] of [
      [200 << 10, 10],
      [0, 200 << 10],
    ] as const) {
      const reader = readerOfRouters();
      reader.push(
        Buffer.concat([head(ContentType.CreateCircuitV2, headerBytes, bodyBytes), Buffer.alloc(headerBytes)]),
      );
      reader.push(Buffer.concat([Buffer.alloc(bodyBytes), ...encodeFrame(2, message(ContentType.Ping))]));
      expect([reader.next(), reader.next()].map((frame) => [frame?.sequence, frame?.isSkipped])).to.deep.equal([
        [1, true],
        [2, undefined],
      ]);
    }
    const reader = readerOfRouters();
    reader.push(Buffer.concat(encodeFrame(1, message(ContentType.RouteResult, 'c1', many))));
    expect(reader.next()).to.include({ isSkipped: true });
    reader.push(head(ContentType.RouteResult, 0, 17 * MIB));
    expect(() => reader.next()).to.throw(MalformedError);
  });

  it('with more headers than 256 are cut', () => {
    const reader = readerOfRouters();
    const many = Array.from({ length: 257 }, (_, key) => [key, Buffer.alloc(0)] as const);
    reader.push(Buffer.concat(encodeFrame(1, message(ContentType.Ping, '', many))));
    expect(() => reader.next()).to.throw(MalformedError, /more than 256 headers/);
  });
});

describe('bodies of routers', () => {
  /** Turns of the event loop that work took. */
  const channelOf = (turns: number[]): Pick<RouterChannel, 'work'> => ({
    async work(part) {
      turns.push(turns.length);
      return part();
    },
  });

  for (const [kind, schema, field] of LISTS) {
    const name = `${contentTypeName(kind)}, list ${field}`;

    it(`are not decoded when they are full of empty elements: ${name}`, async () => {
      const body = empties(field, MIB);
      expect(() => piecesOf(schema, body)).to.throw(MalformedError, /more than 40000 elements/);
      expect(() => {
        requireFields(schema, body);
      }).to.throw(MalformedError, /more than 5000 fields/);
    });

    it(`are decoded in pieces, all of them: ${name}`, async () => {
      const body = empties(field, 2 * MOST_ELEMENTS);
      const turns: number[] = [];
      let pieces = 0;
      await eachPiece(schema, message(kind, body), channelOf(turns), () => {
        pieces += 1;
      });
      expect(pieces).to.be.at.least(3);
      expect(turns).to.have.length(pieces + 1);
    });
  }

  it('are not decoded when elements within elements are too many', () => {
    // Connections of one identity; what is not known counts as well.
    for (const inner of [3, 9])
      expect(() => piecesOf(ConnectEventsSchema, nested(1, inner, 100_000))).to.throw(MalformedError, /fields/);
    expect(() => readBody(RouterInterfacesUpdateSchema, message(1, nested(1, 6, 100_000)))).to.throw(
      MalformedError,
      /more than 5000 fields/,
    );
    expect(() => piecesOf(ValidateTerminatorsV2ResponseSchema, nested(1, 2, 100_000))).to.throw(MalformedError);
  });

  it('are together what the whole is, in order', () => {
    const ids = Array.from({ length: 15_000 }, (_, index) => `circuit-${index}`);
    const idleTimes = Object.fromEntries(ids.map((id, index) => [id, BigInt(index)]));
    const whole = create(CircuitConfirmationSchema, { circuitIds: ids, idleTimes });
    const pieces = piecesOf(CircuitConfirmationSchema, toBinary(CircuitConfirmationSchema, whole)).map((piece) =>
      decode(CircuitConfirmationSchema, piece),
    );
    expect(pieces.length).to.be.greaterThan(5);
    expect(pieces.flatMap(({ circuitIds }) => circuitIds)).to.deep.equal(ids);
    expect(Object.assign({}, ...pieces.map((piece) => piece.idleTimes))).to.deep.equal(idleTimes);
  });

  it('have in each piece what is not in a list', () => {
    const events = Array.from({ length: 3_000 }, (_, index) => ({ identityId: `i${index}`, isConnected: true }));
    const body = toBinary(ConnectEventsSchema, create(ConnectEventsSchema, { events, fullState: true }));
    const pieces = piecesOf(ConnectEventsSchema, body).map((piece) => decode(ConnectEventsSchema, piece));
    expect(pieces.length).to.be.greaterThan(1);
    expect(pieces.map(({ fullState }) => fullState)).to.not.include(false);
    expect(pieces.flatMap((piece) => piece.events.map(({ identityId }) => identityId))).to.deep.equal(
      events.map(({ identityId }) => identityId),
    );
  });

  it('that cannot be read are refused, however they end', () => {
    const whole = toBinary(
      ConnectEventsSchema,
      create(ConnectEventsSchema, { events: [{ identityId: 'i1', connectTimes: [{ srcAddr: 'here' }] }] }),
    );
    const filler = empties(1, 30_000);
    for (const end of [whole.subarray(0, -1), Buffer.of(0x0b), Buffer.of(0x0a, 0xff), Buffer.alloc(12, 0xff)])
      expect(() => piecesOf(ConnectEventsSchema, Buffer.concat([filler, end]))).to.throw(MalformedError);
    expect(piecesOf(ConnectEventsSchema, new Uint8Array())).to.have.length(1);
  });

  it('are not worked on any more when the channel is closed', async () => {
    let [pieces, left] = [0, 3];
    const channel: Pick<RouterChannel, 'work'> = {
      async work(part) {
        if ((left -= 1) < 0) throw new Error('closed');
        return part();
      },
    };
    const frame: Pick<Frame, 'contentType' | 'headers' | 'body'> = message(20415, empties(1, 2 * MOST_ELEMENTS));
    const done = await eachPiece(ConnectEventsSchema, frame, channel, () => {
      pieces += 1;
    }).catch((error: unknown) => (error as Error).message);
    expect([pieces, done]).to.deep.equal([2, 'closed']);
  });
});

describe('the worst bodies of routers', () => {
  /** Processor time of the longest part, in ms. */
  const longestPart = async (schema: (typeof LISTS)[number][1], bytes: Buffer): Promise<number> => {
    const reader = readerOfRouters();
    reader.push(bytes);
    let longestMs = 0;
    const timed = <T>(part: () => T): T => {
      const before = process.cpuUsage();
      try {
        return part();
      } finally {
        const { user, system } = process.cpuUsage(before);
        longestMs = Math.max(longestMs, (user + system) / 1000);
      }
    };
    try {
      const frame = timed(() => reader.next());
      if (frame === undefined) throw new Error('no whole frame');
      await eachPiece(schema, frame, { work: async (part) => timed(part) }, () => undefined);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
    }
    return longestMs;
  };

  for (const [kind, schema, field] of LISTS)
    it(`hold the processor for less than 100 ms at a time: ${contentTypeName(kind)}, list ${field}`, async () => {
      for (const { name, bytes } of worstFramesOf(kind)) {
        // The garbage of other tests may be collected within a part: the least of three counts.
        let leastMs = Infinity;
        for (let tries = 0; tries < 3 && leastMs >= 100; tries += 1)
          leastMs = Math.min(leastMs, await longestPart(schema, bytes));
        expect(leastMs, name).to.be.below(100);
      }
    });
});
