/** Tells one router the model: the whole state at first, and from then on what differs from what it was told. */
import { modelChanges } from '../../domain/fabric/router-model.js';
import type { RouterModel } from '../../domain/fabric/router-model.js';
import type { ReachedModels } from '../../db/stores/router-models.js';
import type { RouterChannel } from '../channel/channel.js';
import { changeSetMessage, stateMessage } from './model-messages.js';
import { keyChanges } from './public-keys.js';
import type { PublicKey } from './public-keys.js';

export type Keys = ReadonlyMap<string, PublicKey>;

/** The model that a router was sent last. */
interface SentModel {
  readonly keys: Keys;
  readonly model: RouterModel;
  readonly index: number;
  readonly timelineId: string;
}

export interface ModelReceiver {
  readonly channel: RouterChannel;
  /** Undefined until it subscribes: until then it is sent nothing. */
  subscriptionId: string | undefined;
  /** Undefined when the whole state is due. */
  sent: SentModel | undefined;
}

export function sendChanges(
  entry: ModelReceiver,
  model: RouterModel,
  keys: Keys,
  { index, timelineId }: Pick<ReachedModels, 'index' | 'timelineId'>,
): void {
  const { channel, subscriptionId, sent } = entry;
  if (subscriptionId === undefined) return;
  const position = { index, timelineId, subscriptionId };
  const changes = sent === undefined ? [] : modelChanges(sent.model, model);
  const hasGrown = sent?.timelineId === timelineId && index > sent.index;
  if (sent === undefined || (changes.length > 0 && !hasGrown)) {
    channel.send(stateMessage(model, keys, position));
    entry.sent = { keys, model, index, timelineId };
    return;
  }
  const changedKeys = sent.keys === keys ? undefined : keyChanges(sent.keys, keys);
  if (changedKeys !== undefined) channel.send(changedKeys);
  if (changes.length > 0) channel.send(changeSetMessage(changes, sent.index, position));
  // The next change follows the last that was sent, not the last that was read.
  entry.sent = changes.length > 0 ? { keys, model, index, timelineId } : { ...sent, keys };
}
