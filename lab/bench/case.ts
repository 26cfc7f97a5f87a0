/** What a case is, and the cases that only read: same requests over and over, spread over many entities. */
import type { Api } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import type { OperationId } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { LoadGenerator, LoadPlan, LoadResult } from './load.js';
import { requestBytes, tokenOf } from './world.js';
import type { Speaker, World } from './world.js';

export interface CaseContext {
  readonly world: World;
  readonly load: LoadGenerator;
  readonly seconds: number;
  readonly connections: number;
}

export interface CasePlan extends Pick<
  LoadPlan,
  'requests' | 'mode' | 'collectsIds' | 'connectsEach' | 'clientCertificate'
> {
  /** In mode `once`: the entity that each request uses up. Those of requests that are not sent are handed back. */
  readonly spends?: { readonly ids: readonly string[]; readonly pool: string[] };
}

export interface BenchCase {
  readonly name: string;
  readonly api: Api;
  readonly operationId: string;
  /** Why it touches more rows in a larger network, when it does. */
  readonly growth?: string;
  /** Its requests refuse each other when they come together: it has one connection. */
  readonly isAlone?: true;
  /** Makes what the case needs; not measured. */
  plan(context: CaseContext): Promise<CasePlan>;
  after?(context: CaseContext, result: LoadResult): Promise<void>;
  /** Clears up after the last case of the same group. */
  readonly group?: Group;
}

export interface Group {
  clearUp(context: CaseContext): Promise<void>;
}

export const methodOf = (api: Api, operationId: string): string => {
  const all: Readonly<Record<string, { readonly method: string }>> = operations[api];
  const method = all[operationId]?.method;
  if (method === undefined) throw new Error(`the ${api} API has no operation ${operationId}`);
  return method;
};

type Paths = (world: World) => readonly string[];

/** @param paths  below the base path of the API */
export function reading<A extends Api>(
  name: string,
  api: A,
  operationId: OperationId<A>,
  paths: Paths,
  speaker: Speaker,
): BenchCase {
  return {
    name,
    api,
    operationId,
    plan: async ({ world }) => ({
      mode: 'cycle',
      requests: paths(world).map((path) =>
        requestBytes(world, {
          method: methodOf(api, operationId),
          path: basePaths[api] + path,
          token: tokenOf(world, speaker),
        }),
      ),
    }),
  };
}

/** One that is not expected to be as fast in a larger network. */
export const growing = (growth: string, item: BenchCase): BenchCase => ({ ...item, growth });
