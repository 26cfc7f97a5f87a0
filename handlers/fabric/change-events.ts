/** Changes of entities as events of the fabric, from the stream of events that the management API has. */
import type { Context } from '../context.js';
import type { TextStream } from '../text-stream.js';

/** Sources of the events of one reader. */
export interface FeedParts extends Pick<Context, 'stores' | 'eventStreams' | 'trafficFeed'> {
  readonly controllerId: string;
  readonly identityId: string;
}

/** Words of a record's kind that say what became of an entity. */
const CHANGES: ReadonlySet<string> = new Set(['created', 'updated', 'deleted']);

/** An event of that stream, as far as it is read. */
interface Change {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly entityType: string;
  readonly entityId?: string;
  readonly actor?: { readonly kind?: string; readonly id?: string; readonly name?: string };
  readonly before?: object;
  readonly after?: object;
}

export interface ChangeEvents {
  readonly isOver: () => boolean;
  readonly close: () => void;
}

/** @param onEnd  called when no more come. @throws DomainError `rateLimited` */
export async function changeEvents(
  { eventStreams, controllerId, identityId }: FeedParts,
  send: (event: object) => void,
  onEnd: () => void,
): Promise<ChangeEvents> {
  const stream: TextStream = await eventStreams.open({ identityId, kinds: [], after: undefined, isUntilNow: false });
  let isOver = false;
  const sink = {
    send: (text: string) => {
      for (const change of changesIn(text)) send({ event_src_id: controllerId, ...toEvent(change) });
      return Promise.resolve();
    },
  };
  const end = () => {
    isOver = true;
    stream.close();
    onEnd();
  };
  stream.onOverrun = end;
  void stream.run(sink).then(end, end);
  return {
    isOver: () => isOver,
    close: () => {
      stream.close();
    },
  };
}

/** Blocks without an `event:` are records; the others are about the stream itself. */
const changesIn = (text: string): Change[] =>
  text
    .split('\n\n')
    .filter((block) => !block.startsWith('event:'))
    .flatMap((block) => block.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Change)
    .filter(({ kind }) => CHANGES.has(kind.slice(kind.lastIndexOf('.') + 1)));

const toEvent = ({ id, at, kind, entityType, entityId, actor, before, after }: Change) => ({
  namespace: 'entityChange',
  timestamp: at,
  eventId: id,
  eventType: kind.slice(kind.lastIndexOf('.') + 1),
  metadata: { author: { type: actor?.kind, id: actor?.id, name: actor?.name }, source: { type: 'rest' } },
  entityType: plural(entityType),
  isParentEvent: false,
  initialState: before === undefined ? null : { id: entityId, ...before },
  finalState: after === undefined ? null : { id: entityId, ...after },
});

const plural = (type: string) => (type.endsWith('y') ? `${type.slice(0, -1)}ies` : `${type}s`);
