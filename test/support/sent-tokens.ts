/** The API session tokens that a scripted router was sent, in whatever message. */
import { ContentType } from '../../fabric/channel/content-types.js';
import {
  ApiSessionAddedSchema,
  ApiSessionRemovedSchema,
  ApiSessionUpdatedSchema,
} from '../../generated/fabric/edge_pb.js';
import type { Client } from './client.js';
import { until } from './poll.js';
import type { ScriptedRouter } from './scripted-router.js';

export function sentTokens(router: ScriptedRouter): Set<string> {
  const sessions = [
    ...router.bodies(ContentType.ApiSessionAdded, ApiSessionAddedSchema),
    ...router.bodies(ContentType.ApiSessionUpdated, ApiSessionUpdatedSchema),
  ].flatMap(({ apiSessions }) => apiSessions);
  const removed = router.bodies(ContentType.ApiSessionRemoved, ApiSessionRemovedSchema);
  return new Set([...sessions.map(({ token }) => token), ...removed.flatMap(({ tokens }) => tokens)]);
}

/** All bytes that came: a token that is in none of them was not sent, whatever the message. */
export const allBytes = (router: ScriptedRouter): string =>
  router.received
    .map(({ headers, body }) => [...[...headers.values()].map((value) => Buffer.from(value)), Buffer.from(body)])
    .map((parts) => Buffer.concat(parts).toString('latin1'))
    .join('\n');

export async function isSent(router: ScriptedRouter, { token }: Pick<Client, 'token'>): Promise<void> {
  await until('the router is sent the token', () => sentTokens(router).has(token ?? ''));
}
