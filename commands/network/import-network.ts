/** Brings a network to what files say. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../domain/model.js';
import { accessChangeOf } from '../../domain/network-files/access-change.js';
import type { AccessChange } from '../../domain/network-files/access-change.js';
import { createFormCheck } from '../../domain/network-files/check.js';
import { entriesOf } from '../../domain/network-files/entries.js';
import type { Entries } from '../../domain/network-files/entries.js';
import { toBody } from '../../domain/network-files/forms.js';
import type { Translate } from '../../domain/network-files/forms.js';
import type { KindName } from '../../domain/network-files/kind-names.js';
import { planOf } from '../../domain/network-files/plan.js';
import type { Plan, Step, Update } from '../../domain/network-files/plan.js';
import { NetworkFileError } from '../../domain/network-files/problem.js';
import type { Problem } from '../../domain/network-files/problem.js';
import { accessReportOf, reportOf, summaryOf } from '../../domain/network-files/report.js';
import type { State } from '../../domain/network-files/state.js';
import { ChangeRefused } from './access.js';
import type { NetworkAccess } from './access.js';
import { carryOut, problemOf } from './carry-out.js';
import { readNetworkFiles, schemaText } from './files.js';
import { Ids } from './ids.js';
import { readState } from './read-state.js';
import { Rehearsal } from './rehearsal.js';
import type { ConfigTypeInUse } from './rehearsal.js';
import { asText } from '../../domain/network-files/values.js';

export interface ImportFiles {
  readonly files: readonly string[];
  /** Undefined for all kinds. */
  readonly only: ReadonlySet<KindName> | undefined;
}

export interface ImportOptions {
  /** Count who gains and who loses access to what, too. */
  readonly isCountingAccess?: boolean;
  readonly isDryRun: boolean;
  readonly isPruning: boolean;
}

export interface ImportOutput {
  /** A line of the result. */
  readonly line: (text: string) => void;
  /** Reports the work under way, and how many items are done. */
  readonly progress: (what: string, done: number) => void;
}

export interface ImportResult {
  readonly plan: Plan;
  readonly access: AccessChange | null;
}

/** Made once: it takes a quarter of a second. */
let checkForm: ReturnType<typeof createFormCheck> | undefined;

/** Reads the files and checks them as far as that goes without a network. @throws NetworkFileError */
export function readEntries({ files, only }: ImportFiles): Entries {
  checkForm ??= createFormCheck(JSON.parse(schemaText()) as object);
  return entriesOf(readNetworkFiles(files), checkForm, only);
}

/** @throws NetworkFileError and ImportStopped, which name the place in a file; ApiError, DomainError */
export async function importInto(
  access: NetworkAccess,
  entries: Entries,
  { isDryRun, isPruning, isCountingAccess = false }: ImportOptions,
  { line, progress }: ImportOutput,
): Promise<ImportResult> {
  const named = new Set(entries.all.filter(({ kind }) => kind.name === 'identities').map(({ name }) => name));
  const hasConfigs = ({ name, isDefaultAdmin }: JsonObject) => named.has(asText(name)) || isDefaultAdmin === true;
  const state = await access.read((reader) => readState(reader, hasConfigs, progress));
  const plan = await rehearsed(planOf(entries, state, isPruning), entries, state, progress);
  for (const text of reportOf(plan)) line(text);
  const change = isCountingAccess ? accessChangeOf(plan, state) : null;
  if (change !== null) for (const text of accessReportOf(change)) line(text);
  const isDone = !isDryRun;
  if (isDone && plan.steps.length > 0) {
    await access.write((writer) =>
      carryOut(plan, writer, idsFor(plan, state), (done, { kind }) => {
        progress(kind.name, done);
      }),
    );
  }
  line(summaryOf(plan, isDone));
  return { plan, access: change };
}

/** Ids of entities by name, the built-in ones included. */
function idsFor({ steps }: Plan, state: State): Ids {
  const ids = new Ids(state);
  for (const step of steps) {
    if (step.action === 'update' && 'id' in step.known) ids.add(step.kind.name, step.name, step.known.id);
  }
  return ids;
}

/** Drops changes that would store what is stored already. @throws NetworkFileError */
async function rehearsed(
  plan: Plan,
  entries: Entries,
  state: State,
  progress: ImportOutput['progress'],
): Promise<Plan> {
  const placeholders = new Placeholders(plan, state);
  const rehearsal = new Rehearsal({ typeOf: configTypes(entries, state, placeholders.idOf) });
  const problems: Problem[] = [];
  const steps: Step[] = [];
  let same = 0;
  try {
    for (const [index, step] of plan.steps.entries()) {
      progress('checks', index);
      try {
        if (await isNeeded(step, rehearsal, placeholders.idOf)) steps.push(step);
        else same += 1;
      } catch (error) {
        if (!(error instanceof ChangeRefused) || step.action === 'delete') throw error;
        problems.push(problemOf(step, error));
      }
    }
  } finally {
    await rehearsal.close();
  }
  if (problems.length > 0) throw new NetworkFileError(problems);
  return { ...plan, steps, unchanged: plan.unchanged + same };
}

async function isNeeded(step: Step, rehearsal: Rehearsal, idOf: Translate): Promise<boolean> {
  if (step.action === 'delete') return true;
  if (step.action === 'create') {
    await rehearsal.create(step.kind, toBody(step.kind, step.entry.value, idOf, false));
    return true;
  }
  const bodyOf = (value: JsonObject) => toBody(step.kind, { ...value, enrollment: null }, idOf, false);
  const wanted = await rehearsal.update(step.kind, bodyOf(step.entry.value));
  if (step.isSecondHalf || isApart(step)) return true;
  try {
    return !isDeepStrictEqual(wanted, await rehearsal.update(step.kind, bodyOf(step.known.value)));
  } catch (error) {
    if (error instanceof ChangeRefused) return true; // what is there was right under other rules
    throw error;
  }
}

const isApart = ({ changes }: Update): boolean => changes.some(({ field }) => field === 'serviceConfigs');

/** Ids for what is not made yet. */
class Placeholders {
  readonly #known: Ids;
  readonly #made = new Map<string, string>();

  constructor(plan: Plan, state: State) {
    this.#known = idsFor(plan, state);
  }

  idOf: Translate = (target, name) => {
    const known = this.#known.find(target, name);
    if (known !== undefined) return known;
    const key = `${target} ${name}`;
    const made = this.#made.get(key) ?? `new-${this.#made.size}`;
    this.#made.set(key, made);
    return made;
  };
}

/** Returns the config types by id: from the files, else from the network. */
function configTypes(
  { all }: Entries,
  { byName }: State,
  idOf: Translate,
): (id: string) => ConfigTypeInUse | undefined {
  const values = [
    ...[...byName.configTypes.values()].map(({ value }) => value),
    ...all.filter(({ kind }) => kind.name === 'configTypes').map(({ value }) => value),
  ];
  const types = values.map(({ name, schema }): [string, ConfigTypeInUse] => {
    const id = idOf('configTypes', asText(name));
    return [id, { id, schema: (schema ?? null) as JsonObject | null }];
  });
  const byId = new Map(types);
  return (id) => byId.get(id);
}
