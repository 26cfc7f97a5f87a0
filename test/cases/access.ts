/**
 * Who may dial or bind what, as data. The pure rule, its SQL twin and the API run the same table, so that none of the
 * three can drift from the others. In role lists `@alice` means the entity of that name.
 */
import type { PolicyType, Semantic } from '../../domain/model.js';

export interface CasePolicy {
  readonly type?: PolicyType;
  readonly semantic: Semantic;
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
}

export interface AccessCase {
  readonly name: string;
  readonly policies: readonly CasePolicy[];
  /** `identity verb service`, every pair that is allowed; all others are not. */
  readonly allowed: readonly string[];
}

/** Name to role attributes. */
export const identities: Readonly<Record<string, readonly string[]>> = {
  alice: ['sales'],
  bob: ['sales', 'eu'],
  carol: ['eu', 'Sales'],
  dave: [],
  all: ['all', '', '#sales', '@alice'],
};
export const services: Readonly<Record<string, readonly string[]>> = {
  crm: ['web'],
  wiki: ['web', 'eu'],
  mail: ['eu'],
  bare: [],
};

const people = Object.keys(identities);
const everything = Object.keys(services);
const pairs = (who: readonly string[], verb: 'dials' | 'binds', what: readonly string[]) =>
  who.flatMap((one) => what.map((other) => `${one} ${verb} ${other}`));

export const accessCases: readonly AccessCase[] = [
  { name: 'no policy grants nothing', policies: [], allowed: [] },
  {
    name: 'empty lists select nothing',
    policies: [
      { semantic: 'AllOf', identityRoles: [], serviceRoles: ['#all'] },
      { semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: [] },
      { semantic: 'AnyOf', identityRoles: [], serviceRoles: [] },
    ],
    allowed: [],
  },
  {
    name: '#all selects all, with and without attributes',
    policies: [{ semantic: 'AllOf', identityRoles: ['#all'], serviceRoles: ['#all'] }],
    allowed: pairs(people, 'dials', everything),
  },
  {
    name: '#all means the same under AnyOf',
    policies: [{ type: 'Bind', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] }],
    allowed: pairs(people, 'binds', everything),
  },
  {
    name: 'one attribute selects alike under AllOf',
    policies: [{ semantic: 'AllOf', identityRoles: ['#sales'], serviceRoles: ['#web'] }],
    allowed: pairs(['alice', 'bob'], 'dials', ['crm', 'wiki']),
  },
  {
    name: 'one attribute selects alike under AnyOf',
    policies: [{ semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['#web'] }],
    allowed: pairs(['alice', 'bob'], 'dials', ['crm', 'wiki']),
  },
  {
    name: 'AllOf wants every attribute',
    policies: [{ semantic: 'AllOf', identityRoles: ['#eu', '#sales'], serviceRoles: ['#eu', '#web'] }],
    allowed: ['bob dials wiki'],
  },
  {
    name: 'AnyOf wants one attribute',
    policies: [{ semantic: 'AnyOf', identityRoles: ['#eu', '#sales'], serviceRoles: ['#eu', '#web'] }],
    allowed: pairs(['alice', 'bob', 'carol'], 'dials', ['crm', 'wiki', 'mail']),
  },
  {
    name: 'upper and lower case are different attributes',
    policies: [{ semantic: 'AnyOf', identityRoles: ['#Sales'], serviceRoles: ['#all'] }],
    allowed: pairs(['carol'], 'dials', everything),
  },
  {
    name: 'an attribute that nobody has selects nobody',
    policies: [
      { semantic: 'AnyOf', identityRoles: ['#nobody'], serviceRoles: ['#all'] },
      { semantic: 'AllOf', identityRoles: ['#sales', '#nobody'], serviceRoles: ['#all'] },
    ],
    allowed: [],
  },
  {
    name: '@id selects that one, whatever the semantic',
    policies: [
      { semantic: 'AllOf', identityRoles: ['@dave'], serviceRoles: ['@bare'] },
      { semantic: 'AnyOf', identityRoles: ['@alice'], serviceRoles: ['@crm'] },
    ],
    allowed: ['dave dials bare', 'alice dials crm'],
  },
  {
    name: 'several @ids select each of them, under AllOf too',
    policies: [{ semantic: 'AllOf', identityRoles: ['@alice', '@dave'], serviceRoles: ['@crm', '@mail'] }],
    allowed: pairs(['alice', 'dave'], 'dials', ['crm', 'mail']),
  },
  {
    name: '@id adds to AllOf among the attributes',
    policies: [
      { semantic: 'AllOf', identityRoles: ['#eu', '#sales', '@dave'], serviceRoles: ['#eu', '#web', '@bare'] },
    ],
    allowed: pairs(['bob', 'dave'], 'dials', ['wiki', 'bare']),
  },
  {
    name: '@id does not stand in for an attribute under AllOf',
    policies: [{ semantic: 'AllOf', identityRoles: ['#eu', '@alice'], serviceRoles: ['#all'] }],
    allowed: pairs(['alice', 'bob', 'carol'], 'dials', everything),
  },
  {
    name: '@id adds to AnyOf among the attributes',
    policies: [{ semantic: 'AnyOf', identityRoles: ['#sales', '@dave'], serviceRoles: ['#eu', '@bare'] }],
    allowed: pairs(['alice', 'bob', 'dave'], 'dials', ['wiki', 'mail', 'bare']),
  },
  {
    name: 'an attribute is no id, and an id is no attribute',
    policies: [{ semantic: 'AnyOf', identityRoles: ['#alice', '#dave'], serviceRoles: ['#crm'] }],
    allowed: [],
  },
  {
    name: 'Dial and Bind are told apart',
    policies: [
      { type: 'Dial', semantic: 'AnyOf', identityRoles: ['@alice'], serviceRoles: ['@crm'] },
      { type: 'Bind', semantic: 'AnyOf', identityRoles: ['@bob'], serviceRoles: ['@crm'] },
    ],
    allowed: ['alice dials crm', 'bob binds crm'],
  },
  {
    name: 'both may come of two policies',
    policies: [
      { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['#web'] },
      { type: 'Bind', semantic: 'AllOf', identityRoles: ['#sales'], serviceRoles: ['@crm'] },
    ],
    allowed: [...pairs(['alice', 'bob'], 'dials', ['crm', 'wiki']), ...pairs(['alice', 'bob'], 'binds', ['crm'])],
  },
  {
    name: 'policies that overlap grant once, and their union',
    policies: [
      { semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['#web'] },
      { semantic: 'AllOf', identityRoles: ['#sales', '#eu'], serviceRoles: ['#eu'] },
      { semantic: 'AnyOf', identityRoles: ['@bob'], serviceRoles: ['@wiki'] },
    ],
    allowed: [...pairs(['alice', 'bob'], 'dials', ['crm', 'wiki']), 'bob dials mail'],
  },
  {
    name: 'two halves of two policies are no whole',
    policies: [
      { semantic: 'AnyOf', identityRoles: ['@alice'], serviceRoles: [] },
      { semantic: 'AnyOf', identityRoles: [], serviceRoles: ['@crm'] },
      { semantic: 'AnyOf', identityRoles: ['@alice'], serviceRoles: ['@mail'] },
      { semantic: 'AnyOf', identityRoles: ['@bob'], serviceRoles: ['@crm'] },
    ],
    allowed: ['alice dials mail', 'bob dials crm'],
  },
];

/** Name to role attributes. */
export const postureChecks: Readonly<Record<string, readonly string[]>> = {
  office: ['place'],
  patched: ['device', 'place'],
  code: [],
};

export interface PostureCase {
  readonly name: string;
  readonly semantic: Semantic;
  readonly postureCheckRoles: readonly string[];
  /** The checks that the policy asks for. */
  readonly selected: readonly string[];
}

export const postureCases: readonly PostureCase[] = [
  { name: 'an empty list asks for no check', semantic: 'AllOf', postureCheckRoles: [], selected: [] },
  {
    name: 'an attribute that no check has asks for none',
    semantic: 'AnyOf',
    postureCheckRoles: ['#nobody'],
    selected: [],
  },
  { name: '# alone asks for none', semantic: 'AnyOf', postureCheckRoles: ['#'], selected: [] },
  {
    name: '#all asks for every check',
    semantic: 'AllOf',
    postureCheckRoles: ['#all'],
    selected: ['office', 'patched', 'code'],
  },
  {
    name: 'AnyOf asks for the checks with one of the attributes',
    semantic: 'AnyOf',
    postureCheckRoles: ['#device', '#place'],
    selected: ['office', 'patched'],
  },
  {
    name: 'AllOf asks for the checks with all of the attributes',
    semantic: 'AllOf',
    postureCheckRoles: ['#device', '#place'],
    selected: ['patched'],
  },
  {
    name: 'AllOf of attributes that no check unites asks for none',
    semantic: 'AllOf',
    postureCheckRoles: ['#place', '#other'],
    selected: [],
  },
  {
    name: '@id adds to the attributes, whatever the semantic',
    semantic: 'AllOf',
    postureCheckRoles: ['#device', '#place', '@code'],
    selected: ['patched', 'code'],
  },
];

/** `@name` as `@id`. */
export const withIds = (roles: readonly string[], idOf: (name: string) => string): string[] =>
  roles.map((role) => (role.startsWith('@') ? `@${idOf(role.slice(1))}` : role));
