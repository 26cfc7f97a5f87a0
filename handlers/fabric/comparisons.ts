/**
 * Compares what routers hold with what the controllers know of them. Routers are asked by inspections; what came or
 * went while they were asked counts as right.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.js';
import type { Page } from '../../domain/model.js';
import type { Router } from '../../domain/router.js';
import type { Context } from '../context.js';
import { inspected } from './inspected.js';

export type ComparedParts = Pick<Context, 'stores' | 'newId'>;
type List<T> = (request: { filter: string; limit: number; offset: number }) => Promise<Page<T>>;

/** Entities of one kind that are compared; where there are more, none is. */
const MOST = 10_000;
const PAGE = 500;
/** Routers asked by one inspection. */
export const BATCH = 20;
/** A circuit is known to all controllers within a second. */
const SETTLE_MS = 1_500;

/** A router, what it has by id, and what the controllers know that it has. `held` is undefined when it did not say. */
export interface Compared<T> {
  readonly router: Router;
  readonly held: ReadonlyMap<string, unknown> | undefined;
  /** Known before it was asked, or afterwards. */
  readonly known: ReadonlyMap<string, T>;
  /** Known at both times. */
  readonly stands: (id: string) => boolean;
}

export const headOf = ({ router, held }: Pick<Compared<unknown>, 'router' | 'held'>) => ({
  routerId: router.id,
  routerName: router.name,
  validateSuccess: held !== undefined,
  message:
    held !== undefined
      ? ''
      : `unable to validate (router ${router.id} ${router.presence === null ? 'is not connected' : 'did not answer'})`,
});

export interface Subject<T> {
  /** The value that routers are asked for. */
  readonly value: string;
  readonly read: () => Promise<readonly T[]>;
  readonly isAt: (entity: T, routerId: string) => boolean;
}

/**
 * Asks routers, some at a time. Those that differ are asked again a while later, since what is new or has ended is
 * not known everywhere at once: only what differs both times counts.
 */
export async function* compare<T extends { readonly id: string }>(
  routers: readonly Router[],
  subject: Subject<T>,
  parts: ComparedParts,
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
  parts: ComparedParts,
): Promise<Compared<T>[]> {
  if (batch.length === 0) return [];
  const before = await read();
  const found = await inspected(patternOf(batch), [value], parts);
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

/** A regular expression for the ids of these routers alone. */
export const patternOf = (batch: readonly Pick<Router, 'id'>[]): string =>
  `^(${batch.map(({ id }) => id.replaceAll('.', '\\.')).join('|')})$`;

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

/** Entities in the value of a router: its list or table of `links`, `circuits` or `entries`. */
function heldIn(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { links, circuits, entries } = value as { links?: unknown; circuits?: unknown; entries?: unknown };
  const held = links ?? circuits ?? entries ?? [];
  if (Array.isArray(held)) return byId(held.filter(hasId));
  return typeof held === 'object' && held !== null ? new Map(Object.entries(held)) : undefined;
}

const hasId = (item: unknown): item is { readonly id: string } =>
  typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string';

const byId = <T extends { readonly id: string }>(items: readonly T[]) => new Map(items.map((item) => [item.id, item]));

/** @throws DomainError of the filter, and `invalidFilter` where it finds more than can be compared */
export async function all<T>(filter: string, list: List<T>, most = MOST): Promise<T[]> {
  const found: T[] = [];
  while (found.length <= most) {
    const { items, totalCount } = await list({ filter, limit: PAGE, offset: found.length });
    if (totalCount > most) break;
    found.push(...items);
    if (items.length === 0 || found.length >= totalCount) return found;
  }
  throw new DomainError('invalidFilter', { causeMessage: `it finds more than ${most}, which are not compared` });
}
