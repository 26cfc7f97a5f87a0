/** The handler of each kind of message; a kind that is not here is ignored, and the log names it. */
import type { MessageRule, MessageTable } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { apiSessionHeartbeat } from './api-sessions.js';
import { clientHello, requestClientReSync } from './client-hello.js';
import { requestClusterMembers } from './cluster-members.js';
import { updateRouterInterfaces } from './interfaces.js';
import { linkState, routerLinks, updateLinkListeners, verifyRouter } from './links.js';
import { metrics } from './metrics.js';
import { enrollmentMessages } from './extend-enrollment.js';
import { decommissionRouter, dequiesceRouter, quiesceRouter } from './operator.js';
import { latency, ping } from './probes.js';
import { subscribeToDataModel } from './data-model.js';
import { trafficMessages } from './traffic.js';
import type { TrafficMessageParts } from './traffic.js';

/** Does nothing: signs of life are answered below, and replies that no request waits for come too late. */
const nothing: MessageRule = { handle: () => undefined };

/** The parts that all handlers need together; each names its own. */
export type MessageParts = Parameters<typeof apiSessionHeartbeat>[0] &
  Parameters<typeof clientHello>[0] &
  Parameters<typeof requestClusterMembers>[0] &
  Parameters<typeof updateRouterInterfaces>[0] &
  Parameters<typeof routerLinks>[0] &
  Parameters<typeof metrics>[0] &
  Parameters<typeof linkState>[0] &
  Parameters<typeof verifyRouter>[0] &
  Parameters<typeof updateLinkListeners>[0] &
  Parameters<typeof quiesceRouter>[0] &
  Parameters<typeof subscribeToDataModel>[0] &
  Parameters<typeof enrollmentMessages>[0] &
  TrafficMessageParts;

export const messageTable = (parts: MessageParts): MessageTable =>
  new Map<number, MessageRule>([
    [ContentType.Heartbeat, nothing],
    [ContentType.Result, nothing],
    [ContentType.ValidateDataStateResponse, nothing],
    [ContentType.Ping, { handle: ping }],
    [ContentType.Latency, { handle: latency }],
    [ContentType.UpdateRouterInterfaces, { handle: updateRouterInterfaces(parts), inOrder: true }],
    [ContentType.RequestClusterMembers, { handle: requestClusterMembers(parts) }],
    [ContentType.RouterLinks, { handle: routerLinks(parts), inOrder: 'large' }],
    [ContentType.LinkState, { handle: linkState(parts) }],
    [ContentType.UpdateLinkListeners, { handle: updateLinkListeners(parts) }],
    [ContentType.QuiesceRouter, { handle: quiesceRouter(parts) }],
    [ContentType.DequiesceRouter, { handle: dequiesceRouter(parts) }],
    [ContentType.DecommissionRouter, { handle: decommissionRouter(parts) }],
    [ContentType.Metrics, { handle: metrics(parts), inOrder: true }],
    [ContentType.VerifyRouter, { handle: verifyRouter(parts) }],
    [ContentType.ClientHello, { handle: clientHello(parts), inOrder: true }],
    [ContentType.SubscribeToDataModel, { handle: subscribeToDataModel(parts), inOrder: true }],
    [ContentType.ApiSessionHeartbeat, { handle: apiSessionHeartbeat(parts), inOrder: true }],
    [ContentType.RequestClientReSync, { handle: requestClientReSync(parts) }],
    ...enrollmentMessages(parts),
    ...trafficMessages(parts),
  ]);
