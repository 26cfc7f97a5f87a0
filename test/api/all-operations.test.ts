/**
 * The net over all operations of all specs: each is called without a token, with an invalid one, by an ordinary
 * identity, with every permission and by an administrator, in several spellings of its path. Which permission each
 * takes is compared with a table apart from the specs; the rest comes from the specs alone.
 */
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { OperationSpec } from '../../generated/operation.js';
import { exampleOf } from '../contract/examples.js';
import { createClient, expectStatus } from '../support/client.js';
import { BAD_ACCESS_TOKEN, INVALID_SESSION, NO_ACCESS_TOKEN, NO_SESSION } from '../support/challenges.js';
import { HOST, oidcClient } from '../support/oidc.js';
import { PASSWORD, newUser } from '../support/users.js';
import type { Client, RequestOptions } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { contentsOf } from '../support/contents.js';
import {
  all,
  closed,
  endsSession,
  faultsOf,
  isPending,
  nameOf,
  open,
  pathOf,
  refusal,
  show,
  spellingsOf,
  undeclared,
} from '../support/operations.js';
import { amount } from '../support/unless.js';
import { grantedBy, grantedByInFabric, values } from '../cases/permissions.js';

/** Of the odd spellings of a path, one in so many: operations next to each other take others. */
const SHARE = amount(3, 1);
const GARBAGE = '00000000-0000-4000-8000-000000000000';

describe(`all ${all.length} operations`, function allOperations() {
  this.timeout(120_000);
  let controller: TestController;
  let garbage: Client;
  let ordinary: Client;
  let administrator: Client;

  /** An empty object where a body is taken, so that only session and permission can refuse it. */
  const send = (client: Client, operation: OperationSpec, path = pathOf(operation)) =>
    client.send(operation.method, path, operation.body?.kind === 'json' ? {} : undefined, optionsFor(operation));
  /** Single sign-on is at the advertised host alone, and takes forms. */
  const optionsFor = ({ api, body }: OperationSpec): RequestOptions => {
    if (api !== 'oidc') return {};
    if (body?.required !== true) return { headers: { host: HOST } };
    return { rawBody: '', headers: { 'host': HOST, 'content-type': 'application/x-www-form-urlencoded' } };
  };

  /** The same with an access token. */
  const bear = (token: string, operation: OperationSpec) => {
    const { headers, ...options } = optionsFor(operation);
    const all = { ...headers, authorization: `Bearer ${token}` };
    return controller.anonymous.send(operation.method, pathOf(operation), undefined, { ...options, headers: all });
  };
  let ordinaryToken: string;
  let administratorToken: string;

  /** An entity of each collection, so that a call could hit something; by the collection's path. */
  const targets: Record<string, string> = {};
  const makeTargets = async () => {
    const create = async (collection: string, changes: object = {}) => {
      const body = { ...exampleOf('management', 'POST', collection), ...changes };
      targets[collection] = (
        expectStatus(await controller.admin.post(`${basePaths.management}${collection}`, body), 201).data as {
          id: string;
        }
      ).id;
    };
    for (const collection of ['/config-types', '/configs', '/services', '/service-policies', '/identities'])
      await create(collection, collection === '/identities' ? { enrollment: {} } : {});
    const identityId = targets['/identities'];
    await create('/enrollments', { identityId });
    await create('/authenticators', { identityId });
    await controller.login('mara.lind', 'correct-horse-battery');
    const sessions = await controller.admin.get(`${basePaths.management}/api-sessions?filter=identity="${identityId}"`);
    targets['/api-sessions'] = (expectStatus(sessions, 200).data as { id: string }[])[0]?.id ?? '';
  };
  /** A call that an administrator would succeed with, as far as the spec's own examples go. */
  const attempt = (client: Client, operation: OperationSpec) => {
    const { api, method, path, body } = operation;
    const target = targets[path.slice(0, Math.max(0, path.indexOf('/{')))];
    return client.send(
      method,
      pathOf(operation, target),
      body?.kind === 'json' ? (exampleOf(api, method, path) ?? {}) : undefined,
    );
  };

  before(async () => {
    controller = await startTestController({ EDGE_OIDC_ENABLED: 'true' });
    await makeTargets();
    garbage = createClient(controller.url, GARBAGE);
    ordinary = (await controller.newCaller()).client;
    administrator = (await controller.newCaller({ isAdmin: true })).client;
    const oidc = oidcClient(controller.anonymous);
    const user = await newUser(controller.admin);
    ordinaryToken = (await oidc.login(user.name, PASSWORD)).access_token;
    administratorToken = (await oidc.login(ADMIN.username, ADMIN.password)).access_token;
  });
  after(async () => {
    garbage.close();
    await controller.stop();
  });

  it('have a permission each', () => {
    for (const operation of all)
      expect(operation.permission, nameOf(operation)).to.be.oneOf(['public', 'partial', 'own', 'admin']);
  });

  it('are open to everybody only where this list has them', () => {
    expect(open.map(({ api, method, path }) => `${api} ${method} ${path}`).sort()).to.deep.equal([
      'client GET /',
      'client GET /.well-known/est/cacerts',
      'client GET /enroll/jwks',
      'client GET /enumerated-capabilities',
      'client GET /external-jwt-signers',
      'client GET /network-jwts',
      'client GET /protocols',
      'client GET /specs',
      'client GET /specs/{id}',
      'client GET /specs/{id}/spec',
      'client GET /version',
      'client POST /authenticate',
      'client POST /enroll',
      'client POST /enroll/ca',
      'client POST /enroll/challenge',
      'client POST /enroll/erott',
      'client POST /enroll/extend/router',
      'client POST /enroll/ott',
      'client POST /enroll/ottca',
      'client POST /enroll/token',
      'client POST /enroll/updb',
      'management GET /',
      'management GET /.well-known/est/cacerts',
      'management GET /enumerated-capabilities',
      'management GET /network-jwts',
      'management GET /specs',
      'management GET /specs/{id}',
      'management GET /specs/{id}/spec',
      'management GET /version',
      'management POST /authenticate',
      'oidc DELETE /login/totp/enroll',
      'oidc GET /.well-known/openid-configuration',
      'oidc GET /authorize',
      'oidc GET /authorize/callback',
      'oidc GET /end_session',
      'oidc GET /healthz',
      'oidc GET /keys',
      'oidc GET /logged-out',
      'oidc GET /login/auth-queries',
      'oidc GET /login/cert',
      'oidc GET /login/ext-jwt',
      'oidc GET /login/password',
      'oidc GET /login/username',
      'oidc GET /ready',
      'oidc POST /authorize',
      'oidc POST /end_session',
      'oidc POST /login/cert',
      'oidc POST /login/ext-jwt',
      'oidc POST /login/password',
      'oidc POST /login/totp',
      'oidc POST /login/totp/enroll',
      'oidc POST /login/totp/enroll/verify',
      'oidc POST /login/username',
      'oidc POST /oauth/revoke',
      'oidc POST /oauth/token',
      'oidc POST /revoke',
    ]);
  });

  it('never ask for a session where they are public, whatever token comes along', async () => {
    for (const client of [controller.anonymous, garbage, ordinary, administrator]) {
      expect(
        await faultsOf(open, async (operation) => {
          const answer = await send(client, operation);
          // A login is no session: 401 says that it is not there.
          if (answer.status === 401 && operation.api !== 'oidc') return show(answer);
          if (answer.status >= 500 && !isPending(operation)) return show(answer);
          return undeclared(operation, answer);
        }),
      ).to.deep.equal([]);
    }
  });

  it('answer 401 and the challenge of a missing token to nobody', async () => {
    expect(
      await faultsOf(closed, async (operation) =>
        refusal(operation, await send(controller.anonymous, operation), NO_SESSION),
      ),
    ).to.deep.equal([]);
  });

  it('of single sign-on answer 401 to an access token that is none, and to one of another kind', async () => {
    const { refresh_token, id_token } = await oidcClient(controller.anonymous).login(ADMIN.username, ADMIN.password);
    for (const token of [GARBAGE, 'e30.e30.', refresh_token, id_token])
      expect(
        await faultsOf(
          closed.filter(({ api }) => api === 'oidc'),
          async (operation) => {
            const answer = await bear(token, operation);
            const challenge = answer.headers['www-authenticate'];
            return challenge === NO_ACCESS_TOKEN || challenge === BAD_ACCESS_TOKEN
              ? refusal(operation, answer, challenge)
              : show(answer);
          },
        ),
      ).to.deep.equal([]);
  });

  it('answer 401 and the challenge of an invalid token to a token that is none, under either header', async () => {
    for (const header of ['zt-session', 'svc-session']) {
      expect(
        await faultsOf(closed, async (operation) =>
          refusal(
            operation,
            await controller.anonymous.send(operation.method, pathOf(operation), undefined, {
              headers: { ...optionsFor(operation).headers, [header]: GARBAGE },
            }),
            INVALID_SESSION,
          ),
        ),
      ).to.deep.equal([]);
    }
  });

  it('answer an ordinary identity 401, or 403 where declared, without a challenge, and change nothing', async () => {
    const before = await contentsOf(controller.database);
    expect(Object.keys(before)).to.include.members(['identities', 'services', 'api_sessions']);
    expect(
      await faultsOf(
        all.filter(({ permission }) => permission === 'admin'),
        async (operation) => refusal(operation, await attempt(ordinary, operation), undefined),
      ),
    ).to.deep.equal([]);
    expect(await contentsOf(controller.database)).to.deep.equal(before);
  });

  it('are for administrators and for the permissions that the table of permissions has, and no others', () => {
    for (const [api, granted] of [
      ['management', grantedBy],
      ['fabric', grantedByInFabric],
    ] as const) {
      const forOthers = Object.values(operations[api]).filter(({ permission }) => permission === 'admin');
      const found = new Map(forOthers.map((operation) => [operation.operationId, [...operation.grantedBy].sort()]));
      expect(Object.fromEntries(found)).to.deep.equal(
        Object.fromEntries([...granted].map(([id, permissions]) => [id, [...permissions].sort()])),
      );
    }
    for (const operation of Object.values(operations.client)) expect(operation.grantedBy).to.deep.equal([]);
  });

  describe('with permissions', () => {
    const guarded: readonly OperationSpec[] = all.filter(({ permission }) => permission === 'admin');
    const permissionsFor = ({ api, operationId }: OperationSpec) =>
      ({ client: undefined, fabric: grantedByInFabric, management: grantedBy, oidc: undefined })[api]?.get(
        operationId,
      ) ?? [];
    /** Operations that take the same permissions, so that one change of the caller serves them all. */
    const groups = new Map<string, OperationSpec[]>();
    for (const operation of guarded) {
      const key = permissionsFor(operation).join(' ');
      groups.set(key, [...(groups.get(key) ?? []), operation]);
    }
    let limited: Caller;

    before(async () => {
      limited = await controller.newCaller();
    });
    const give = async (permissions: readonly string[]) => {
      const path = `${basePaths.management}/identities/${limited.id}`;
      expectStatus(await controller.admin.patch(path, { permissions }), 200);
    };

    it('can be given each value and no other, as the refusal says', async () => {
      await give(values);
      const path = `${basePaths.management}/identities/${limited.id}`;
      const answer = expectStatus(await controller.admin.patch(path, { permissions: ['admin'] }), 400);
      expect(answer.error?.cause).to.deep.include({
        field: 'permissions.0',
        reason: `permissions.0 in body should be one of [${values.join(' ')}]`,
        value: 'admin',
      });
    });

    it('let through whoever has one that is asked, from the next request on', async () => {
      const faults: string[] = [];
      for (const operations of groups.values()) {
        const [first] = operations;
        for (const permission of first === undefined ? [] : permissionsFor(first)) {
          await give([permission]);
          faults.push(
            ...(await faultsOf(operations, async (operation) => {
              const answer = await send(limited.client, operation);
              const isRefused =
                refusal(operation, answer, undefined) === undefined && answer.error?.cause === undefined;
              if (isRefused || (answer.status >= 500 && !isPending(operation)))
                return `with ${permission}: ${show(answer)}`;
              return undeclared(operation, answer);
            })),
          );
        }
      }
      expect(faults).to.deep.equal([]);
    });

    it('refuse whoever has all others, and change nothing', async () => {
      // A caller for each group, so that the database is compared once for all.
      const attempts: { operations: readonly OperationSpec[]; client: Client }[] = [];
      for (const operations of groups.values()) {
        const [first] = operations;
        const permissions = values.filter((value) => first !== undefined && !permissionsFor(first).includes(value));
        attempts.push({ operations, client: (await controller.newCaller({ permissions })).client });
      }
      const before = await contentsOf(controller.database);
      const faults: string[] = [];
      for (const { operations, client } of attempts) {
        faults.push(
          ...(await faultsOf(operations, async (operation) => {
            const answer = await attempt(client, operation);
            return (
              refusal(operation, answer, undefined) ??
              (answer.error?.cause === undefined ? undefined : `a cause: ${show(answer)}`)
            );
          })),
        );
      }
      expect(await contentsOf(controller.database)).to.deep.equal(before);
      expect(faults).to.deep.equal([]);
    });
  });

  it('refuse every odd spelling of a path as they refuse its plain one, and change nothing', async () => {
    const before = await contentsOf(controller.database);
    let turn = 0;
    const faults = await faultsOf(closed, async (operation) => {
      turn += 1;
      for (const spelling of spellingsOf(pathOf(operation)).filter((_, nth) => (nth + turn) % SHARE === 0)) {
        const missing = refusal(operation, await send(controller.anonymous, operation, spelling), NO_SESSION);
        if (missing !== undefined) return `${spelling} without a session: ${missing}`;
        const powerless =
          operation.permission === 'admin'
            ? refusal(operation, await send(ordinary, operation, spelling), undefined)
            : undefined;
        if (powerless !== undefined) return `${spelling} as an ordinary identity: ${powerless}`;
      }
      return undefined;
    });
    expect(faults).to.deep.equal([]);
    expect(await contentsOf(controller.database)).to.deep.equal(before);
  });

  it('refuse upper-case spellings and other roots rather than take them for the operation', async () => {
    expect(
      await faultsOf(
        closed.filter(({ path }) => path !== '/'),
        async (operation) => {
          for (const path of [
            pathOf(operation).replace(/^\/(edge|fabric|oidc)\//, (root) => root.toUpperCase()),
            pathOf(operation).replace('/v1/', '/v2/').replace('/oidc/', '/oidc/v2/'),
            `/oidc/v1${operation.path}`,
          ]) {
            const answer = await send(administrator, operation, path);
            if (answer.status !== 404) return `${path}: ${show(answer)}`;
          }
          return undefined;
        },
      ),
    ).to.deep.equal([]);
  });

  it('let an ordinary identity through where it acts for itself', async () => {
    expect(
      await faultsOf(
        closed.filter((operation) => operation.permission !== 'admin' && !endsSession(operation)),
        async (operation) => {
          const answer = await (operation.api === 'oidc' ? bear(ordinaryToken, operation) : send(ordinary, operation));
          if (isPending(operation)) return answer.status === 501 ? undefined : show(answer);
          if (answer.status === 401 || answer.status >= 500) return show(answer);
          return undeclared(operation, answer);
        },
      ),
    ).to.deep.equal([]);
  });

  it('answer an administrator as declared, and 501 exactly where they are not built', async () => {
    expect(
      await faultsOf(
        closed.filter((operation) => !endsSession(operation)),
        async (operation) => {
          const answer = await (operation.api === 'oidc'
            ? bear(administratorToken, operation)
            : send(administrator, operation));
          if (isPending(operation))
            return answer.status === 501 && answer.error?.code === 'NOT_IMPLEMENTED'
              ? undeclared(operation, answer)
              : show(answer);
          if (answer.status === 401 || answer.status >= 500) return show(answer);
          if (operation.path.includes('{') && answer.status !== 404 && answer.status !== 400)
            return `an unknown id is not refused: ${show(answer)}`;
          return undeclared(operation, answer);
        },
      ),
    ).to.deep.equal([]);
  });

  it('change each kind of entity when an administrator makes the calls that changed nothing before', async () => {
    const before = await contentsOf(controller.database);
    const order = { PATCH: 0, PUT: 1, POST: 2, GET: 3, DELETE: 4 };
    const rows = all
      .filter(({ permission }) => permission === 'admin')
      .sort((a, b) => order[a.method] - order[b.method]);
    expect(
      await faultsOf(rows, async (operation) => {
        const answer = await attempt(administrator, operation);
        if (answer.status === 401 || (answer.status >= 500 && !isPending(operation))) return show(answer);
        return undeclared(operation, answer);
      }),
    ).to.deep.equal([]);
    const after = await contentsOf(controller.database);
    for (const table of [
      'identities',
      'services',
      'service_policies',
      'configs',
      'config_types',
      'enrollments',
      'authenticators',
      'api_sessions',
    ]) {
      expect(after[table], table).to.not.equal(before[table]);
    }
  });

  it('end the session that logs out, for an ordinary identity and for an administrator', async () => {
    for (const isAdmin of [false, true]) {
      for (const operation of all.filter(endsSession)) {
        const { client } = await controller.newCaller({ isAdmin });
        expect((await send(client, operation)).status, nameOf(operation)).to.equal(200);
        expect(refusal(operation, await send(client, operation), INVALID_SESSION), nameOf(operation)).to.equal(
          undefined,
        );
      }
    }
  });
});
