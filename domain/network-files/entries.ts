/** The entities that files name, and what can be said of them without a network. */
import type { JsonObject } from '../model.js';
import type { Fault } from './check.js';
import { complete } from './forms.js';
import { KIND_NAMES } from './kind-names.js';
import { KINDS } from './kinds.js';
import type { KindName } from './kind-names.js';
import type { EntityKind } from './kind-fields.js';
import { fieldText, NetworkFileError } from './problem.js';
import type { ValuePath, Place, Problem } from './problem.js';
import { asText, isObject, displayed } from './values.js';
import type { ReadYaml } from './yaml.js';

export interface Entry {
  readonly kind: EntityKind;
  /** Name, unique in its kind. */
  readonly name: string;
  /** Value in the file, as written. */
  readonly given: JsonObject;
  /** Complete, by name. */
  readonly value: JsonObject;
  /** Makes a problem at a path in the entity. @param path  in the entity */
  readonly problem: (path: ValuePath, reason: string) => Problem;
}

export interface Entries {
  /** Kinds that some file has a list of, be it empty. */
  readonly kinds: ReadonlySet<KindName>;
  readonly all: readonly Entry[];
}

/**
 * @param only  other kinds are checked, and then left out
 * @throws NetworkFileError
 */
export function entriesOf(
  files: readonly ReadYaml[],
  check: (value: ReadYaml['value']) => Fault[],
  only: ReadonlySet<KindName> | undefined,
): Entries {
  const problems = files.flatMap((file) =>
    check(file.value).map(({ path, reason, isOfName }) => ({
      place: file.placeOf(path, isOfName),
      field: fieldText(path),
      reason,
    })),
  );
  if (problems.length > 0) throw new NetworkFileError(problems);
  const all = files.flatMap(entriesIn);
  const twice = repeated(all);
  if (twice.length > 0) throw new NetworkFileError(twice);
  const isWanted = (name: KindName) => only === undefined || only.has(name);
  const named = files.flatMap(({ value }) => (isObject(value) ? KIND_NAMES.filter((name) => name in value) : []));
  return { kinds: new Set(named.filter(isWanted)), all: all.filter(({ kind }) => isWanted(kind.name)) };
}

function entriesIn(file: ReadYaml): Entry[] {
  const { value } = file;
  if (!isObject(value)) return [];
  return KIND_NAMES.flatMap((name) => {
    const kind = KINDS[name];
    const items = value[name];
    if (!Array.isArray(items)) return [];
    return items.filter(isObject).map((given, index): Entry => ({
      kind,
      name: asText(given[kind.key]),
      given,
      value: complete(kind, given),
      problem: (path, reason) => {
        const whole = [name, index, ...path];
        return { place: file.placeOf(whole), field: fieldText(whole), reason };
      },
    }));
  });
}

/** Names are unique among a kind; edge and transit routers are one list. */
function repeated(entries: readonly Entry[]): Problem[] {
  const seen = new Map<string, Place | undefined>();
  const marked = new Set<string>();
  const problems: Problem[] = [];
  for (const { kind, name, value, problem } of entries) {
    const list = kind.name === 'transitRouters' ? 'edgeRouters' : kind.name;
    const key = `${list} ${name}`;
    const found = problem([kind.key], '');
    const before = seen.get(key);
    if (before === undefined) seen.set(key, found.place);
    else {
      const where = `${before.file}:${before.line}`;
      problems.push(problem([kind.key], `${kind.title} ${displayed(name)} is there twice: the other is at ${where}`));
    }
    const mark = kind.fields.find(({ isMark }) => isMark === true)?.name;
    if (mark === undefined || value[mark] !== true) continue;
    if (marked.has(kind.name)) problems.push(problem([mark], `a network has one ${kind.title} of this kind`));
    marked.add(kind.name);
  }
  return problems;
}
