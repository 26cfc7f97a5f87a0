/** Validation of terminators: each router is asked whether it has those that are stored for it. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { DomainError } from '../../domain/errors.js';
import { TERMINATOR_CHECK } from '../../domain/fabric/inspection.js';
import type { TerminatorCheck } from '../../domain/fabric/inspection.js';
import type { Terminator } from '../../domain/model.js';
import {
  TerminatorDetailSchema,
  TerminatorState,
  ValidateTerminatorsRequestSchema,
} from '../../generated/fabric/management_pb.js';
import { BATCH, all, patternOf } from './comparisons.js';
import type { ComparedParts } from './comparisons.js';
import { inspected } from './inspected.js';
import { readValidation } from './validations.js';
import type { Validation } from './validations.js';

const STATES: Readonly<Record<TerminatorCheck['reason'] & string, TerminatorState>> = {
  unknownBinding: TerminatorState.UNKNOWN_BINDING,
  unknownTerminator: TerminatorState.UNKNOWN_TERMINATOR,
  badState: TerminatorState.BAD_STATE,
};

/** Asks for the terminators that a filter finds. @throws DomainError of the request */
export async function validateTerminators(request: Uint8Array, parts: ComparedParts): Promise<Validation> {
  const wanted = readValidation(() => fromBinary(ValidateTerminatorsRequestSchema, request));
  if (wanted.fixInvalid) throw refused('none is removed here: remove those that are not valid by their ids');
  if (wanted.identityFilter !== '' || wanted.expectedPerHost > 0 || wanted.expectedPerHostAndService > 0)
    throw refused('terminators are not counted by host');
  const list = () => all<Terminator>(wanted.filter, (page) => parts.stores.fabricTerminators.list(page));
  const terminators = await list();
  return {
    count: terminators.length,
    findings: () => checksOf(terminators, parts),
  };
}

const refused = (causeMessage: string) => new DomainError('notImplemented', { causeMessage });

async function* checksOf(terminators: readonly Terminator[], parts: ComparedParts): AsyncGenerator<Uint8Array> {
  const routers = [...new Map(terminators.map(({ router }) => [router.id, router])).values()];
  for (let from = 0; from < routers.length; from += BATCH) {
    const batch = routers.slice(from, from + BATCH);
    const found = await inspected(patternOf(batch), [TERMINATOR_CHECK], parts);
    const values = found === 'badPattern' ? [] : found.values;
    for (const { id } of batch) {
      const answer = values.find(({ appId }) => appId === id)?.value as readonly TerminatorCheck[] | undefined;
      const checks = new Map(answer?.map((check) => [check.id, check]));
      for (const terminator of terminators.filter(({ router }) => router.id === id))
        yield detailOf(terminator, answer === undefined ? undefined : checks.get(terminator.id));
    }
  }
}

function detailOf(terminator: Terminator, check: TerminatorCheck | undefined): Uint8Array {
  const { service, router, createdAt } = terminator;
  const detail = create(TerminatorDetailSchema, {
    terminatorId: terminator.id,
    serviceId: service.id,
    serviceName: service.name,
    routerId: router.id,
    routerName: router.name,
    binding: terminator.binding,
    address: terminator.address,
    hostId: terminator.hostId,
    createDate: createdAt.toISOString(),
    state: stateOf(check),
    detail: check?.detail ?? 'its router did not say: it is not connected, or did not answer in time',
  });
  return toBinary(TerminatorDetailSchema, detail);
}

function stateOf(check: TerminatorCheck | undefined): TerminatorState {
  if (check === undefined) return TerminatorState.UNKNOWN;
  return check.reason === undefined ? TerminatorState.VALID : STATES[check.reason];
}
