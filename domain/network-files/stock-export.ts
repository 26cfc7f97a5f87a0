/**
 * The export of the field's existing controller (`ziti ops export`), made into content of network files. It leaves much
 * out; what matters is said in notes, and what decides who may reach what is never guessed.
 */
import { defaultAuthPolicy } from '../auth/auth-policy.js';
import { builtinConfigTypes } from '../config/builtin-types.js';
import type { Json, JsonObject } from '../model.js';
import { compact, fromDetail, replacedAt } from './forms.js';
import { KIND_NAMES } from './kind-names.js';
import type { KindName } from './kind-names.js';
import { KINDS } from './kinds.js';
import type { EntityKind } from './kind-fields.js';
import { asText, byText, displayed, isObject } from './values.js';

/** Kinds that the export has under another name, or under none. */
const OTHER_NAMES: Partial<Record<KindName, string>> = { cas: 'certificateAuthorities' };
const SOURCES = KIND_NAMES.map((name) => [name, OTHER_NAMES[name] ?? name] as const);

/** Selector of a posture check that nobody has: an import refuses it, so that whoever imports decides. */
export const UNKNOWN_CHECKS = '@WHICH POSTURE CHECKS?';

const ALWAYS =
  'This export never has: posture checks of service policies, maxIdleTimeMillis, cost of routers, transit routers, ' +
  'appData, hosting costs and configs for single services of identities, the auth policy Default. ' +
  '`export --url` reads all of these from the controller itself.';

export interface ConvertedExport {
  readonly content: ReadonlyMap<KindName, Json[]>;
  /** Sentences for the reader: what to know, and what to do. */
  readonly notes: readonly string[];
}

/** Whether a value looks like such an export, rather than a network file of ours. */
export const isStockExport = (value: Json): value is JsonObject =>
  isObject(value) && ('certificateAuthorities' in value || listOf(value, 'configs').some(isStockConfig));

const isStockConfig = ({ configType }: JsonObject): boolean => asText(configType).startsWith('@');

export function convertedExport(exported: JsonObject): ConvertedExport {
  const notes = [ALWAYS];
  const owned = new Set(
    listOf(exported, 'edgeRouters')
      .filter((router) => router['isTunnelerEnabled'] === true)
      .map(nameOf),
  );
  const isLeftOut = (kind: KindName, name: string): boolean =>
    (kind === 'configTypes' && builtinConfigTypes.some((type) => type.name === name)) ||
    (kind === 'edgeRouterPolicies' && /^edge-router-.+-system$/.test(name)) ||
    (kind === 'identities' && owned.has(name));
  const content = new Map<KindName, Json[]>();
  for (const [name, source] of SOURCES) {
    if (!(source in exported)) continue;
    const items = listOf(exported, source)
      .filter((item) => !isLeftOut(name, nameOf(item)))
      .sort((a, b) => byText(nameOf(a), nameOf(b)));
    content.set(
      name,
      items.map((item) => compact(KINDS[name], valueOf(KINDS[name], item))),
    );
    notes.push(...items.flatMap((item) => notesOn(KINDS[name], item)));
  }
  if (listOf(exported, 'postureChecks').length > 0) notes.push(...markPolicies(content.get('servicePolicies') ?? []));
  return { content, notes };
}

const nameOf = (item: JsonObject): string => asText(item['name']);

const listOf = (exported: JsonObject, name: string): JsonObject[] => {
  const { [name]: list } = exported;
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** References are names with an `@`, in selectors and elsewhere; what is not known stays out. */
function valueOf(kind: EntityKind, item: JsonObject): JsonObject {
  const detail: JsonObject = { ...item };
  for (const { name, detail: other = name, references = [] } of kind.fields) {
    let found = item[other] ?? item[name] ?? null;
    for (const { path, form } of references)
      if (form === 'name' || form === 'names') found = replacedAt(found, path, withoutAt);
    if (found === defaultAuthPolicy.id || found === defaultAuthPolicy.name)
      found = name.endsWith('uthPolicy') ? null : found;
    detail[other] = found;
  }
  return fromDetail(kind, detail, (_target, name) => name);
}

const withoutAt = (value: Json): Json =>
  Array.isArray(value) ? value.map(withoutAt) : typeof value === 'string' ? value.replace(/^@/, '') : value;

function notesOn({ name: kind, title }: EntityKind, item: JsonObject): string[] {
  const which = `${title} ${displayed(nameOf(item))}`;
  const notes: string[] = [];
  if (kind === 'identities' && item['disabled'] === true)
    notes.push(`The ${which} is disabled there, and will be enabled: disable it after the import.`);
  const { enrollAuthPolicyId: policyId = null } = item;
  if (typeof policyId === 'string' && policyId !== '' && policyId !== defaultAuthPolicy.id)
    notes.push(`The ${which} has its enrollAuthPolicy as an id, which names nothing here: set the name of the policy.`);
  return notes;
}

/** A policy without its posture checks would give more than it gave. */
function markPolicies(policies: readonly Json[]): string[] {
  const unknown = policies.filter(isObject).filter((policy) => policy['postureCheckRoles'] === undefined);
  for (const policy of unknown) policy['postureCheckRoles'] = [UNKNOWN_CHECKS];
  if (unknown.length === 0) return [];
  return [
    `There are posture checks, and the export does not say which policies ask for them: ${unknown.length} service ` +
      `policies have ${UNKNOWN_CHECKS} in their postureCheckRoles, which no import takes. ` +
      'Write the right roles there, or take the lines out where a policy asks for none.',
  ];
}
