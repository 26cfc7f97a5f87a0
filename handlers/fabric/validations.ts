/**
 * Validations: whether routers have the links and circuits that the controllers know of. Routers are asked by
 * inspections; what came or went while they were asked counts as right.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { DomainError } from '../../domain/errors.js';
import type { Page } from '../../domain/model.js';
import type { Router } from '../../domain/router.js';
import type { ShownCircuit, ShownLink } from '../../domain/fabric/link.js';
import {
  LinkState,
  RouterCircuitDetailsSchema,
  RouterLinkDetailsSchema,
} from '../../generated/fabric/management_pb.js';
import type { RouterCircuitDetailSchema, RouterLinkDetailSchema } from '../../generated/fabric/management_pb.js';
import type { Context } from '../context.js';
import { inspected } from './inspected.js';

type Parts = Pick<Context, 'stores' | 'newId'>;
type List<T> = (request: { filter: string; limit: number; offset: number }) => Promise<Page<T>>;

/** A validation under way: how many routers it is about, and the message about each of them. */
export interface Validation {
  readonly routerCount: number;
  readonly findings: () => AsyncGenerator<Uint8Array>;
}

/** Entities of one kind that are compared; where there are more, none is. */
const MOST = 10_000;
const PAGE = 500;
/** Routers asked by one inspection. */
const BATCH = 20;
/** A circuit is known to all controllers within a second. */
const SETTLE_MS = 1_500;

/** A router, what it has by id, and what the controllers know that it has. `held` is undefined when it did not say. */
interface Compared<T> {
  readonly router: Router;
  readonly held: ReadonlyMap<string, unknown> | undefined;
  /** Known before it was asked, or afterwards. */
  readonly known: ReadonlyMap<string, T>;
  /** Known at both times. */
  readonly stands: (id: string) => boolean;
}

/** Compares links. @throws DomainError of the filter */
export async function validateLinks(filter: string, parts: Parts): Promise<Validation> {
  const { stores } = parts;
  const routers = await all<Router>(filter, (request) => stores.routers.listOfFabric(request));
  const isEnd = ({ sourceRouter, destRouter }: ShownLink, id: string) => sourceRouter.id === id || destRouter.id === id;
  return {
    routerCount: routers.length,
    async *findings() {
      const read = () => all<ShownLink>('', (request) => stores.links.list(request));
      for await (const compared of compare(routers, { value: 'links', read, isAt: isEnd }, parts)) {
        const linkDetails = compared.held === undefined ? [] : linksOf(compared, compared.held);
        yield toBinary(RouterLinkDetailsSchema, create(RouterLinkDetailsSchema, { ...headOf(compared), linkDetails }));
      }
    },
  };
}

/** Compares circuits. @throws DomainError of the filter */
export async function validateCircuits(filter: string, parts: Parts): Promise<Validation> {
  const { stores } = parts;
  const routers = await all<Router>(filter, (request) => stores.routers.listOfFabric(request));
  const isOver = (circuit: ShownCircuit, id: string) => circuit.routers.some((router) => router.id === id);
  return {
    routerCount: routers.length,
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

const headOf = ({ router, held }: Pick<Compared<unknown>, 'router' | 'held'>) => ({
  routerId: router.id,
  routerName: router.name,
  validateSuccess: held !== undefined,
  message:
    held !== undefined
      ? ''
      : `unable to validate (router ${router.id} ${router.presence === null ? 'is not connected' : 'did not answer'})`,
});

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

interface Subject<T> {
  /** The value that routers are asked for. */
  readonly value: string;
  readonly read: () => Promise<readonly T[]>;
  readonly isAt: (entity: T, routerId: string) => boolean;
}

/**
 * Asks routers, some at a time. Those that differ are asked again a while later, since what is new or has ended is
 * not known everywhere at once: only what differs both times counts.
 */
async function* compare<T extends { readonly id: string }>(
  routers: readonly Router[],
  subject: Subject<T>,
  parts: Parts,
): AsyncGenerator<Compared<T>> {
  for (let from = 0; from < routers.length; from += BATCH) {
    const first = await round(routers.slice(from, from + BATCH), subject, parts);
    const doubtful = first.filter(isDoubtful);
    if (doubtful.length > 0) await pause(SETTLE_MS);
    const second = await round(
      doubtful.map(({ router }) => router),
      subject,
      parts,
    );
    for (const one of first) {
      const again = second.find(({ router }) => router === one.router);
      yield again === undefined ? one : both(one, again);
    }
  }
}

async function round<T extends { readonly id: string }>(
  batch: readonly Router[],
  { value, read, isAt }: Subject<T>,
  parts: Parts,
): Promise<Compared<T>[]> {
  if (batch.length === 0) return [];
  const before = await read();
  const names = batch.map(({ id }) => id.replaceAll('.', '\\.')).join('|');
  const found = await inspected(`^(${names})$`, [value], parts);
  const after = await read();
  return batch.map((router) => {
    const answer = found === 'badPattern' ? undefined : found.values.find(({ appId }) => appId === router.id);
    const at = (list: readonly T[]) => byId(list.filter((entity) => isAt(entity, router.id)));
    const [first, last] = [at(before), at(after)];
    return {
      router,
      held: answer === undefined ? undefined : heldIn(answer.value),
      known: new Map([...first, ...last]),
      stands: (id) => first.has(id) && last.has(id),
    };
  });
}

const isDoubtful = ({ held, known, stands }: Compared<unknown>): boolean =>
  held !== undefined &&
  ([...held.keys()].some((id) => !known.has(id)) || [...known.keys()].some((id) => stands(id) && !held.has(id)));

function both<T>(first: Compared<T>, second: Compared<T>): Compared<T> {
  const known = new Map([...first.known, ...second.known]);
  const [one, two] = [first.held ?? new Map<string, unknown>(), second.held];
  const held = [...one, ...(two ?? [])].filter(([id]) => known.has(id) || (one.has(id) && two?.has(id) === true));
  return {
    router: second.router,
    held: two === undefined ? undefined : new Map(held),
    known,
    stands: (id) => first.stands(id) && second.stands(id),
  };
}

/** Entities in the value of a router: its list or table of `links` or `circuits`. */
function heldIn(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { links, circuits } = value as { links?: unknown; circuits?: unknown };
  const held = links ?? circuits ?? [];
  if (Array.isArray(held)) return byId(held.filter(hasId));
  return typeof held === 'object' && held !== null ? new Map(Object.entries(held)) : undefined;
}

const hasId = (item: unknown): item is { readonly id: string } =>
  typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string';

const byId = <T extends { readonly id: string }>(items: readonly T[]) => new Map(items.map((item) => [item.id, item]));

/** @throws DomainError of the filter, and `invalidFilter` where it finds more than can be compared */
export async function all<T>(filter: string, list: List<T>): Promise<T[]> {
  const found: T[] = [];
  while (found.length <= MOST) {
    const { items, totalCount } = await list({ filter, limit: PAGE, offset: found.length });
    found.push(...items);
    if (items.length === 0 || found.length >= totalCount) return found;
  }
  throw new DomainError('invalidFilter', { causeMessage: `it finds more than ${MOST}, which are not compared` });
}
