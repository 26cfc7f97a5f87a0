/** Messages that tell routers of API sessions. The bytes of a session are made once and shared by all routers. */
import { create } from '@bufbuild/protobuf';
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

/** Says which whole state a message belongs to, and whether it is its last part. */
export interface StatePart {
  readonly id: string;
  readonly isLast: boolean;
  readonly sequence: number;
}

const ADDED = ApiSessionAddedSchema.field;
const UPDATED = ApiSessionUpdatedSchema.field;
const FULL_STATE = new BinaryWriter().tag(ADDED.isFullState.number, WireType.Varint).bool(true).finish();
const UPDATED_TAG = new BinaryWriter().tag(UPDATED.apiSessions.number, WireType.LengthDelimited).finish();
const ADDED_TAG_BYTES = new BinaryWriter().tag(ADDED.apiSessions.number, WireType.LengthDelimited).finish().length;

/**
 * A session as an ApiSessionAdded has it, tag and length included: bodies are these, one after another. Written field
 * by field, since at a start each one is: the general way takes longer.
 * @param token  in clear
 */
export function encodeSession({ id, identityId, fingerprints }: RouterSession, token: string): Uint8Array {
  const { field } = ApiSessionSchema;
  const writer = new BinaryWriter().tag(ADDED.apiSessions.number, WireType.LengthDelimited).fork();
  const write = ({ number }: { readonly number: number }, text: string) => {
    writer.tag(number, WireType.LengthDelimited).string(text);
  };
  write(field.token, token);
  for (const fingerprint of fingerprints) write(field.certFingerprints, fingerprint);
  write(field.id, id);
  write(field.identityId, identityId);
  return writer.join().finish();
}

const updatedBody = (sessions: readonly KeptSession[]): Buffer =>
  Buffer.concat(sessions.flatMap(({ bytes }) => [UPDATED_TAG, bytes.subarray(ADDED_TAG_BYTES)]));

const headersOf = (state: string): [number, Uint8Array][] => [
  [SyncHeader.StrategyType, encodeText('instant')],
  [SyncHeader.StrategyState, encodeText(state)],
];

const bytesOf = (sessions: readonly KeptSession[]): Buffer[] => sessions.map((session) => session.bytes);

/** A part of a whole state, without that which tells it from the same part of another. */
export const stateBody = (sessions: readonly KeptSession[]): Buffer =>
  Buffer.concat([FULL_STATE, ...bytesOf(sessions)]);

const addedMessage = (body: Buffer, state: StatePart): Message =>
  message(ContentType.ApiSessionAdded, body, headersOf(JSON.stringify(state)));

/** Makes the messages of one process, and numbers its states. */
export class SessionMessages {
  readonly #tokenOf: (apiSessionId: string) => string;
  readonly #now: () => number;
  #serial = 0;

  /** @param tokenOf  the token of an API session, in clear */
  constructor(tokenOf: (apiSessionId: string) => string, now: () => number) {
    this.#tokenOf = tokenOf;
    this.#now = now;
  }

  /** Makes an id that is greater, as text, than all before, also those of an earlier process. */
  newStateId(): string {
    this.#serial += 1;
    return `${String(this.#now()).padStart(15, '0')}-${String(this.#serial).padStart(9, '0')}`;
  }

  /**
   * A part of a whole state: after its last part the router drops the sessions that it had besides.
   * @param body  of `stateBody`
   */
  state(body: Buffer, part: StatePart): Message {
    return addedMessage(body, part);
  }

  added(sessions: readonly KeptSession[]): Message {
    return addedMessage(Buffer.concat(bytesOf(sessions)), { id: this.newStateId(), isLast: true, sequence: 0 });
  }

  updated(sessions: readonly KeptSession[]): Message {
    return message(ContentType.ApiSessionUpdated, updatedBody(sessions), headersOf(''));
  }

  removed(ids: readonly string[]): Message {
    return removedMessage(
      ids.map((id) => this.#tokenOf(id)),
      ids,
    );
  }
}

/** Removes sessions by their tokens; `ids` may be empty when they are not known. */
export const removedMessage = (tokens: readonly string[], ids: readonly string[]): Message =>
  typedMessage(
    ContentType.ApiSessionRemoved,
    ApiSessionRemovedSchema,
    create(ApiSessionRemovedSchema, { tokens: [...tokens], ids: [...ids] }),
  );
