/** Tells one router the model: the whole state at first, and from then on what differs from what it was told. */
import { modelChanges } from '../../domain/fabric/model-changes.js';
import type { WholeModel } from '../../domain/fabric/model-changes.js';
import type { ReachedModels } from '../../db/stores/reached-models.js';
import type { RouterChannel } from '../channel/channel.js';
import { changeSetMessage, stateMessage } from './model-messages.js';
import { keyChanges } from './public-keys.js';
import type { PublicKey } from './public-keys.js';

export type Keys = ReadonlyMap<string, PublicKey>;

/** The model that a router was sent last. */
interface SentModel {
  readonly keys: Keys;
  readonly model: WholeModel;
  readonly index: number;
  /** Index of the database then: the reach of clients changes without it. */
  readonly counted: number;
  readonly timelineId: string;
}

export interface ModelReceiver {
  readonly channel: RouterChannel;
  /** Undefined until it subscribes: until then it is sent nothing. */
  subscriptionId: string | undefined;
  /** Undefined when the whole state is due. */
  sent: SentModel | undefined;
}

/** @returns true when the whole state was sent */
export function sendChanges(
  entry: ModelReceiver,
  model: WholeModel,
  keys: Keys,
  { index: counted, timelineId }: Pick<ReachedModels, 'index' | 'timelineId'>,
): boolean {
  const { channel, subscriptionId, sent } = entry;
  if (subscriptionId === undefined) return false;
  const changes = sent === undefined ? [] : modelChanges(sent.model, model);
  const hasGrown = sent?.timelineId === timelineId && counted > sent.counted;
  if (sent === undefined || (changes.length > 0 && !hasGrown)) {
    channel.send(stateMessage(model, keys, { index: counted, timelineId, subscriptionId }));
    entry.sent = { keys, model, index: counted, counted, timelineId };
    return true;
  }
  sendKeys(entry, sent, keys);
  // The next change follows the last that was sent, not the last that was read.
  if (changes.length > 0) sendNext(entry, sent, model, keys, counted);
  else entry.sent = { ...sent, keys };
  return false;
}

/** Tells the router what its clients reach now, when it has been told all before. */
export function sendReach(entry: ModelReceiver, model: WholeModel): void {
  const { sent } = entry;
  if (sent !== undefined) sendNext(entry, sent, model, sent.keys, sent.counted);
}

function sendKeys({ channel }: ModelReceiver, sent: SentModel, keys: Keys): void {
  const changed = sent.keys === keys ? undefined : keyChanges(sent.keys, keys);
  if (changed !== undefined) channel.send(changed);
}

function sendNext(entry: ModelReceiver, sent: SentModel, model: WholeModel, keys: Keys, counted: number): void {
  const { channel, subscriptionId } = entry;
  const changes = modelChanges(sent.model, model);
  if (subscriptionId === undefined || changes.length === 0) return;
  const { timelineId } = sent;
  const index = Math.max(counted, sent.index + 1);
  channel.send(changeSetMessage(changes, sent.index, { index, timelineId, subscriptionId }));
  entry.sent = { keys, model, index, counted, timelineId };
}

export const routerIdsOf = (receivers: readonly ModelReceiver[]): string[] =>
  receivers.map(({ channel }) => channel.routerId);
