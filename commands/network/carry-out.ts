/** Does what a plan says, in its order. Steps of one kind that follow each other may be under way together. */
import type { ServiceConfigPair } from '../../db/stores/identity-service-configs.js';
import type { Json, JsonObject } from '../../domain/model.js';
import { toBody } from '../../domain/network-files/forms.js';
import type { EntityKind } from '../../domain/network-files/kind-fields.js';
import type { Creation, Deletion, Plan, Step, Update } from '../../domain/network-files/plan.js';
import { problemText } from '../../domain/network-files/problem.js';
import type { ValuePath, Problem } from '../../domain/network-files/problem.js';
import { asText, isAlike, isObject, displayed } from '../../domain/network-files/values.js';
import { ChangeRefused } from './access.js';
import type { Writer } from './access.js';
import type { Ids } from './ids.js';
import { inLanes } from './lanes.js';

/** The network refused a step. */
export class ImportStopped extends Error {
  constructor(problem: Problem, done: number, isAllOrNothing: boolean, options: ErrorOptions) {
    const kept =
      isAllOrNothing || done === 0
        ? 'Nothing was changed.'
        : `${done} of the changes were made before. Correct the file and import it again: they are not made twice.`;
    super(`${problemText([problem])}\n${kept}`, options);
  }
}

/** @param onDone  after each step, with the steps that are done. @throws ImportStopped */
export async function carryOut(
  { steps }: Plan,
  writer: Writer,
  ids: Ids,
  onDone: (done: number, step: Step) => void,
): Promise<void> {
  let done = 0;
  let refused: Problem | undefined;
  let group: readonly Step[] = [];
  const noted = (error: unknown, step: Step | undefined): unknown => {
    if (error instanceof ChangeRefused) refused ??= problemOf(stepOf(error, group) ?? step, error);
    return error;
  };
  const work = async (step: Step) => {
    try {
      await doStep(step, writer, ids);
    } catch (error) {
      throw noted(error, step);
    }
    done += 1;
    onDone(done, step);
  };
  try {
    for (group of groupsOf(steps)) {
      await inLanes(writer.lanes, group, work);
      await writer.settle().catch((error: unknown) => {
        throw noted(error, undefined);
      });
    }
  } catch (error) {
    // Those that were under way with the one that was refused have ended: all that is done is counted.
    if (refused === undefined) throw error;
    throw new ImportStopped(refused, done, writer.isAllOrNothing, { cause: error });
  }
}

function groupsOf(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (first?.kind === step.kind && first.action === step.action) group?.push(step);
    else groups.push([step]);
  }
  return groups;
}

async function doStep(step: Step, writer: Writer, ids: Ids): Promise<void> {
  if (step.action === 'create') await make(step, writer, ids);
  else if (step.action === 'update') await change(step, writer, ids);
  else await writer.remove(step.kind, step.known.id);
}

/** Returns the step that has the refused value, among those that may have been made together. */
function stepOf({ field, value }: ChangeRefused, group: readonly Step[]): Step | undefined {
  if (field === undefined || value === undefined || value === '') return undefined;
  const found = group.filter((step) => step.action !== 'delete' && step.entry.value[field] === value);
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the problem for a refused body, in the words of the file. */
export function problemOf(step: Step | undefined, { message, field }: ChangeRefused): Problem {
  if (step === undefined) return { place: undefined, field: field ?? '', reason: message };
  if (step.action === 'delete') return { place: undefined, field: '', reason: `${deletionOf(step)}: ${message}` };
  const path = field === undefined ? [] : pathOf(step.kind, field);
  const [first] = path;
  return step.entry.problem(path, first === undefined && field !== undefined ? `${field}: ${message}` : message);
}

/** Name for a config's data as a whole. */
const ROOT = '(root)';

const deletionOf = ({ kind, name }: Deletion): string => `the ${kind.title} ${displayed(name)} cannot be deleted`;

/** Empty for what is no field of the kind. Faults in the data of a config come without its own name. */
function pathOf({ name: kind, fields }: EntityKind, field: string): ValuePath {
  const [first = '', ...rest] = field.split('.');
  const own = fields.find(({ name, body }) => (body ?? name) === first);
  const inside = (parts: readonly string[]) => parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  if (own !== undefined) return [own.name, ...inside(rest)];
  if (kind !== 'configs') return [];
  return ['data', ...(field === ROOT ? [] : inside([first, ...rest]))];
}

async function make({ kind, name, entry, isFirstHalf }: Creation, writer: Writer, ids: Ids): Promise<void> {
  const value = isFirstHalf ? { ...entry.value, enrollAuthPolicy: null } : entry.value;
  const id = await writer.create(kind, toBody(kind, value, ids.get, false));
  ids.add(kind.name, name, id);
  noteTunneler(kind, entry.value, id, ids);
  await changeServiceConfigs(id, [], entry.value['serviceConfigs'], writer, ids);
}

async function change({ kind, name, entry, known, changes }: Update, writer: Writer, ids: Ids): Promise<void> {
  const id = 'id' in known ? known.id : ids.get(kind.name, name);
  const isAllApart = changes.length > 0 && changes.every(({ field }) => field === 'serviceConfigs');
  if (!isAllApart) await writer.update(kind, id, toBody(kind, entry.value, ids.get, true));
  noteTunneler(kind, entry.value, id, ids);
  await changeServiceConfigs(id, known.value['serviceConfigs'], entry.value['serviceConfigs'], writer, ids);
}

/** The identity of a tunneler has the id of its router. */
function noteTunneler(kind: EntityKind, value: JsonObject, id: string, ids: Ids): void {
  if (kind.name === 'edgeRouters' && value['isTunnelerEnabled'] === true)
    ids.add('identities', asText(value['name']), id);
}

async function changeServiceConfigs(
  identityId: string,
  from: Json | undefined,
  to: Json | undefined,
  writer: Writer,
  ids: Ids,
): Promise<void> {
  const [before, after] = [from, to].map((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const without = (items: readonly JsonObject[] = [], others: readonly JsonObject[] = []) =>
    items.filter((item) => !others.some((other) => isAlike(item, other)));
  const pairOf = ({ service, config }: JsonObject): ServiceConfigPair => ({
    serviceId: ids.get('services', asText(service)),
    configId: ids.get('configs', asText(config)),
  });
  const [gone, added] = [without(before, after), without(after, before)];
  if (gone.length > 0) await writer.unassign(identityId, gone.map(pairOf));
  if (added.length > 0) await writer.assign(identityId, added.map(pairOf));
}
