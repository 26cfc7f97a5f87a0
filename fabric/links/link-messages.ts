/** The messages about links and peers that routers get. */
import { create } from '@bufbuild/protobuf';
import { FaultSchema, PeerStateChangesSchema } from '../../generated/fabric/control_pb.js';
import type { FaultSubject, PeerStateChange } from '../../generated/fabric/control_pb.js';
import { ContentType } from '../channel/content-types.js';
import { typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';

export const linkFaultMessage = (
  subject: FaultSubject.LINK | FaultSubject.LINK_DUPLICATE,
  id: string,
  iteration: number,
): Message => typedMessage(ContentType.Fault, FaultSchema, create(FaultSchema, { subject, id, iteration }));

export const peersMessage = (changes: PeerStateChange[]): Message =>
  typedMessage(ContentType.PeerStateChanges, PeerStateChangesSchema, create(PeerStateChangesSchema, { changes }));
