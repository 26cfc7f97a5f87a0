/** Validations of what routers were told, and of which identities they reported as connected. */
import { setTimeout as pause } from 'node:timers/promises';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { MODEL_CHECK, REPORTED_IDENTITIES } from '../../domain/fabric/inspection.js';
import type { InspectionAnswer } from '../../domain/fabric/inspection.js';
import type { Router } from '../../domain/router.js';
import { ComponentDetailsSchema, ValidateModelsRequestSchema } from '../../generated/fabric/management_pb.js';
import { BATCH, all, patternOf } from './comparisons.js';
import type { ComparedParts } from './comparisons.js';
import { inspected } from './inspected.js';
import { readValidation } from './validations.js';
import type { Validation } from './validations.js';

/** Faults of a router; undefined when it could not be asked. */
type Errors = readonly string[] | undefined;
type Look = (batch: readonly Router[], parts: ComparedParts) => Promise<ReadonlyMap<string, Errors>>;

/** Compares what each router has with what it was told. @throws DomainError of the request */
export const validateModels = (request: Uint8Array, parts: ComparedParts): Promise<Validation> =>
  validateRouters(request, parts, modelErrors);

/** Compares the identities connected to each router with those that it reported. @throws DomainError of the request */
export const validateConnections = (request: Uint8Array, parts: ComparedParts): Promise<Validation> =>
  validateRouters(request, parts, connectionErrors);

/** No controller dials routers here, so that there is nothing to look at. */
export const validateDialers = (): Promise<Validation> =>
  Promise.resolve({
    count: 0,
    async *findings() {
      // Nothing is found.
    },
  });

async function validateRouters(request: Uint8Array, parts: ComparedParts, look: Look): Promise<Validation> {
  const { filter } = readValidation(() => fromBinary(ValidateModelsRequestSchema, request));
  const routers = await all<Router>(filter, (page) => parts.stores.routers.listOfFabric(page));
  return {
    count: routers.length,
    async *findings() {
      for (let from = 0; from < routers.length; from += BATCH) {
        const batch = routers.slice(from, from + BATCH);
        const found = await look(batch, parts);
        for (const router of batch) yield detailsOf(router, found.get(router.id));
      }
    },
  };
}

function detailsOf({ id, name, presence }: Router, errors: Errors): Uint8Array {
  const details = create(ComponentDetailsSchema, {
    componentType: 'router',
    componentId: id,
    componentName: name,
    validateSuccess: errors?.length === 0,
    errors: [
      ...(errors ?? [presence === null ? 'it is not connected' : 'it did not answer, or was told something new']),
    ],
  });
  return toBinary(ComponentDetailsSchema, details);
}

async function valuesOf(
  batch: readonly Router[],
  requested: readonly string[],
  parts: ComparedParts,
): Promise<(name: string, id: string) => unknown> {
  const found = await inspected(patternOf(batch), requested, parts);
  const { values }: Pick<InspectionAnswer, 'values'> = found === 'badPattern' ? { values: [] } : found;
  return (name, id) => values.find((one) => one.name === name && one.appId === id)?.value;
}

interface ModelCheck {
  readonly first: readonly { readonly entityType: string; readonly entityId: string; readonly kind: string }[];
}

async function modelErrors(batch: readonly Router[], parts: ComparedParts): Promise<ReadonlyMap<string, Errors>> {
  const valueOf = await valuesOf(batch, [MODEL_CHECK], parts);
  return new Map(
    batch.map(({ id }) => {
      const check = valueOf(MODEL_CHECK, id) as ModelCheck | undefined;
      return [id, check?.first.map(({ entityType, entityId, kind }) => `${entityType} ${entityId}: ${kind}`)];
    }),
  );
}

/** A router reports who came and went every three seconds. */
const REPORT_MS = 4_000;
const CONNECTIONS = 'identity-connection-statuses';

async function connectionErrors(batch: readonly Router[], parts: ComparedParts): Promise<ReadonlyMap<string, Errors>> {
  const first = await connectionRound(batch, parts);
  const doubtful = batch.filter(({ id }) => (first.get(id)?.length ?? 0) > 0);
  if (doubtful.length === 0) return first;
  await pause(REPORT_MS);
  const second = await connectionRound(doubtful, parts);
  return new Map(
    batch.map(({ id }) => {
      const before = first.get(id);
      return [
        id,
        doubtful.some((one) => one.id === id) ? second.get(id)?.filter((one) => before?.includes(one)) : before,
      ];
    }),
  );
}

async function connectionRound(batch: readonly Router[], parts: ComparedParts): Promise<Map<string, Errors>> {
  const valueOf = await valuesOf(batch, [CONNECTIONS, REPORTED_IDENTITIES], parts);
  return new Map(
    batch.map(({ id }) => {
      const connected = connectedIn(valueOf(CONNECTIONS, id));
      const reported = valueOf(REPORTED_IDENTITIES, id) as readonly string[] | undefined;
      if (connected === undefined || reported === undefined) return [id, undefined];
      return [
        id,
        [
          ...[...connected]
            .filter((one) => !reported.includes(one))
            .map((one) => `${one} is connected, and not reported`),
          ...reported.filter((one) => !connected.has(one)).map((one) => `${one} is reported, and not connected`),
        ],
      ];
    }),
  );
}

/** Identities with an open connection, in the value of a router. */
function connectedIn(value: unknown): ReadonlySet<string> | undefined {
  if (typeof value !== 'object' || value === null || !('identity_connections' in value)) return undefined;
  const table = (value.identity_connections ?? {}) as Readonly<
    Record<string, { readonly connections?: unknown } | null>
  >;
  const isOpen = (one: unknown) => typeof one === 'object' && one !== null && !('closed' in one && one.closed === true);
  const open = Object.entries(table).filter(([, entry]) => {
    const connections = entry?.connections;
    return Array.isArray(connections) && connections.some(isOpen);
  });
  return new Set(open.map(([id]) => id));
}
