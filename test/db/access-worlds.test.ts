/**
 * The rule of access and its SQL agree in hundreds of random worlds, others in each run, and in a thousand by
 * `npm run test:all`. Each world has its seed. Against PostgreSQL.
 */
import { expect } from 'chai';
import { accessView } from '../../db/stores/access-view.js';
import { checkGrants } from '../../db/stores/session-grants.js';
import type { Db } from '../../db/postgres/contracts.js';
import { Params } from '../../db/filter/index.js';
import { policiesNaming, selectedBy } from '../../db/query/scopes.js';
import type { Scope } from '../../db/query/scopes.js';
import { checksOf, isAllowed, judge } from '../../domain/policy/access.js';
import type { AccessPolicy } from '../../domain/policy/access.js';
import type { Criteria } from '../../domain/posture/criteria.js';
import type { AskedCheck } from '../../domain/posture/evaluate.js';
import { NOTHING_KNOWN } from '../../domain/posture/state.js';
import type { PostureState } from '../../domain/posture/state.js';
import { selects } from '../../domain/policy/roles.js';
import { sortedSet } from '../../domain/sorted-set.js';
import type { Selectable } from '../../domain/policy/roles.js';
import type { PolicyType, Semantic } from '../../domain/model.js';
import { openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';
import { amount } from '../support/unless.js';
import { randomly, seedOfRun } from '../support/random.js';
import { unprepared } from '../../db/postgres/statement.js';

const WORLDS = amount(300, 1_000);
const ATTRIBUTES = ['a', 'b', 'c', 'all', ''];

interface WorldPolicy {
  readonly id: string;
  readonly type: PolicyType;
  readonly semantic: Semantic;
  readonly identityRoles: string[];
  readonly serviceRoles: string[];
  readonly postureCheckRoles: string[];
}
type WorldCheck = AskedCheck & Selectable;
interface World {
  /** Each has one API session, of the same id. */
  readonly identities: (Selectable & { readonly state: PostureState })[];
  readonly services: Selectable[];
  readonly checks: WorldCheck[];
  readonly policies: WorldPolicy[];
}

/** Times that are never near to the end of anything, however long a run takes. */
const LONG_AGO = new Date(Date.now() - 86_400_000);
const JUST_NOW = new Date(Date.now() - 1_000);

/** Checks of every kind, and devices that meet about half of them. */
function worldly(one: <T>(from: readonly [T, ...T[]]) => T) {
  const path = '/bin/a';
  const process = { osType: 'Linux', path, hashes: [] } as const;
  const kinds: readonly [() => Criteria, ...(() => Criteria)[]] = [
    () => ({ typeId: 'MAC', criteria: { macAddresses: [one(['aa', 'bb'])] } }),
    () => ({ typeId: 'DOMAIN', criteria: { domains: [one(['a.example', 'b.example'])] } }),
    () => ({
      typeId: 'OS',
      criteria: { operatingSystems: [{ type: one(['Linux', 'macOS']), versions: [one(['>=5', '<5'])] }] },
    }),
    () => ({
      typeId: 'MFA',
      criteria: {
        timeoutSeconds: one([-1, 3600]),
        promptOnWake: one([true, false]),
        promptOnUnlock: one([true, false]),
        ignoreLegacyEndpoints: one([true, false]),
      },
    }),
    () => ({ typeId: 'PROCESS', criteria: { process } }),
    () => ({
      typeId: 'PROCESS_MULTI',
      criteria: {
        semantic: one(['AllOf', 'AnyOf', 'OneOf']),
        processes: [
          { ...process, signerFingerprints: [] },
          { ...process, path: '/bin/b', signerFingerprints: [] },
        ],
      },
    }),
  ];
  const at = LONG_AGO;
  return {
    check: (id: string): AskedCheck => ({ id, name: id, createdAt: at, updatedAt: at, tags: {}, ...one(kinds)() }),
    state: (checks: readonly WorldCheck[]): PostureState =>
      one<PostureState>([
        NOTHING_KNOWN,
        {
          os: one([null, { checkId: '0', at, type: 'linux', version: one(['4.1.0', '5.1.0', 'odd']), build: null }]),
          mac: one([null, { checkId: '0', at, addresses: [one(['aa', 'bb', 'cc'])] }]),
          domain: one([null, { checkId: '0', at, domain: one(['A.example', 'b.example', '']) }]),
          processes: checks.flatMap(({ id }) =>
            one([[path], [path, '/bin/b'], []]).map((running) => ({
              checkId: id,
              at,
              path: running,
              isRunning: one([true, true, false]),
              hash: '',
              signerFingerprints: [],
            })),
          ),
          passedMfaAt: one([null, LONG_AGO, JUST_NOW]),
          wokenAt: one([null, new Date(LONG_AGO.getTime() + 1000)]),
          unlockedAt: one([null, new Date(LONG_AGO.getTime() + 2000)]),
        },
      ]),
  };
}

/** A generator with a seed: a world that fails can be made again. */
function generator(seed: number) {
  const below = randomly(seed);
  const some = (from: readonly string[], chance: number) => from.filter(() => below(100) < chance);
  const entities = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n): Selectable => ({
      id: `${prefix}${n}`,
      roleAttributes: some(ATTRIBUTES, 40),
    }));
  const roles = (of: readonly Selectable[]) =>
    below(8) === 0
      ? ['#all']
      : sortedSet([
          ...some(
            ATTRIBUTES.filter((item) => item !== 'all'),
            30,
          ).map((item) => `#${item}`),
          ...some(
            of.map(({ id }) => id),
            15,
          ).map((id) => `@${id}`),
          ...(below(10) === 0 ? ['@nobody'] : []),
        ]);
  const one = <T>(from: readonly [T, ...T[]]): T => from[below(from.length)] ?? from[0];
  const world = worldly(one);
  return (): World => {
    const services = entities('s', 1 + below(4));
    const checks = entities('c', below(4)).map((entity): WorldCheck => ({ ...entity, ...world.check(entity.id) }));
    const identities = entities('i', 1 + below(4)).map((entity) => ({ ...entity, state: world.state(checks) }));
    const policies = Array.from({ length: 1 + below(4) }, (_, n): WorldPolicy => ({
      id: `p${n}`,
      type: below(2) === 0 ? 'Dial' : 'Bind',
      semantic: below(2) === 0 ? 'AllOf' : 'AnyOf',
      identityRoles: roles(identities),
      serviceRoles: roles(services),
      postureCheckRoles: below(3) === 0 ? roles(checks) : [],
    }));
    return { identities, services, checks, policies };
  };
}

class Undo extends Error {}

describe('access in random worlds', function worlds() {
  this.timeout(600_000);
  let fixture: TestStores;
  let database: TestStores['database'];
  before(async () => {
    fixture = await openStoresForTest({ poolSize: 2 });
    ({ database } = fixture);
  });
  after(() => fixture.close());

  const insert = async (tx: Db, table: string, rows: readonly object[], columns: string, recordset: string) => {
    await tx.execute(
      unprepared(
        'INSERT',
        `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_to_recordset($1::jsonb) AS r (${recordset})`,
      ),
      [JSON.stringify(rows)],
    );
  };
  const fill = async (tx: Db, { identities, services, checks, policies }: World) => {
    await insert(
      tx,
      'identities',
      identities.map(({ id, roleAttributes }) => ({
        id,
        name: id,
        type_id: 'User',
        is_admin: false,
        auth_policy_id: 'default',
        role_attributes: roleAttributes,
      })),
      'id, name, type_id, is_admin, auth_policy_id, role_attributes',
      'id text, name text, type_id text, is_admin boolean, auth_policy_id text, role_attributes text[]',
    );
    await insert(
      tx,
      'services',
      services.map(({ id, roleAttributes }) => ({
        id,
        name: id,
        encryption_required: false,
        role_attributes: roleAttributes,
      })),
      'id, name, encryption_required, role_attributes',
      'id text, name text, encryption_required boolean, role_attributes text[]',
    );
    await insert(
      tx,
      'posture_checks',
      checks.map(({ id, typeId, criteria, roleAttributes }) => ({
        id,
        name: id,
        type_id: typeId,
        criteria,
        role_attributes: roleAttributes,
      })),
      'id, name, type_id, criteria, role_attributes',
      'id text, name text, type_id text, criteria jsonb, role_attributes text[]',
    );
    await insert(
      tx,
      'service_policies',
      policies.map((p) => ({
        id: p.id,
        name: p.id,
        type: p.type,
        semantic: p.semantic,
        identity_roles: p.identityRoles,
        service_roles: p.serviceRoles,
        posture_check_roles: p.postureCheckRoles,
      })),
      'id, name, type, semantic, identity_roles, service_roles, posture_check_roles',
      'id text, name text, type text, semantic text, identity_roles text[], service_roles text[], ' +
        'posture_check_roles text[]',
    );
  };
  const fillSessions = async (tx: Db, { identities, services }: World) => {
    await insert(
      tx,
      'api_sessions',
      identities.map(({ id, state }) => ({
        id,
        identity_id: id,
        authenticator_id: 'a',
        token_hash: `\\x${Buffer.from(id).toString('hex')}`,
        ip_address: '',
        method: 'password',
        mfa_passed_at: state.passedMfaAt,
      })),
      'id, identity_id, authenticator_id, token_hash, ip_address, method, mfa_passed_at',
      'id text, identity_id text, authenticator_id text, token_hash bytea, ip_address text, method text, ' +
        'mfa_passed_at timestamptz',
    );
    await insert(
      tx,
      'api_session_postures',
      identities
        .filter(({ state }) => state !== NOTHING_KNOWN)
        .map(({ id, state: { os, mac, domain, processes, wokenAt, unlockedAt } }) => ({
          api_session_id: id,
          reported: { os, mac, domain, processes },
          woken_at: wokenAt,
          unlocked_at: unlockedAt,
        })),
      'api_session_id, reported, woken_at, unlocked_at',
      'api_session_id text, reported jsonb, woken_at timestamptz, unlocked_at timestamptz',
    );
    await insert(
      tx,
      'sessions',
      identities.flatMap(({ id: identity }) =>
        services.flatMap(({ id: service }) =>
          (['Dial', 'Bind'] as const).map((type) => ({
            id: `${identity} ${type} ${service}`,
            api_session_id: identity,
            identity_id: identity,
            service_id: service,
            type,
            token: '',
          })),
        ),
      ),
      'id, api_session_id, identity_id, service_id, type, token',
      'id text, api_session_id text, identity_id text, service_id text, type text, token text',
    );
  };
  const matching = async (tx: Db, table: string, scope: Scope) => {
    const { bind, values } = new Params();
    const { sql } = scope(bind);
    const rows = await tx.many(
      unprepared<{ id: string }>('SELECT', `SELECT id FROM ${table} t WHERE ${sql === '' ? 'true' : sql} ORDER BY id`),
      values,
    );
    return rows.map(({ id }) => id);
  };

  const compare = async (tx: Db, world: World, label: string) => {
    const now = new Date();
    const judgedFor = (state: PostureState) =>
      world.policies.map((p): AccessPolicy => ({
        ...p,
        policyId: p.id,
        ...judge(checksOf(p, world.checks), state, now),
      }));
    const granted: string[] = [];
    for (const identity of world.identities) {
      const policies = judgedFor(identity.state);
      const { grants } = await accessView(tx).grantsIn(identity.id, identity);
      const shown = (each: readonly AccessPolicy[]) =>
        each.map(({ policyId, isPassing, checks }) =>
          [policyId, isPassing, ...checks.map((result) => [result.check.id, result.isPassing])].join(' '),
        );
      expect(shown(grants), `${label} grants of ${identity.id}`).to.have.members(
        shown(policies.filter((p) => selects(p.semantic, p.identityRoles, identity))),
      );
      for (const service of world.services)
        for (const type of ['Dial', 'Bind'] as const)
          if (isAllowed(policies, identity, service, type)) granted.push(`${identity.id} ${type} ${service.id}`);
      expect(
        await matching(tx, 'service_policies', policiesNaming('identity_roles', identity)),
        `${label} policies of ${identity.id}`,
      ).to.have.members(grants.map(({ policyId }) => policyId));
      for (const type of ['Dial', 'Bind'] as const) {
        const usable = grants.filter((grant) => grant.type === type && grant.isPassing);
        const reached = await matching(
          tx,
          'services',
          selectedBy(usable.map(({ semantic, serviceRoles: roles }) => ({ semantic, roles }))),
        );
        expect(reached, `${label} ${type} ${identity.id}`).to.deep.equal(
          world.services.filter((service) => isAllowed(policies, identity, service, type)).map(({ id }) => id),
        );
      }
    }
    for (const service of world.services) {
      expect(
        await matching(tx, 'service_policies', policiesNaming('service_roles', service)),
        `${label} policies of ${service.id}`,
      ).to.have.members(world.policies.filter((p) => selects(p.semantic, p.serviceRoles, service)).map(({ id }) => id));
    }
    const rows = await tx.many(unprepared<{ id: string }>('SELECT', 'SELECT id FROM sessions'));
    const all = rows.map(({ id }) => id);
    const { seen, removed } = await checkGrants(tx, { ids: all, others: 0, identityId: null });
    const left = await tx.many(unprepared<{ id: string }>('SELECT', 'SELECT id FROM sessions'));
    expect(
      left.map(({ id }) => id),
      `${label} sessions`,
    ).to.have.members(granted);
    expect([seen, removed], `${label} sessions`).to.deep.equal([all.length, all.length - granted.length]);
  };

  it(`is the same by the rule and by its SQL, in ${WORLDS} of them`, async () => {
    const seed = seedOfRun();
    console.log(`      seed ${seed} (EDGE_TEST_SEED repeats it)`);
    const next = generator(seed);
    for (let n = 0; n < WORLDS; n += 1) {
      const world = next();
      await database
        .transaction(async (tx) => {
          await fill(tx, world);
          await fillSessions(tx, world);
          await compare(tx, world, `seed ${seed}, world ${n}:`);
          throw new Undo();
        })
        .catch((error: unknown) => {
          if (!(error instanceof Undo)) throw error;
        });
    }
  });
});
