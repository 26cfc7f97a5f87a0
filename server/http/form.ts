/** Forms and queries by the rules of OAuth: what is empty is absent, and nothing comes twice (RFC 6749 section 3.1). */
import type { DomainError } from '../../domain/errors.js';
import { invalidField } from '../../domain/errors.js';
import type { BodySpec, OperationSpec } from '../../generated/operation.js';
import { checkText } from './parameters.js';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

export interface Read {
  /** Values that are valid. */
  readonly values: Record<string, unknown>;
  /** First fault among the others. */
  readonly fault: DomainError | undefined;
}

const twice = (name: string) => invalidField(name, `${name} is there more than once`, '', 'a parameter given twice');

export function readOauthQuery(operation: OperationSpec, search: string): Read {
  const values: Record<string, unknown> = {};
  let fault: DomainError | undefined;
  if (search === '') return { values, fault };
  const query = new URLSearchParams(search);
  for (const spec of operation.parameters) {
    if (spec.in !== 'query') continue;
    const sent = query.getAll(spec.name).filter((text) => text !== '');
    const [first] = sent;
    if (first === undefined) continue;
    const wrong =
      spec.type !== 'array' && sent.length > 1
        ? twice(spec.name)
        : sent.map((text) => checkText(spec, text)).find((one) => one !== undefined);
    fault ??= wrong;
    if (wrong === undefined) values[spec.name] = spec.type === 'array' ? sent : first;
  }
  return { values, fault };
}

const NONE = {};

/** Members that the operation does not declare are passed over. */
export function readFormMembers(text: string, { members = NONE }: BodySpec): Read {
  const values: Record<string, unknown> = {};
  let fault: DomainError | undefined;
  const form = new URLSearchParams(text);
  for (const sent of new Set(form.keys())) {
    const name = Object.hasOwn(members, sent) ? sent : byLetters(members).get(sent.toLowerCase());
    if (name === undefined) continue;
    const all = form.getAll(sent).filter((value) => value !== '');
    const [first] = all;
    if (first === undefined) continue;
    if (Object.hasOwn(values, name) || (all.length > 1 && members[name] === 'text')) fault ??= twice(name);
    else values[name] = members[name] === 'list' ? all : first;
    if (all.some((value) => value.includes('\0')))
      fault ??= invalidField(name, `${name} must not contain a NUL character`, '', 'a parameter with a NUL');
  }
  return { values, fault };
}

/** Names of members by their lower-case letters, made once for each operation. */
const inLetters = new WeakMap<object, ReadonlyMap<string, string>>();

function byLetters(members: object): ReadonlyMap<string, string> {
  const known = inLetters.get(members);
  if (known !== undefined) return known;
  const made = new Map(Object.keys(members).map((name) => [name.toLowerCase(), name]));
  inLetters.set(members, made);
  return made;
}
