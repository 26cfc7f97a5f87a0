/** What routers are told of API sessions. The bytes of a session are made once and shared by all routers. */
import { create, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { RouterSession } from '../../db/stores/router-sync-view.js';
import {
  ApiSessionAddedSchema,
  ApiSessionRemovedSchema,
  ApiSessionSchema,
  ApiSessionUpdatedSchema,
} from '../../generated/fabric/edge_pb.js';
import { ContentType } from '../channel/content-types.js';
import { message, typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';
import { SyncHeader, encodeText } from '../channel/headers.js';
import type { KeptSession } from './session-directory.js';

/** Of a whole state: which one, and whether this is its last part. */
export interface StatePart {
  readonly id: string;
  readonly isLast: boolean;
  readonly sequence: number;
}

/** @param token  in clear */
export const encodeSession = ({ id, identityId, fingerprints }: RouterSession, token: string): Uint8Array =>
  toBinary(ApiSessionSchema, create(ApiSessionSchema, { id, identityId, token, certFingerprints: [...fingerprints] }));

const ADDED = {
  isFullState: ApiSessionAddedSchema.field.isFullState,
  sessions: ApiSessionAddedSchema.field.apiSessions,
};
const UPDATED = { sessions: ApiSessionUpdatedSchema.field.apiSessions };

const tagOf = ({ number }: { readonly number: number }, type: WireType): number => ((number << 3) | type) >>> 0;

function bodyOf(writer: BinaryWriter, field: { readonly number: number }, sessions: readonly KeptSession[]) {
  for (const { bytes } of sessions) writer.uint32(tagOf(field, WireType.LengthDelimited)).bytes(bytes);
  return writer.finish();
}

const headersOf = (state: string): [number, Uint8Array][] => [
  [SyncHeader.StrategyType, encodeText('instant')],
  [SyncHeader.StrategyState, encodeText(state)],
];

/** @param isFullState  the router drops what it has and this state has not */
export function addedMessage(sessions: readonly KeptSession[], isFullState: boolean, state: StatePart): Message {
  const writer = new BinaryWriter();
  if (isFullState) writer.uint32(tagOf(ADDED.isFullState, WireType.Varint)).bool(true);
  return message(
    ContentType.ApiSessionAdded,
    bodyOf(writer, ADDED.sessions, sessions),
    headersOf(JSON.stringify(state)),
  );
}

export const updatedMessage = (sessions: readonly KeptSession[]): Message =>
  message(ContentType.ApiSessionUpdated, bodyOf(new BinaryWriter(), UPDATED.sessions, sessions), headersOf(''));

export const removedMessage = (tokens: readonly string[], ids: readonly string[]): Message =>
  typedMessage(
    ContentType.ApiSessionRemoved,
    ApiSessionRemovedSchema,
    create(ApiSessionRemovedSchema, { tokens: [...tokens], ids: [...ids] }),
  );
