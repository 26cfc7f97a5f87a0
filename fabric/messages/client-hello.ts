/** An edge router says where clients reach it. From then on it is told of API sessions. */
import { ClientHelloSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { readBody } from '../channel/frame.js';
import { reachOf } from '../traffic/reach.js';

export const clientHello: MessageHandler = (frame, channel, { routers, sessionSync, wholeStates, log }) => {
  const router = routers.routerOf(channel);
  if (router?.isEdge !== true) return;
  const { hostname, protocols, unusable, uncertified } = reachOf(
    readBody(ClientHelloSchema, frame),
    router.serverNames,
  );
  const { routerId } = channel;
  if (unusable > 0) log.warn({ routerId, addresses: unusable }, 'a router advertises addresses that cannot be used');
  if (uncertified.length > 0)
    log.warn(
      { routerId, hosts: uncertified },
      'a router advertises hosts that are not in its certificate, and clients will refuse it there: name them in ' +
        '`edge.csr.sans` of its configuration and enroll it again',
    );
  routers.update(channel, { hostname, protocols, syncStatus: 'SYNC_HELLO_WAIT' });
  wholeStates.sessions.run(channel, () => {
    sessionSync.begin(channel, router);
  });
};
