/**
 * Create, change and delete, the same for every kind of entity: creating keeps the ids, changing and deleting use
 * them, and what is left when the group is through is removed. Names carry the time of the run and a serial number.
 */
import { methodOf } from './case.js';
import type { BenchCase, CaseContext, CasePlan, Group } from './case.js';
import { SERIAL } from './load.js';
import { PARALLEL } from './api-client.js';
import { failFor } from './faults.js';
import { say } from './progress.js';
import { MANAGEMENT, madeOf, requestBytes } from './world.js';
import type { World } from './world.js';

const RUN = Date.now().toString(36);
/** A name that no entity has. */
export const newName = (kind: string): string => `bench-new-${kind}-${RUN}-${SERIAL}`;

export interface Kind {
  /** As in case names: `identity`. */
  readonly noun: string;
  readonly collection: string;
  readonly operations: Readonly<Partial<Record<'create' | 'patch' | 'update' | 'delete', string>>>;
  /** The body of a create; `ownerId` when the kind has an owner. */
  readonly create: (world: World, ownerId: string) => unknown;
  readonly patch?: unknown;
  readonly update?: (world: World) => unknown;
  /** What each of them belongs to, one of its own each: `create` gets its id. */
  readonly owner?: Kind;
  /** About how many are made or deleted in a second over many connections. */
  readonly perSecond: number;
  /** Further operations on one entity: `disable`. */
  readonly acts?: readonly Act[];
}

export interface Act {
  readonly name: string;
  readonly operationId: string;
  readonly path: string;
  readonly body?: unknown;
}

const LONG_SECONDS = 600;
const READY_FOR_CHANGES = 200;

export function lifecycle(kind: Kind): BenchCase[] {
  const group: Group = { clearUp: (context) => removeAll(kind, context) };
  const {
    noun,
    operations: { create, patch, update, delete: remove },
  } = kind;
  const changing = (word: string, operationId: string, path: string, body: (world: World) => unknown): BenchCase => ({
    name: `${noun} ${word}`,
    api: 'management',
    operationId,
    group,
    plan: async (context) => {
      await fill(kind, context, READY_FOR_CHANGES);
      return {
        mode: 'cycle',
        requests: idsOf(kind, context.world)
          .slice(0, READY_FOR_CHANGES)
          .map((id) =>
            requestBytes(context.world, {
              method: methodOf('management', operationId),
              path: `${MANAGEMENT}/${kind.collection}/${id}${path}`,
              body: body(context.world),
              token: context.world.admin.token,
            }),
          ),
      };
    },
  });
  return [
    ...(create === undefined
      ? []
      : [
          {
            name: `${noun} create`,
            api: 'management' as const,
            operationId: create,
            group,
            plan: (context: CaseContext) => creating(kind, context, amount(kind, context)),
            after: async ({ world }: CaseContext, { ids }: { readonly ids: readonly string[] }) => {
              idsOf(kind, world).push(...ids);
            },
          },
        ]),
    ...(patch === undefined ? [] : [changing('patch', patch, '', () => kind.patch)]),
    ...(update === undefined ? [] : [changing('update', update, '', (world) => kind.update?.(world))]),
    ...(kind.acts ?? []).map(({ name, operationId, path, body }) => changing(name, operationId, path, () => body)),
    ...(remove === undefined
      ? []
      : [
          {
            name: `${noun} delete`,
            api: 'management' as const,
            operationId: remove,
            group,
            plan: async (context: CaseContext) => {
              const wanted = amount(kind, context);
              await fill(kind, context, wanted);
              const pool = idsOf(kind, context.world);
              const ids = pool.splice(0, wanted);
              return { ...removal(kind, context.world, ids), spends: { ids, pool } };
            },
          },
        ]),
  ];
}

/** Enough to last for the time of a case; one that runs out of them ends early. */
function amount({ perSecond }: Kind, { seconds, connections }: CaseContext): number {
  return Math.max(20, Math.ceil(perSecond * seconds * Math.min(1, (connections + 3) / PARALLEL)));
}

const idsOf = ({ noun }: Kind, world: World): string[] => madeOf(world, noun);

/** Without an owner one request serves for all, with a new name each time; with owners there is one for each. */
async function creating(kind: Kind, context: CaseContext, count: number): Promise<CasePlan> {
  const { world } = context;
  const path = `${MANAGEMENT}/${kind.collection}`;
  const request = (ownerId: string) =>
    requestBytes(world, { method: 'POST', path, body: kind.create(world, ownerId), token: world.admin.token });
  if (kind.owner === undefined) return { mode: 'cycle', collectsIds: true, requests: [request('')] };
  await fill(kind.owner, context, count);
  const owners = idsOf(kind.owner, world).splice(0, count);
  usedOwners(kind, world).push(...owners);
  return { mode: 'once', collectsIds: true, requests: owners.map(request) };
}

/** Makes as many as are missing, unmeasured. */
async function fill(kind: Kind, context: CaseContext, wanted: number): Promise<void> {
  const ids = idsOf(kind, context.world);
  const missing = wanted - ids.length;
  if (missing <= 0) return;
  const plan = await creating(kind, context, missing);
  const result = await context.load.run(context.world.target, {
    ...plan,
    connections: PARALLEL,
    seconds: LONG_SECONDS,
    maxRequests: missing,
  });
  if (result.errors > 0) throw new Error(`preparing: cannot create ${kind.noun}: ${result.firstError ?? ''}`);
  ids.push(...result.ids);
}

function removal({ collection }: Kind, world: World, ids: readonly string[]): CasePlan {
  return {
    mode: 'once',
    requests: ids.map((id) =>
      requestBytes(world, {
        method: 'DELETE',
        path: `${MANAGEMENT}/${collection}/${id}`,
        token: world.admin.token,
      }),
    ),
  };
}

const usedOwners = ({ noun }: Kind, world: World): string[] => madeOf(world, `owners of ${noun}`);

/** Owners take with them what they own. */
async function removeAll(kind: Kind, context: CaseContext): Promise<void> {
  const { world, load } = context;
  const own = idsOf(kind, world).splice(0);
  const owners = [
    ...usedOwners(kind, world).splice(0),
    ...(kind.owner === undefined ? [] : idsOf(kind.owner, world).splice(0)),
  ];
  const [target, ids] = kind.owner === undefined ? [kind, own] : [kind.owner, owners];
  if (ids.length === 0) return;
  const { errors, firstError } = await load.run(world.target, {
    ...removal(target, world, ids),
    connections: PARALLEL,
    seconds: LONG_SECONDS,
  });
  if (errors === 0) return;
  failFor([`clearing up ${target.collection}`]);
  say(`clearing up: ${errors} of ${ids.length} ${target.collection} could not be deleted: ${firstError ?? ''}`);
}
