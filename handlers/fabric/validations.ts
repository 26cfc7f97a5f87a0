/** Validations: whether routers have the links, circuits and terminators that the controllers know of. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ShownCircuit, ShownLink } from '../../domain/fabric/link.js';
import { SDK_BINDING, TUNNEL_BINDING } from '../../domain/fabric/terminator.js';
import { DomainError } from '../../domain/errors.js';
import type { Terminator } from '../../domain/model.js';
import type { Router } from '../../domain/router.js';
import {
  LinkState,
  RouterCircuitDetailsSchema,
  RouterLinkDetailsSchema,
  RouterTerminatorDetailsSchema,
  TerminatorState,
  ValidateRoutersRequestSchema,
} from '../../generated/fabric/management_pb.js';
import type {
  HeldTerminatorDetailSchema,
  RouterCircuitDetailSchema,
  RouterLinkDetailSchema,
} from '../../generated/fabric/management_pb.js';
import { all, compare, headOf } from './comparisons.js';
import type { Compared, ComparedParts } from './comparisons.js';

/** A validation under way: how many routers or other things it is about, and the message about each of them. */
export interface Validation {
  readonly count: number;
  readonly findings: () => AsyncGenerator<Uint8Array>;
}

/** @throws DomainError `unparsableBody` */
export function readValidation<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new DomainError('unparsableBody', { causeMessage: 'the request cannot be read' });
  }
}

/** Routers that the filter of a request finds. */
function routersOf(request: Uint8Array, { stores }: ComparedParts): Promise<Router[]> {
  const { filter } = readValidation(() => fromBinary(ValidateRoutersRequestSchema, request));
  return all<Router>(filter, (page) => stores.routers.listOfFabric(page));
}

/** Compares links. @throws DomainError of the request */
export async function validateLinks(request: Uint8Array, parts: ComparedParts): Promise<Validation> {
  const { stores } = parts;
  const routers = await routersOf(request, parts);
  const isEnd = ({ sourceRouter, destRouter }: ShownLink, id: string) => sourceRouter.id === id || destRouter.id === id;
  return {
    count: routers.length,
    async *findings() {
      const read = () => all<ShownLink>('', (request) => stores.links.list(request));
      for await (const compared of compare(routers, { value: 'links', read, isAt: isEnd }, parts)) {
        const linkDetails = compared.held === undefined ? [] : linksOf(compared, compared.held);
        yield toBinary(RouterLinkDetailsSchema, create(RouterLinkDetailsSchema, { ...headOf(compared), linkDetails }));
      }
    },
  };
}

/** Compares circuits. @throws DomainError of the request */
export async function validateCircuits(request: Uint8Array, parts: ComparedParts): Promise<Validation> {
  const { stores } = parts;
  const routers = await routersOf(request, parts);
  const isOver = (circuit: ShownCircuit, id: string) => circuit.routers.some((router) => router.id === id);
  return {
    count: routers.length,
    async *findings() {
      const read = () => all<ShownCircuit>('', (request) => stores.circuits.list(request));
      for await (const compared of compare(routers, { value: 'router-circuits', read, isAt: isOver }, parts)) {
        const details = compared.held === undefined ? {} : circuitsOf(compared, compared.held);
        yield toBinary(
          RouterCircuitDetailsSchema,
          create(RouterCircuitDetailsSchema, { ...headOf(compared), details }),
        );
      }
    },
  };
}

function linksOf(
  { router, known, stands }: Compared<ShownLink>,
  held: ReadonlyMap<string, unknown>,
): MessageInitShape<typeof RouterLinkDetailSchema>[] {
  return [...new Set([...known.keys(), ...held.keys()])].map((linkId) => {
    const link = known.get(linkId);
    const isKnown = link !== undefined;
    const isValid = held.has(linkId) ? isKnown : !stands(linkId);
    const dialed = link?.sourceRouter.id === router.id;
    return {
      linkId,
      ctrlState: isKnown ? LinkState.ESTABLISHED : LinkState.UNKNOWN,
      routerState: held.has(linkId) ? LinkState.ESTABLISHED : LinkState.UNKNOWN,
      destConnected: link?.isWatched ?? false,
      isValid,
      destRouterId: (dialed ? link?.destRouter.id : link?.sourceRouter.id) ?? '',
      dialed,
    };
  });
}

function circuitsOf(
  { known, stands }: Compared<ShownCircuit>,
  held: ReadonlyMap<string, unknown>,
): Record<string, MessageInitShape<typeof RouterCircuitDetailSchema>> {
  return Object.fromEntries(
    [...new Set([...known.keys(), ...held.keys()])].map((circuitId) => [
      circuitId,
      {
        circuitId,
        missingInCtrl: !known.has(circuitId),
        missingInForwarder: !held.has(circuitId) && stands(circuitId),
      },
    ]),
  );
}

/** Compares terminators that routers have for SDKs. @throws DomainError of the request */
export const validateSdkTerminators = (request: Uint8Array, parts: ComparedParts): Promise<Validation> =>
  validateHeld(request, parts, { value: 'sdk-terminators', binding: SDK_BINDING });

/** Compares terminators that routers have for themselves. @throws DomainError of the request */
export const validateTunnelTerminators = (request: Uint8Array, parts: ComparedParts): Promise<Validation> =>
  validateHeld(request, parts, { value: 'ert-terminators', binding: TUNNEL_BINDING });

async function validateHeld(
  request: Uint8Array,
  parts: ComparedParts,
  { value, binding }: { readonly value: string; readonly binding: string },
): Promise<Validation> {
  const { stores } = parts;
  const routers = await routersOf(request, parts);
  const isAt = ({ router }: Terminator, id: string) => router.id === id;
  const read = () => all<Terminator>(`binding = "${binding}"`, (page) => stores.fabricTerminators.list(page));
  return {
    count: routers.length,
    async *findings() {
      for await (const compared of compare(routers, { value, read, isAt }, parts)) {
        const details = compared.held === undefined ? [] : terminatorsOf(compared, compared.held);
        yield toBinary(
          RouterTerminatorDetailsSchema,
          create(RouterTerminatorDetailsSchema, { ...headOf(compared), details }),
        );
      }
    },
  };
}

/** The state in which a router has a terminator for good; others are on their way to it or away from it. */
const ESTABLISHED = 'established';

function terminatorsOf(
  { known, stands }: Compared<Terminator>,
  held: ReadonlyMap<string, unknown>,
): MessageInitShape<typeof HeldTerminatorDetailSchema>[] {
  return [...new Set([...known.keys(), ...held.keys()])].map((terminatorId) => {
    const entry = held.get(terminatorId) as Readonly<Record<string, unknown>> | undefined;
    const text = (name: string) => (typeof entry?.[name] === 'string' ? entry[name] : '');
    const isKnown = known.has(terminatorId);
    const isEstablished = text('state') === ESTABLISHED;
    return {
      terminatorId,
      ctrlState: isKnown ? TerminatorState.VALID : TerminatorState.UNKNOWN,
      routerState: entry === undefined ? 'unknown' : text('state'),
      isValid: entry === undefined ? !stands(terminatorId) : isKnown || !isEstablished,
      operationActive: entry?.['operationActive'] === true,
      createTime: text('createTime'),
      lastAttempt: text('lastAttempt'),
    };
  });
}
