/** Asks a router whether it has what it was told: it compares by itself, and answers what differs. */
import { create } from '@bufbuild/protobuf';
import {
  RouterDataModelValidateRequestSchema,
  RouterDataModelValidateResponseSchema,
} from '../../generated/fabric/data-model_pb.js';
import type { DataState } from '../../generated/fabric/data-model_pb.js';
import type { RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { readBody, typedMessage } from '../channel/frame.js';
import type { FabricLog } from '../channel/router-log.js';

/** One thing that a router has otherwise than it was told. @property kind  how, in the router's words */
export interface ModelDifference {
  readonly entityType: string;
  readonly entityId: string;
  readonly kind: string;
  readonly detail: string;
}

/** Logs that a router differs. */
export function noteDifferences(
  log: FabricLog,
  { routerId }: RouterChannel,
  differences: readonly ModelDifference[],
): void {
  const [first] = differences;
  log.warn(
    { routerId, differences: differences.length, entityType: first?.entityType, entityId: first?.entityId },
    'a router had something else than it was told, and is told all of it again',
  );
}

const ANSWER_MS = 30_000;

/** A difference that stands for more than are read. */
const TOO_MANY: ModelDifference = { entityType: '', entityId: '', kind: 'too many to be read', detail: '' };

/** Ends of clients are told beside the model. */
const IS_REVOCATION = /revocation/i;

/** @throws ChannelError when the router does not answer */
export async function compareModel(channel: RouterChannel, state: DataState): Promise<ModelDifference[]> {
  const question = create(RouterDataModelValidateRequestSchema, { state, fix: false });
  const answer = await channel.request(
    typedMessage(ContentType.ValidateDataState, RouterDataModelValidateRequestSchema, question),
    ANSWER_MS,
  );
  if (answer.isSkipped === true) return [TOO_MANY];
  return readBody(RouterDataModelValidateResponseSchema, answer)
    .diffs.map(({ entityType, entityId, diffType: kind, detail }) => ({ entityType, entityId, kind, detail }))
    .filter(({ entityType }) => !IS_REVOCATION.test(entityType));
}
