/**
 * The field's own console in a browser, served by the controller: it logs in by OpenID Connect with a second factor.
 */
import { expect } from 'chai';
import type { BrowserContext } from 'playwright-core';
import { endBrowser, openPage, startBrowser } from '../support/browser.js';
import type { WatchedPage } from '../support/browser.js';
import { expectStatus } from '../support/client.js';
import { startReachable } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf } from '../support/entities.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { NO_CONSOLE, findStockConsole } from '../support/stock-console.js';
import { codeAt, enrollTotp } from '../support/totp.js';
import { describeUnless } from '../support/unless.js';

const location = findStockConsole();

describeUnless(location === undefined ? NO_CONSOLE : undefined, 'a login by OpenID Connect', function suite() {
  this.timeout(120_000);
  this.retries(1);
  let controller: TestController;
  let browser: BrowserContext;
  let watched: WatchedPage;
  before(async () => {
    const EDGE_SPA = JSON.stringify([{ path: 'zac', location }]);
    [controller, browser] = await Promise.all([startReachable({ EDGE_SPA }), startBrowser()]);
  });
  after(async () => {
    await endBrowser(browser);
    await (controller as TestController | undefined)?.stop();
  });
  beforeEach(async () => {
    watched = await openPage(browser, controller.url);
  });
  afterEach(() => watched.close());

  it('logs in an administrator with a second factor, and works with the token that it gets', async () => {
    const { page, requests } = watched;
    const caller = await controller.newCaller({ isAdmin: true });
    const { secret } = await enrollTotp(caller.client);
    await controller.database.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [caller.id]);
    await page.goto(`${controller.url}/zac/`);
    await page.locator('#Username').fill(caller.username);
    await page.locator('#Password').fill(caller.password);
    await page.locator('#Password').press('Enter');
    await page.locator('#TotpCode').fill('000000');
    const refused = page.waitForResponse((answer) => answer.url().endsWith('/oidc/login/totp'));
    await page.locator('#TotpCode').press('Enter');
    expect((await refused).status()).to.equal(400);
    await page.locator('#TotpCode').fill(codeAt(secret));
    const listing = page.waitForResponse((answer) => answer.url().includes(`${M}/identities`));
    await page.locator('#TotpCode').press('Enter');
    await page.waitForURL(/\/zac\/dashboard/);
    const listed = await listing;
    expect(listed.status()).to.equal(200);
    expect(await listed.request().headerValue('authorization')).to.match(/^Bearer /);
    expect(
      requests.filter((line) => line.includes('/authenticate')),
      'no login of the other kind',
    ).to.deep.equal([]);
    const sessions = itemsOf(expectStatus(await controller.admin.get(`${M}/api-sessions?limit=100`), 200));
    const own = sessions.filter(({ identityId, id }) => identityId === caller.id && /^[0-9a-f]{8}-/.test(String(id)));
    expect(own.length).to.equal(1);
  });
});
