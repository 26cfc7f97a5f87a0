/** Events: what the audit records, as a stream. */
import { parseKinds } from '../../domain/events/kinds.js';
import { parseEventId } from '../../domain/events/position.js';
import { streamed } from '../handler.js';
import type { Handler } from '../handler.js';

/** GET /events. The header wins: browsers send it when they connect again. Fails: `invalidField`, `rateLimited`. */
export const streamEvents: Handler<'management', 'streamEvents'> = async (
  { query, headers, caller },
  { eventStreams },
) => {
  const inHeader = headers['Last-Event-ID'];
  const [name, last] =
    inHeader === undefined || inHeader === '' ? ['lastEventId', query.lastEventId] : ['Last-Event-ID', inHeader];
  const stream = await eventStreams.open({
    identityId: caller.identityId,
    kinds: parseKinds('kinds', query.kinds),
    after: last === undefined || last === '' ? undefined : parseEventId(name, last),
    isUntilNow: query.until === 'now',
  });
  return streamed('text/event-stream', stream);
};
