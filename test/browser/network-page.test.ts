/** The network page: how it is served, and who gets in. Against a whole controller, in Chromium. */
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { WatchedPage } from '../support/browser.js';
import { expectStatus } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { MANAGEMENT } from '../support/paths.js';
import { codeAt, enrollTotp } from '../support/totp.js';
import { enter, goTo, heading, signInAs, useNetworkPage } from './network-page-support.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const MOST_BYTES = 400 * 1024;

const get = (controller: TestController, path: string, accept: string) =>
  controller.anonymous.get(path, { headers: { accept } });

describe('the network page', function networkPage() {
  this.timeout(120_000);
  // As for the explorer: Chromium sometimes draws no more frames for a page.
  this.retries(1);
  let controller: TestController;
  let watched: WatchedPage;
  let page: Page;
  useNetworkPage((scene) => {
    ({ controller, watched, page } = scene);
  });

  describe('as it is served', () => {
    it('is for readers who prefer HTML; others get the version as before', async () => {
      for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0.5, */*'])
        expect((await get(controller, '/', accept)).headers['content-type'], accept).to.include('application/json');
      for (const accept of [BROWSER, 'text/html']) {
        const { status, headers } = await get(controller, '/', accept);
        expect([status, headers['content-type'], headers['vary']]).to.deep.equal([
          200,
          'text/html; charset=utf-8',
          'Accept',
        ]);
      }
    });

    it('refuses frames, everything inline and every other origin', async () => {
      const { headers } = await get(controller, '/', BROWSER);
      expect(headers['x-frame-options']).to.equal('DENY');
      const policy = String(headers['content-security-policy']);
      expect(policy).to.not.match(/unsafe|https?:|\*/);
      for (const part of ["default-src 'none'", "frame-ancestors 'none'", "trusted-types 'none'", "form-action 'none'"])
        expect(policy).to.include(part);
    });

    it('refuses to be in a frame of a page of its own origin, too', async () => {
      await page.route('**/frame.html', (route) =>
        route.fulfill({ contentType: 'text/html', body: `<iframe src="${controller.url}/"></iframe>` }),
      );
      await page.goto(`${controller.url}/frame.html`);
      await page.waitForFunction("document.querySelector('iframe') !== null");
      expect(await page.frames().at(-1)?.locator('input').count()).to.equal(0);
    });

    it(`is below ${MOST_BYTES / 1024} KiB compressed, and opens from the cache of the browser`, async () => {
      const bodies: Buffer[] = [];
      page.on('response', (response) => void response.body().then((body) => bodies.push(body)));
      await page.goto(`${controller.url}/`, { waitUntil: 'networkidle' });
      const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
      expect(bytes).to.be.greaterThan(20_000);
      expect(bytes).to.be.lessThan(MOST_BYTES);
      await page.goto('about:blank');
      await page.goto(`${controller.url}/`);
      await page.getByLabel('Username').waitFor();
      expect(watched.troubles).to.deep.equal([]);
    });

    it('has an icon where browsers look for one', async () => {
      expect((await get(controller, '/favicon.ico', 'image/*')).headers['content-type']).to.equal('image/svg+xml');
    });

    it('is off by a setting, and `/` answers as before', async () => {
      const other = await startTestController({ EDGE_NETWORK_PAGE: 'false' });
      try {
        expectStatus(await get(other, '/', 'text/html'), 406);
        expect((await get(other, '/', BROWSER)).headers['content-type']).to.include('application/json');
      } finally {
        await other.stop();
      }
    });
  });

  describe('and who gets in', () => {
    it('says that a password is wrong, and keeps the username', async () => {
      await signInAs(page, controller.url, { username: ADMIN.username, password: 'nonsense' });
      await page.getByRole('alert').getByText('Username or password is wrong.').waitFor();
      expect(await page.getByLabel('Username').inputValue()).to.equal(ADMIN.username);
      expect(await page.getByLabel('Password').inputValue()).to.equal('');
    });

    it('asks for the second factor, says when a code is wrong, and takes the right one', async () => {
      const caller = await controller.newCaller({ isAdmin: true });
      const { secret, recoveryCodes } = await enrollTotp(caller.client);
      await controller.database.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [caller.id]);
      await signInAs(page, controller.url, caller);
      await page.getByLabel('Code').fill('nonsense');
      await page.getByRole('button', { name: 'Give code' }).press('Enter');
      await page.getByRole('alert').getByText('The code is wrong or was used before').waitFor();
      expect(await page.getByLabel('Code').inputValue()).to.equal('');
      await page.getByLabel('Code').fill(codeAt(secret));
      await page.getByRole('button', { name: 'Give code' }).press('Enter');
      await heading(page, 'Overview');
      expect(recoveryCodes.length).to.be.greaterThan(0);
    });

    it('asks again when the session has ended, and keeps what was typed', async () => {
      const caller = await controller.newCaller({ isAdmin: true });
      await enter(page, controller.url, caller);
      await goTo(page, '#/jobs');
      await page.getByRole('button', { name: 'Add a person or device' }).click();
      await page.getByLabel('Name', { exact: true }).fill('typed-before');
      await controller.database.query('DELETE FROM api_sessions WHERE identity_id = $1', [caller.id]);
      const again = page.getByRole('dialog', { name: 'Sign in again' });
      await page.getByRole('button', { name: 'Add', exact: true }).last().press('Enter');
      await again.waitFor();
      expect(await again.getByLabel('Username').inputValue()).to.equal(caller.username);
      await again.getByLabel('Password').fill(caller.password);
      await again.getByRole('button', { name: 'Sign in' }).press('Enter');
      await again.waitFor({ state: 'detached' });
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('typed-before');
    });

    it('says that the controller does not answer, keeps what was typed, and goes on when it is back', async () => {
      await enter(page, controller.url);
      await goTo(page, '#/jobs');
      await page.getByRole('button', { name: 'Add a person or device' }).click();
      await page.getByLabel('Name', { exact: true }).fill('typed-offline');
      await page.route('**/edge/**', (route) => route.abort());
      await page.getByRole('button', { name: 'Add', exact: true }).last().press('Enter');
      await page.getByText('The controller does not answer.').first().waitFor();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('typed-offline');
      await page.unroute('**/edge/**');
      await page.locator('.banner').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Add', exact: true }).last().press('Enter');
      await page.getByText('typed-offline is there.').waitFor();
    });

    it('keeps the token in a header of its requests, and nowhere else', async () => {
      const tokens = new Set<string>();
      const addresses: string[] = [];
      page.on('request', (request) => {
        addresses.push(request.url());
        tokens.add(request.headers()['zt-session'] ?? '');
      });
      await enter(page, controller.url);
      for (const place of ['access', 'network', 'changes', 'jobs']) await goTo(page, `#/${place}`);
      tokens.delete('');
      expect(tokens.size).to.equal(1);
      const [token = ''] = tokens;
      const kept = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])',
      );
      const shown = await page.content();
      for (const text of [kept, shown, addresses.join()]) expect(text).to.not.include(token);
      await page.getByRole('button', { name: 'Sign out' }).press('Enter');
      await page.getByLabel('Password').waitFor();
      const answer = await controller.anonymous.get(`${MANAGEMENT}/identities`, { headers: { 'zt-session': token } });
      expect(answer.status).to.equal(401);
    });
  });
});
