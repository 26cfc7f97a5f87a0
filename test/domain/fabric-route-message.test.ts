/** The bytes of a route, written by hand, are those of its schema. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { expect } from 'chai';
import fc from 'fast-check';
import { ROUTE_TIMEOUT_MS, routeMessage } from '../../fabric/traffic/route-message.js';
import { DestType, RouteSchema } from '../../generated/fabric/control_pb.js';

const DEST_TYPES = { start: DestType.START, end: DestType.END, link: DestType.LINK };

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const bytes = fc.uint8Array({ maxLength: 40 });
const destination = fc.constantFrom('start' as const, 'end' as const, 'link' as const);
const facts = fc.record(
  {
    circuitId: text,
    attempt: fc.integer({ min: 0, max: 0xffff_ffff }),
    tags: fc.dictionary(text, text),
    egress: fc.record({
      binding: text,
      address: text,
      destination: text,
      peerData: fc
        .dictionary(fc.integer({ min: 0, max: 0xffff_ffff }).map(String), bytes)
        .map((data) => new Map(Object.entries(data).map(([key, value]) => [Number(key), value] as const))),
    }),
  },
  { requiredKeys: ['circuitId', 'attempt', 'tags'] },
);
const forwards = fc.array(fc.record({ from: text, to: text, destination }), { maxLength: 4 });

describe('a route', () => {
  it('is written as its schema says, whatever is in it', () => {
    fc.assert(
      fc.property(forwards, facts, (parts, { egress, ...rest }) => {
        const expected = create(RouteSchema, {
          ...rest,
          ...(egress === undefined ? {} : { egress: { ...egress, peerData: Object.fromEntries(egress.peerData) } }),
          forwards: parts.map((part) => ({
            srcAddress: part.from,
            dstAddress: part.to,
            dstType: DEST_TYPES[part.destination],
          })),
          timeout: BigInt(ROUTE_TIMEOUT_MS) * 1_000_000n,
        });
        const route = { routerId: 'r', isTerminating: egress !== undefined, forwards: parts };
        const { body } = routeMessage(route, { ...rest, ...(egress === undefined ? {} : { egress }) });
        expect(canonical(body)).to.deep.equal(canonical(toBinary(RouteSchema, expected)));
      }),
    );
  });
});

/** Entries of maps may come in any order, and with or without what is empty. */
const canonical = (route: Uint8Array) => {
  const { tags, egress, ...rest } = fromBinary(RouteSchema, route);
  return { ...rest, tags: sorted(tags), egress: egress && { ...egress, peerData: sorted(egress.peerData) } };
};
const sorted = (map: object) => Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1));
