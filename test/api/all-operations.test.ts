/**
 * The net over all operations of all specs: each is called without a token, by an ordinary identity and by an
 * administrator, where it lets them in. What they are refused is in all-operations-refused.test.ts, and who may be
 * given permission for what in all-operations-permissions.test.ts.
 */
import { expect } from 'chai';
import { INVALID_SESSION } from '../support/challenges.js';
import { OperationCallers, send } from '../support/operation-callers.js';
import {
  all,
  closed,
  endsSession,
  faultsOf,
  isPending,
  nameOf,
  open,
  refusal,
  show,
  undeclared,
} from '../support/operations.js';

describe(`all ${all.length} operations`, function allOperations() {
  this.timeout(120_000);
  let callers: OperationCallers;
  before(async () => {
    callers = await OperationCallers.open();
  });
  after(() => callers.close());

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
    for (const client of [callers.controller.anonymous, callers.garbage, callers.ordinary, callers.administrator]) {
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

  it('let an ordinary identity through where it acts for itself', async () => {
    expect(
      await faultsOf(
        closed.filter((operation) => operation.permission !== 'admin' && !endsSession(operation)),
        async (operation) => {
          const answer = await (operation.api === 'oidc'
            ? callers.bear(callers.tokens.ordinary, operation)
            : send(callers.ordinary, operation));
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
            ? callers.bear(callers.tokens.administrator, operation)
            : send(callers.administrator, operation));
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

  it('end the session that logs out, for an ordinary identity and for an administrator', async () => {
    for (const isAdmin of [false, true]) {
      for (const operation of all.filter(endsSession)) {
        const { client } = await callers.controller.newCaller({ isAdmin });
        expect((await send(client, operation)).status, nameOf(operation)).to.equal(200);
        expect(refusal(operation, await send(client, operation), INVALID_SESSION), nameOf(operation)).to.equal(
          undefined,
        );
      }
    }
  });
});
