/** What is done with each kind of message; a kind that is not here is ignored, and the log names it. */
import type { MessageRule, MessageTable } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { apiSessionHeartbeat, requestClientReSync } from './api-sessions.js';
import { clientHello } from './client-hello.js';
import { requestClusterMembers } from './cluster-members.js';
import { updateRouterInterfaces } from './interfaces.js';
import { latency, ping } from './probes.js';
import { subscribeToDataModel } from './data-model.js';
import { trafficMessages } from './traffic.js';

/** Nothing is to be done: signs of life are answered below, and replies that no request waits for come too late. */
const nothing: MessageRule = { handle: () => undefined };

export const messageTable: MessageTable = new Map<number, MessageRule>([
  [ContentType.Heartbeat, nothing],
  [ContentType.Result, nothing],
  [ContentType.Ping, { handle: ping }],
  [ContentType.Latency, { handle: latency }],
  [ContentType.UpdateRouterInterfaces, { handle: updateRouterInterfaces, inOrder: true }],
  [ContentType.RequestClusterMembers, { handle: requestClusterMembers }],
  [ContentType.ClientHello, { handle: clientHello, inOrder: true }],
  [ContentType.SubscribeToDataModel, { handle: subscribeToDataModel, inOrder: true }],
  [ContentType.ApiSessionHeartbeat, { handle: apiSessionHeartbeat, inOrder: true }],
  [ContentType.RequestClientReSync, { handle: requestClientReSync }],
  ...trafficMessages,
]);
