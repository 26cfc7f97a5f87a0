/** Tells a router of a path what to forward. Each dial sends one, so its bytes are written without reflection. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Destination, RouterRoute } from '../../domain/fabric/circuit.js';
import { DestType, RouteSchema, Route_EgressSchema, Route_ForwardSchema } from '../../generated/fabric/control_pb.js';
import { ContentType } from '../channel/content-types.js';
import { message } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';

/** How long a router may take, and how long its answer is waited for. */
export const ROUTE_TIMEOUT_MS = 10_000;
const TIMEOUT_NS = BigInt(ROUTE_TIMEOUT_MS) * 1_000_000n;

const DEST_TYPES: Readonly<Record<Destination, DestType>> = {
  start: DestType.START,
  end: DestType.END,
  link: DestType.LINK,
};

export interface RouteFacts {
  readonly circuitId: string;
  readonly attempt: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Part for the router that connects to the terminator. */
  readonly egress?: {
    readonly binding: string;
    readonly address: string;
    readonly destination: string;
    readonly peerData: ReadonlyMap<number, Uint8Array>;
  };
}

const ROUTE = RouteSchema.field;
const EGRESS = Route_EgressSchema.field;
const FORWARD = Route_ForwardSchema.field;
/** Fields of an entry of a map. */
const [KEY, VALUE] = [{ number: 1 }, { number: 2 }];

interface Field {
  readonly number: number;
}

/** Writes fields, and leaves out default values, as every message does. */
class Fields {
  readonly #writer = new BinaryWriter();

  text(field: Field, text: string): void {
    if (text !== '') this.#writer.tag(field.number, WireType.LengthDelimited).string(text);
  }

  bytes(field: Field, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#writer.tag(field.number, WireType.LengthDelimited).bytes(bytes);
  }

  number(field: Field, value: number): void {
    if (value !== 0) this.#writer.tag(field.number, WireType.Varint).uint32(value);
  }

  bigint(field: Field, value: bigint): void {
    this.#writer.tag(field.number, WireType.Varint).uint64(value);
  }

  message(field: Field, write: () => void): void {
    this.#writer.tag(field.number, WireType.LengthDelimited).fork();
    write();
    this.#writer.join();
  }

  finish(): Uint8Array {
    return this.#writer.finish();
  }
}

export function routeMessage({ forwards }: RouterRoute, { circuitId, attempt, tags, egress }: RouteFacts): Message {
  const fields = new Fields();
  fields.text(ROUTE.circuitId, circuitId);
  fields.number(ROUTE.attempt, attempt);
  if (egress !== undefined)
    fields.message(ROUTE.egress, () => {
      fields.text(EGRESS.binding, egress.binding);
      fields.text(EGRESS.address, egress.address);
      fields.text(EGRESS.destination, egress.destination);
      for (const [key, value] of egress.peerData)
        fields.message(EGRESS.peerData, () => {
          fields.number(KEY, key);
          fields.bytes(VALUE, value);
        });
    });
  for (const { from, to, destination } of forwards)
    fields.message(ROUTE.forwards, () => {
      fields.text(FORWARD.srcAddress, from);
      fields.text(FORWARD.dstAddress, to);
      fields.number(FORWARD.dstType, DEST_TYPES[destination]);
    });
  fields.bigint(ROUTE.timeout, TIMEOUT_NS);
  for (const key in tags)
    fields.message(ROUTE.tags, () => {
      fields.text(KEY, key);
      fields.text(VALUE, tags[key] ?? '');
    });
  return message(ContentType.Route, fields.finish());
}
