/** Network files without a network: how they are read and written, and in which order a plan does things. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Json } from '../../domain/model.js';
import { entriesOf } from '../../domain/network-files/entries.js';
import { KIND_NAMES } from '../../domain/network-files/kind-names.js';
import { planOf } from '../../domain/network-files/plan.js';
import type { Plan } from '../../domain/network-files/plan.js';
import { NetworkFileError } from '../../domain/network-files/problem.js';
import { reportOf } from '../../domain/network-files/report.js';
import { contentOf, networkState } from '../../domain/network-files/state.js';
import type { Details, State } from '../../domain/network-files/state.js';
import { isAlike, displayed } from '../../domain/network-files/values.js';
import { readYaml, writeYaml } from '../../domain/network-files/yaml.js';

const text = fc.string({ unit: 'binary', maxLength: 20 }).map((each) => each.replaceAll('\0', '?').toWellFormed());
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }).filter((n) => Math.abs(n) > 1e-12),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

describe('YAML of network files', () => {
  it('is read as it was written, whatever texts and numbers it has', () => {
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 5, noNullPrototype: true }), (object) => {
        const read = readYaml('f', writeYaml(object, ['head'])).value;
        expect(isAlike(read, object), JSON.stringify(object)).to.equal(true);
      }),
      { numRuns: 300 },
    );
  });

  it('has no character that an editor would not show', () => {
    const written = writeYaml({ a: 'x\u202ey', b: ['\u2028', '\u0085', '\ufeff'], 'c\u200b': 'd\u007f' }, []);
    expect(written).to.match(/^[\n\x20-\x7e]*$/);
  });

  it('tells where a value is, and where the nearest is when it is not there', () => {
    const read = readYaml('f', 'services:\n  - name: a\n    tags:\n      x: 1\n  - name: b\n');
    expect(read.placeOf(['services', 0, 'tags', 'x'])).to.deep.equal({ file: 'f', line: 4, column: 10 });
    expect(read.placeOf(['services', 0, 'tags', 'x'], true)).to.deep.equal({ file: 'f', line: 4, column: 7 });
    expect(read.placeOf(['services', 1, 'colour', 'deep'])).to.deep.equal({ file: 'f', line: 5, column: 5 });
    expect(read.placeOf([])).to.deep.equal({ file: 'f', line: 1, column: 1 });
  });
});

describe('values for people', () => {
  it('are one line without controls, and not long', () => {
    expect(displayed('a\nb\u001b[31m\u202e')).to.equal('"a\\nb\\u001b[31m\\u202e"');
    expect(displayed('x'.repeat(500))).to.have.length(100);
    expect(displayed(undefined)).to.equal('nothing');
  });
});

const NOTHING = Object.fromEntries([...KIND_NAMES, 'controllers'].map((name) => [name, []])) as unknown as Details;
const networkOf = (details: Partial<Details>): State => networkState({ ...NOTHING, ...details });

function planFor(yaml: string, state: State = networkOf({}), isPruning = false): Plan {
  return planOf(
    entriesOf([readYaml('f', yaml)], () => [], undefined),
    state,
    isPruning,
  );
}
const linesOf = (plan: Plan): string[] => [...reportOf(plan)];
const orderOf = ({ steps }: Plan): string[] => steps.map(({ action, name }) => `${action} ${name}`);

const POLICY = { id: 'p', name: 'policy', primary: {}, secondary: {}, tags: {} };

describe('plans of imports', () => {
  it('make what is referred to before what refers to it, however the files are ordered', () => {
    const plan = planFor(`
servicePolicies: [{ name: sp, type: Dial, semantic: AnyOf, serviceRoles: ['@s'], identityRoles: ['@i'] }]
identities: [{ name: i, type: User, isAdmin: false }]
services: [{ name: s, encryptionRequired: true, configs: [c] }]
configs: [{ name: c, configType: t, data: {} }]
configTypes: [{ name: t }]
`);
    expect(orderOf(plan)).to.deep.equal(['create t', 'create c', 'create s', 'create i', 'create sp']);
  });

  it('make a signer and an auth policy that refer to each other, in two steps that are told as one', () => {
    const yaml = `
externalJwtSigners: [{ name: s, issuer: i, audience: a, enabled: true, jwksEndpoint: u, enrollAuthPolicy: p }]
authPolicies: [{ name: p, primary: { extJwt: { allowedSigners: [s] } }, secondary: {} }]
`;
    expect(orderOf(planFor(yaml))).to.deep.equal(['create s', 'create p', 'update s']);
    expect(linesOf(planFor(yaml))).to.deep.equal(['+ external JWT signer "s"', '+ auth policy "p"']);
  });

  it('take the identity of a new tunneler for one that comes with its router', () => {
    const yaml = `
edgeRouters: [{ name: r, isTunnelerEnabled: true }]
identities: [{ name: r, type: Router, isAdmin: false, roleAttributes: [x] }]
`;
    expect(linesOf(planFor(yaml))).to.deep.equal([
      '+ edge router "r"',
      '~ identity "r"',
      '    roleAttributes: [] → ["x"]',
    ]);
  });

  it('know the default administrator and the default policy by their marks, not by their names', () => {
    const state = networkOf({
      authPolicies: [{ ...POLICY, id: 'default', name: 'Default' }],
      identities: [{ id: 'a', name: 'Admin', typeId: 'Default', isAdmin: false, isDefaultAdmin: true }],
    });
    const plan = planFor('identities: [{ name: Boss, type: Default, isAdmin: false, isDefaultAdmin: true }]\n', state);
    expect(linesOf(plan)).to.deep.equal(['~ identity "Boss"', '    name: "Admin" → "Boss"']);
    expect(contentOf(state, new Set(['authPolicies'])).get('authPolicies')).to.deep.equal([
      { name: 'Default', isDefault: true, primary: {}, secondary: {} },
    ]);
  });

  it('delete in the opposite order, and first what may hold a name or a key that others want', () => {
    const state = networkOf({
      authPolicies: [POLICY],
      configTypes: [{ id: 't', name: 't' }],
      configs: [{ id: 'c', name: 'c', configTypeId: 't', data: {} }],
      services: [{ id: 's', name: 's', encryptionRequired: true, configs: ['c'] }],
      identities: [{ id: 'i', name: 'i', typeId: 'User', isAdmin: false, authPolicyId: 'p' }],
      servicePolicies: [{ id: 'x', name: 'x', type: 'Dial', semantic: 'AnyOf', serviceRoles: ['@s'] }],
    });
    const all = KIND_NAMES.map((name) => `${name}: []`).join('\n');
    expect(orderOf(planFor(all, state, true))).to.deep.equal([
      'delete x',
      'delete i',
      'delete s',
      'delete policy',
      'delete c',
      'delete t',
    ]);
    expect(planFor('services: []\n', state, true).steps.map(({ name }) => name)).to.deep.equal(['s']);
    expect(planFor(all, state).steps).to.deep.equal([]);
  });

  it('keep the identity that imports', () => {
    const identity = { typeId: 'User', isAdmin: true };
    const state = networkState(
      {
        ...NOTHING,
        identities: [
          { id: 'a', name: 'me', ...identity },
          { id: 'b', name: 'other', ...identity },
        ],
      },
      { ownId: 'a' },
    );
    expect(linesOf(planFor('identities: []\n', state, true))).to.deep.equal([
      '- identity "other"',
      '  kept: identity "me" (you are logged in as it)',
    ]);
  });

  it('take sets in another order, and members of objects in another order, for the same', () => {
    const state = networkOf({
      services: [
        { id: 's', name: 's', encryptionRequired: true, configs: [], roleAttributes: ['a', 'b'], tags: { x: 1, y: 2 } },
      ],
    });
    const yaml = 'services: [{ name: s, encryptionRequired: true, roleAttributes: [b, a, b], tags: { y: 2, x: 1 } }]\n';
    expect(planFor(yaml, state)).to.deep.include({ steps: [], unchanged: 1 });
  });

  it('refuse a reference to what is nowhere', () => {
    expect(() => planFor('services: [{ name: s, encryptionRequired: true, configs: [c] }]\n')).to.throw(
      NetworkFileError,
      'f:1:59: services[0].configs[0]: there is no config "c", neither in the files nor in the network',
    );
  });
});
