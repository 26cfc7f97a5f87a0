/**
 * What the network page must not leave anywhere: the session's token, passwords, and the tokens of enrollments. A
 * controller of its own writes all that it has to say, while the page is refused, signs in, is used, loses the
 * connection and signs out. In Chromium.
 */
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { endBrowser, openPage, startBrowser } from '../support/browser.js';
import type { WatchedPage } from '../support/browser.js';
import { ADMIN } from '../support/controller.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { until } from '../support/poll.js';
import { enter, goTo, heading, signInAs } from './network-page-support.js';

const WRONG = 'a-wrong-password-of-the-test';

/** All that a browser keeps for an origin, as text. */
const KEPT = `(async () => JSON.stringify([
  { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.referrer,
  (await indexedDB.databases()).map(({ name }) => name), await caches.keys(),
  (await navigator.serviceWorker.getRegistrations()).length, performance.getEntries().map(({ name }) => name),
]))()`;
/** Nothing is there. */
const NOTHING_KEPT = ['{}', '{}', '""', '[]', '[]', '0'];

describe('the secrets of the network page', function networkPageSecrets() {
  this.timeout(180_000);
  this.retries(1);
  const shop = new ProcessShop();
  let controller: ControllerProcess;
  let url: string;
  let window: BrowserContext;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    controller = shop.start(shop.dataDir(), {
      env: { EDGE_ADMIN_USERNAME: ADMIN.username, EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_LOG_LEVEL: 'debug' },
    });
    [url, window] = await Promise.all([controller.ready(), startBrowser()]);
  });
  after(async () => {
    await endBrowser(window);
    await shop.end();
  });
  beforeEach(async () => {
    watched = await openPage(window, url);
    ({ page } = watched);
  });
  afterEach(() => watched.close());

  /** Tokens that the page got or sent, with the addresses and bodies of all its requests. */
  function watchTraffic() {
    const [tokens, addresses, cookies]: Set<string>[] = [new Set(), new Set(), new Set()];
    page.on('request', (request) => {
      addresses?.add(request.url());
      const { 'zt-session': token, cookie, 'referer': referer } = request.headers();
      if (token !== undefined) tokens?.add(token);
      if (cookie !== undefined) cookies?.add(cookie);
      if (referer !== undefined) addresses?.add(referer);
    });
    page.on('response', (response) => {
      const cookie = response.headers()['set-cookie'];
      if (cookie !== undefined) cookies?.add(cookie);
    });
    return { tokens: tokens ?? new Set(), addresses: addresses ?? new Set(), cookies: cookies ?? new Set() };
  }

  async function expectNothingKept(secrets: readonly string[]): Promise<void> {
    const kept = await page.evaluate<string>(KEPT);
    const [local, session, cookie, , , , databases, caches, workers] = (JSON.parse(kept) as unknown[]).map((part) =>
      JSON.stringify(part),
    );
    expect([local, session, cookie, databases, caches, workers]).to.deep.equal(NOTHING_KEPT);
    expect(await window.cookies()).to.deep.equal([]);
    for (const secret of secrets) expect(kept).to.not.include(secret);
  }

  async function expectNotLogged(secrets: readonly string[]): Promise<void> {
    await until('the sign-out is logged', () => controller.stdout().includes('deleteCurrentApiSession'));
    for (const secret of secrets) {
      expect(controller.stdout()).to.not.include(secret);
      expect(controller.stderr()).to.not.include(secret);
    }
  }

  it('are in no cookie, address, storage or log after a refusal, a lost connection, a job and a walk', async () => {
    const { tokens, addresses, cookies } = watchTraffic();
    await signInAs(page, url, { username: ADMIN.username, password: WRONG });
    await page.getByRole('alert').getByText('Username or password is wrong.').waitFor();
    await expectNothingKept([WRONG]);
    expect(await page.content()).to.not.include(WRONG);
    await enter(page, url);
    for (const [hash, title] of [
      ['access', 'Who reaches what'],
      ['network', 'Network'],
      ['changes', 'Changes'],
      ['jobs', 'Jobs'],
    ] as const) {
      await goTo(page, `#/${hash}`);
      await heading(page, title);
    }
    await page.getByRole('button', { name: 'Add a person or device' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add a person or device' });
    await dialog.getByLabel('Name', { exact: true }).fill('device-of-secrets');
    await page.route('**/edge/**', (route) => route.abort());
    await dialog.getByRole('button', { name: 'Add', exact: true }).last().press('Enter');
    await page.getByText('The controller does not answer.').first().waitFor();
    const [token = ''] = tokens;
    await expectNothingKept([token, ADMIN.password]);
    await page.unroute('**/edge/**');
    await page.locator('.banner').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Add', exact: true }).last().press('Enter');
    const jwt = (await dialog.locator('pre').textContent()) ?? '';
    expect(jwt).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    await expectNothingKept([token, ADMIN.password, jwt]);
    await dialog.getByRole('button', { name: 'Done' }).press('Enter');
    expect(await page.content()).to.not.include(jwt);
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByLabel('Password').waitFor();
    expect(tokens.size, 'one session, one token').to.equal(1);
    expect(token).to.match(/^[0-9a-f-]{36}$/);
    const secrets = [token, ADMIN.password, WRONG, jwt];
    await expectNothingKept(secrets);
    expect([...cookies]).to.deep.equal([]);
    for (const secret of secrets) {
      expect([...addresses].join('\n')).to.not.include(secret);
      expect(watched.troubles.join('\n')).to.not.include(secret);
      expect(await page.content()).to.not.include(secret);
    }
    await expectNotLogged(secrets);
  });

  it('are forgotten by a reload', async () => {
    const { tokens } = watchTraffic();
    await enter(page, url);
    await page.reload();
    await page.getByLabel('Password').waitFor();
    await expectNothingKept([...tokens, ADMIN.password]);
    expect(await page.getByLabel('Password').inputValue()).to.equal('');
  });
});
