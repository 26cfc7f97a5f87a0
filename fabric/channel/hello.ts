/** The first frame of a connection, and the answer to it. */
import { randomBytes } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { couldBeId } from '../../domain/ids.js';
import type { RouterVersion } from '../../domain/router.js';
import { ListenersSchema } from '../../generated/fabric/control_pb.js';
import type { Listener } from '../../generated/fabric/control_pb.js';
import { ContentType } from './content-types.js';
import { message, textOf } from './frame.js';
import type { Frame, Message } from './frame.js';
import {
  Header,
  HelloHeader,
  encodeBoolean,
  encodeCapabilities,
  encodeInt32,
  encodeText,
  readCapabilities,
} from './headers.js';
import { readBoolean, readText } from './headers.js';
import { malformed } from './malformed.js';

/** Sequence of a hello and of its answer. */
export const HELLO_SEQUENCE = -1;

/** A router's description of itself when it connects. */
export interface Hello {
  readonly routerId: string;
  readonly version: RouterVersion;
  /** Bits of what its program can do. */
  readonly capabilities: bigint;
  /** Name of the connection among several of one channel, such as `ctrl.default`. */
  readonly type: string;
  /** Absent at the very first connection. */
  readonly connectionId: string | undefined;
  readonly groupSecret: Buffer | undefined;
  /** It opens a channel, instead of adding a connection to one. */
  readonly isFirst: boolean;
  /** Addresses at which other routers may link to it. */
  readonly listeners: readonly Listener[];
}

/** The release of the field whose protocol this is: routers compare it with those that they know. */
const OUR_VERSION = 'v2.0.3';
/** Session tokens are JWTs. The bit for further connections of one channel is left out: one serves all. */
const CAPABILITIES = [6];
/** The protocol writes a version in so many parts. */
const VERSION_PARTS = 5;
const MAX_VERSION_CHARS = 512;

/** @throws MalformedError */
export function readHello(frame: Frame): Hello {
  const { headers } = frame;
  if (frame.contentType !== ContentType.Hello) throw malformed(`a message of type ${frame.contentType} before a hello`);
  const routerId = textOf(frame);
  // Checked before the database is asked: a stranger must not make a question fail.
  if (!couldBeId(routerId)) throw malformed('a hello without the id of a router');
  if (!readBoolean(headers, HelloHeader.IsGrouped)) throw malformed('a hello of a router before version 2');
  return {
    routerId,
    version: readVersion(readText(headers, HelloHeader.Version) ?? ''),
    capabilities: readCapabilities(headers.get(HelloHeader.Capabilities)),
    type: readText(headers, HelloHeader.Type) ?? '',
    connectionId: readText(headers, Header.ConnectionId),
    groupSecret: copyOf(headers.get(HelloHeader.GroupSecret)),
    isFirst: readBoolean(headers, HelloHeader.IsFirstOfGroup),
    listeners: readListeners(headers.get(HelloHeader.Listeners)),
  };
}

function readVersion(text: string): RouterVersion {
  const parts = text.split('|');
  const [version = '', revision = '', buildDate = '', os = '', arch = ''] = parts;
  if (
    parts.length !== VERSION_PARTS ||
    version === '' ||
    !/^[\x20-\x7e]*$/.test(text) ||
    text.length > MAX_VERSION_CHARS
  )
    throw malformed('a hello with a version that cannot be read');
  return { version, revision, buildDate, os, arch };
}

function readListeners(value: Uint8Array | undefined): Listener[] {
  if (value === undefined) return [];
  try {
    return fromBinary(ListenersSchema, value).listeners;
  } catch {
    throw malformed('a hello with listeners that cannot be read');
  }
}

const copyOf = (value: Uint8Array | undefined) => (value === undefined ? undefined : Buffer.from(value));

/** Welcomes the router. @param controllerId  routers tell controllers apart by it */
export function helloAnswer(hello: Hello, controllerId: string): Message {
  return message(ContentType.Result, '', [
    [Header.ConnectionId, encodeText(hello.connectionId ?? randomBytes(3).toString('base64url'))],
    [Header.ReplyFor, encodeInt32(HELLO_SEQUENCE)],
    [Header.Success, encodeBoolean(true)],
    [HelloHeader.Version, encodeText(`${OUR_VERSION}|edge-controller|2026-01-01 00:00:00|linux|amd64`)],
    [HelloHeader.Type, encodeText(hello.type)],
    [HelloHeader.ControllerId, encodeText(controllerId)],
    [HelloHeader.IsGrouped, encodeBoolean(true)],
    [HelloHeader.GroupSecret, hello.groupSecret ?? randomBytes(16)],
    [HelloHeader.Capabilities, encodeCapabilities(CAPABILITIES)],
  ]);
}
