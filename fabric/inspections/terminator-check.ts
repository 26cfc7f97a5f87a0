/** Asks a router for each terminator that is stored for it whether it has it. It removes none. */
import { create } from '@bufbuild/protobuf';
import type { TerminatorCheck } from '../../domain/fabric/inspection.js';
import type { Page, Terminator } from '../../domain/model.js';
import {
  TerminatorInvalidReason,
  ValidateTerminatorsV2RequestSchema,
  ValidateTerminatorsV2ResponseSchema,
} from '../../generated/fabric/control_pb.js';
import type { RouterTerminatorState } from '../../generated/fabric/control_pb.js';
import { ContentType } from '../channel/content-types.js';
import { readBody, typedMessage } from '../channel/frame.js';
import type { OpenChannel } from '../channel/router-channel.js';

export type CheckedChannel = Pick<OpenChannel, 'routerId' | 'request' | 'work'>;
export type ListTerminators = (request: { filter: string; limit: number; offset: number }) => Promise<Page<Terminator>>;

const PAGE = 500;
const MOST = 10_000;

const REASONS: Readonly<Record<TerminatorInvalidReason, TerminatorCheck['reason'] & string>> = {
  [TerminatorInvalidReason.UNKNOWN_BINDING]: 'unknownBinding',
  [TerminatorInvalidReason.UNKNOWN_TERMINATOR]: 'unknownTerminator',
  [TerminatorInvalidReason.BAD_STATE]: 'badState',
};

/**
 * The answers for up to 10,000 terminators.
 * @param leftMs  the time that is left
 * @throws ChannelError when the router does not answer in time
 */
export async function checkTerminators(
  channel: CheckedChannel,
  list: ListTerminators,
  leftMs: () => number,
): Promise<TerminatorCheck[]> {
  const checks: TerminatorCheck[] = [];
  for (let offset = 0; offset < MOST; offset += PAGE) {
    const page = await list({ filter: `router = "${channel.routerId}"`, limit: PAGE, offset });
    const terminators = page.items.map(({ id, binding, address }) => ({ id, binding, address, marker: 1n }));
    if (terminators.length === 0) break;
    const body = create(ValidateTerminatorsV2RequestSchema, { terminators, fixInvalid: false, postCreate: false });
    const question = typedMessage(ContentType.ValidateTerminatorsV2, ValidateTerminatorsV2RequestSchema, body);
    const answer = await channel.request(question, Math.max(1, leftMs()));
    if (answer.contentType !== ContentType.ValidateTerminatorsV2Response) break;
    const { states } = await channel.work(() => readBody(ValidateTerminatorsV2ResponseSchema, answer));
    checks.push(...Object.entries(states).map(([id, state]) => checkOf(id, state)));
    if (offset + PAGE >= page.totalCount) break;
  }
  return checks;
}

const checkOf = (id: string, { valid, reason, detail }: RouterTerminatorState): TerminatorCheck =>
  valid ? { id, isValid: true, detail } : { id, isValid: false, reason: REASONS[reason], detail };
