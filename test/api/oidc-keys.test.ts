/** Tokens of logins by OpenID Connect when a controller starts again, and its certificate gets another name. */
import { expect } from 'chai';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { bearer, oidcClient, tokensIn } from '../support/oidc.js';
import type { OidcClient } from '../support/oidc.js';
import { CLIENT as C } from '../support/paths.js';
import { until } from '../support/poll.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

describe('tokens of a login by OpenID Connect, over a new start with a new certificate', function keys() {
  this.timeout(60_000);
  let database: TestDatabase;
  let controller: LoggedController | undefined;
  let oidc: OidcClient;
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    await controller?.stop();
    controller = undefined;
    controller = await startLogged(database, env);
    oidc = oidcClient(controller.client());
  };
  before(async () => {
    database = await openTestDatabase();
    await start();
  });
  after(async () => {
    await controller?.stop();
    await database.close();
  });

  const keySet = async () => expectStatus(await oidc.get('/oidc/keys'), 200).json as JSONWebKeySet;
  const nameOf = (token: string) => decodeProtectedHeader(token).kid;
  const statusOf = async (token: string) => (await oidc.get(`${C}/current-identity`, bearer(token))).status;

  it('are good, are verified by the keys that are published, and are refreshed under the new name', async () => {
    const before = await oidc.login(ADMIN.username, ADMIN.password);
    const exchanged = async () => tokensIn(await oidc.exchange(before.refresh_token, 'refresh', 'refresh'));
    await start({ EDGE_TLS_NAMES: 'other.example' });
    expect(await statusOf(before.access_token)).to.equal(200);
    const isRenamed = async () => nameOf((await exchanged()).access_token) !== nameOf(before.access_token);
    await until('the certificate is another', isRenamed);
    const later = await exchanged();
    expect(await statusOf(later.access_token)).to.equal(200);
    const { keys } = await keySet();
    expect(keys.map(({ kid }) => kid)).to.include.members([nameOf(before.id_token), nameOf(later.access_token)]);
    for (const token of [before.id_token, later.access_token]) await jwtVerify(token, createLocalJWKSet({ keys }));
    const refreshed = tokensIn(await oidc.refresh(before.refresh_token));
    expect(nameOf(refreshed.refresh_token)).to.equal(nameOf(later.access_token));
    await start();
    expect(await statusOf(refreshed.access_token)).to.equal(200);
    expectStatus(await oidc.refresh(refreshed.refresh_token), 200);
  });
});
