/**
 * The net over all operations of all specs, as those see them whom they refuse: without a token, with an invalid one,
 * by an ordinary identity, in several spellings of their paths. The same calls change something for an administrator.
 */
import { expect } from 'chai';
import { BAD_ACCESS_TOKEN, INVALID_SESSION, NO_ACCESS_TOKEN, NO_SESSION } from '../support/challenges.js';
import { oidcClient } from '../support/oidc.js';
import { ADMIN } from '../support/controller.js';
import { contentsOf } from '../support/contents.js';
import { GARBAGE, OperationCallers, optionsFor, send } from '../support/operation-callers.js';
import {
  all,
  closed,
  faultsOf,
  isPending,
  pathOf,
  refusal,
  show,
  spellingsOf,
  undeclared,
} from '../support/operations.js';
import { amount } from '../support/unless.js';

/** Takes one in so many of the odd spellings of a path: operations next to each other take others. */
const SHARE = amount(3, 1);

describe(`all ${all.length} operations, to those whom they refuse,`, function allOperations() {
  this.timeout(120_000);
  let callers: OperationCallers;
  before(async () => {
    callers = await OperationCallers.open();
  });
  after(() => callers.close());

  it('answer 401 and the challenge of a missing token to nobody', async () => {
    expect(
      await faultsOf(closed, async (operation) =>
        refusal(operation, await send(callers.controller.anonymous, operation), NO_SESSION),
      ),
    ).to.deep.equal([]);
  });

  it('of single sign-on answer 401 to an access token that is none, and to one of another kind', async () => {
    const { refresh_token, id_token } = await oidcClient(callers.controller.anonymous).login(
      ADMIN.username,
      ADMIN.password,
    );
    for (const token of [GARBAGE, 'e30.e30.', refresh_token, id_token])
      expect(
        await faultsOf(
          closed.filter(({ api }) => api === 'oidc'),
          async (operation) => {
            const answer = await callers.bear(token, operation);
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
            await callers.controller.anonymous.send(operation.method, pathOf(operation), undefined, {
              headers: { ...optionsFor(operation).headers, [header]: GARBAGE },
            }),
            INVALID_SESSION,
          ),
        ),
      ).to.deep.equal([]);
    }
  });

  it('answer an ordinary identity 401, or 403 where declared, without a challenge, and change nothing', async () => {
    const before = await contentsOf(callers.controller.database);
    expect(Object.keys(before)).to.include.members(['identities', 'services', 'api_sessions']);
    expect(
      await faultsOf(
        all.filter(({ permission }) => permission === 'admin'),
        async (operation) => refusal(operation, await callers.attempt(callers.ordinary, operation), undefined),
      ),
    ).to.deep.equal([]);
    expect(await contentsOf(callers.controller.database)).to.deep.equal(before);
  });

  it('refuse every odd spelling of a path as they refuse its plain one, and change nothing', async () => {
    const before = await contentsOf(callers.controller.database);
    let turn = 0;
    const faults = await faultsOf(closed, async (operation) => {
      turn += 1;
      for (const spelling of spellingsOf(pathOf(operation)).filter((_, nth) => (nth + turn) % SHARE === 0)) {
        const missing = refusal(operation, await send(callers.controller.anonymous, operation, spelling), NO_SESSION);
        if (missing !== undefined) return `${spelling} without a session: ${missing}`;
        const powerless =
          operation.permission === 'admin'
            ? refusal(operation, await send(callers.ordinary, operation, spelling), undefined)
            : undefined;
        if (powerless !== undefined) return `${spelling} as an ordinary identity: ${powerless}`;
      }
      return undefined;
    });
    expect(faults).to.deep.equal([]);
    expect(await contentsOf(callers.controller.database)).to.deep.equal(before);
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
            const answer = await send(callers.administrator, operation, path);
            if (answer.status !== 404) return `${path}: ${show(answer)}`;
          }
          return undefined;
        },
      ),
    ).to.deep.equal([]);
  });

  it('change each kind of entity when an administrator makes the calls that changed nothing before', async () => {
    const before = await contentsOf(callers.controller.database);
    const order = { PATCH: 0, PUT: 1, POST: 2, GET: 3, DELETE: 4 };
    const rows = all
      .filter(({ permission }) => permission === 'admin')
      .sort((a, b) => order[a.method] - order[b.method]);
    expect(
      await faultsOf(rows, async (operation) => {
        const answer = await callers.attempt(callers.administrator, operation);
        if (answer.status === 401 || (answer.status >= 500 && !isPending(operation))) return show(answer);
        return undeclared(operation, answer);
      }),
    ).to.deep.equal([]);
    const after = await contentsOf(callers.controller.database);
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
});
