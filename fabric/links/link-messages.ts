/** The messages about links and peers that routers get. */
import { create, toBinary } from '@bufbuild/protobuf';
import { FaultSchema, PeerStateChangesSchema } from '../../generated/fabric/control_pb.js';
import type { FaultSubject, PeerStateChange } from '../../generated/fabric/control_pb.js';
import { ContentType } from '../channel/content-types.js';
import { message, typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';

export const linkFaultMessage = (
  subject: FaultSubject.LINK | FaultSubject.LINK_DUPLICATE,
  id: string,
  iteration: number,
): Message => typedMessage(ContentType.Fault, FaultSchema, create(FaultSchema, { subject, id, iteration }));

/** Makes the body of a message that tells of one peer. Several, one after the other, are the body that tells of all. */
export const peerBody = (change: PeerStateChange): Uint8Array =>
  toBinary(PeerStateChangesSchema, create(PeerStateChangesSchema, { changes: [change] }));

export const peersMessage = (bodies: readonly Uint8Array[]): Message =>
  message(ContentType.PeerStateChanges, Buffer.concat(bodies));
