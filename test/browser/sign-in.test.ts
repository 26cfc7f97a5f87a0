/** The pages of a login by OpenID Connect, as a person sees them: in Chromium, against a whole controller. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { endBrowser, openPage, startBrowser } from '../support/browser.js';
import type { WatchedPage } from '../support/browser.js';
import { startReachable } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { challengeOf, newVerifier } from '../support/oidc.js';
import { CLIENT as C } from '../support/paths.js';
import { until } from '../support/poll.js';
import { codeAt, enrollTotp } from '../support/totp.js';

describe('the pages of a login by OpenID Connect', function signIn() {
  this.timeout(120_000);
  // As for the explorer: Chromium sometimes draws no more frames for a page.
  this.retries(1);
  let controller: TestController;
  let browser: BrowserContext;
  let watched: WatchedPage;
  let page: Page;
  /** The application that users log in to, which gets what they come back with. */
  let application: Server;
  let redirectUri: string;
  let returned: URL[];

  before(async () => {
    application = createServer((request, response) => {
      if (request.url?.startsWith('/auth/callback') === true) returned.push(new URL(request.url, redirectUri));
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Application</title>Back.');
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    redirectUri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/auth/callback`;
    [controller, browser] = await Promise.all([startReachable(), startBrowser()]);
  });
  after(async () => {
    await endBrowser(browser);
    await (controller as TestController | undefined)?.stop();
    application.closeAllConnections();
    await new Promise((resolve) => application.close(resolve));
  });
  beforeEach(async () => {
    returned = [];
    watched = await openPage(browser, controller.url);
    ({ page } = watched);
  });
  afterEach(() => watched.close());

  const verifier = newVerifier();
  const begin = async () => {
    const asked = new URLSearchParams({
      client_id: 'native',
      response_type: 'code',
      scope: 'openid',
      redirect_uri: redirectUri,
      state: 's1',
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    });
    await page.goto(`${controller.url}/oidc/authorize?${asked.toString()}`);
  };
  const signInAs = async ({ username, password }: Pick<Caller, 'username' | 'password'>) => {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).press('Enter');
  };
  /** Gives the code to the token endpoint, as the application does. @returns the user */
  const userBehind = async () => {
    await until('the browser is back', () => returned.length > 0);
    const [at] = returned;
    expect(at?.searchParams.get('iss')).to.equal(`${controller.url}/oidc`);
    expect(at?.searchParams.get('state')).to.equal('s1');
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'native',
      redirect_uri: redirectUri,
      code: at?.searchParams.get('code') ?? '',
      code_verifier: verifier,
    });
    const answer = await controller.anonymous.send('POST', '/oidc/oauth/token', undefined, {
      rawBody: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'host': new URL(controller.url).host },
    });
    const { access_token: token } = answer.json as { access_token: string };
    const own = await controller.anonymous.get(`${C}/current-identity`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return (own.data as { id: string }).id;
  };
  /** All rules of axe, contrast among them, and nothing wider than the window. */
  const checkPage = async (colorScheme: string, name: string) => {
    await page.evaluate(axe.source);
    const found = await page.evaluate(
      "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => " +
        'violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`))',
    );
    expect(found, `${name}, ${colorScheme}`).to.deep.equal([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), name).to.equal(true);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background, name).to.equal(colorScheme === 'dark' ? 'rgb(22, 22, 22)' : 'rgb(255, 255, 255)');
    await watched.screenshot(`sign-in-${name}-${colorScheme}`);
  };
  /** Those of the application, which is elsewhere, are none. */
  const ownTroubles = () => watched.troubles.filter((line) => !line.includes(new URL(redirectUri).host));

  it('take a name and a password by the keyboard alone, and go back to the application', async () => {
    const caller = await controller.newCaller({});
    await begin();
    expect(await page.evaluate('document.activeElement.id'), 'where the keyboard is').to.equal('username');
    await page.keyboard.type(caller.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(caller.password);
    await page.keyboard.press('Enter');
    expect(await userBehind()).to.equal(caller.id);
    expect(ownTroubles()).to.deep.equal([]);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`are accessible on a telephone, ${colorScheme}, with and without a fault, and for a code`, async () => {
      const caller = await controller.newCaller({});
      await page.setViewportSize({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme });
      await begin();
      await checkPage(colorScheme, 'password');
      await signInAs({ ...caller, password: 'wrong' });
      await page.getByRole('alert').waitFor();
      await checkPage(colorScheme, 'fault');
      await enrollTotp(caller.client);
      await signInAs(caller);
      await page.getByRole('heading', { name: 'Second factor' }).waitFor();
      await checkPage(colorScheme, 'code');
      // The refused password is a failed request in the eyes of a browser.
      expect(ownTroubles().filter((line) => !line.includes('401'))).to.deep.equal([]);
    });

  it('say that a login failed, where screen readers say it, and take the next', async () => {
    const caller = await controller.newCaller({});
    await begin();
    await signInAs({ ...caller, password: 'wrong' });
    expect(await page.getByRole('alert').innerText()).to.equal('The login failed.');
    expect(await page.getByLabel('Password').getAttribute('aria-describedby')).to.equal('fault');
    expect(await page.getByLabel('Password').inputValue()).to.equal('');
    expect(returned).to.deep.equal([]);
    await signInAs(caller);
    expect(await userBehind()).to.equal(caller.id);
  });

  it('ask for the code of a second factor, again after a wrong one', async () => {
    const caller = await controller.newCaller({});
    const { secret } = await enrollTotp(caller.client);
    await controller.database.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [caller.id]);
    await begin();
    await signInAs(caller);
    const give = async (code: string) => {
      await page.getByLabel('Code of your authenticator app').fill(code);
      await page.getByRole('button', { name: 'Give code' }).press('Enter');
    };
    await give('000000');
    expect(await page.getByRole('alert').innerText()).to.equal('The code was not accepted.');
    await watched.screenshot('sign-in-code');
    expect(returned).to.deep.equal([]);
    await give(codeAt(secret));
    expect(await userBehind()).to.equal(caller.id);
  });

  it('run no script that comes into them, and send their form nowhere else', async () => {
    await begin();
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'window.isBroken = true';
      document.body.append(script);
      document.forms[0].action = 'https://127.0.0.1:1/steal';
      document.forms[0].submit();
    }`);
    await until('the policy refuses', () => watched.troubles.join('\n').includes('form-action'));
    expect(await page.evaluate('window.isBroken')).to.equal(undefined);
    expect(watched.troubles.join('\n')).to.include('script-src');
    expect(watched.requests.join('\n')).to.not.include('steal');
  });

  it('have a language, a title, one heading, and a name for each field', async () => {
    await begin();
    expect(await page.locator('html').getAttribute('lang')).to.equal('en');
    expect(await page.title()).to.equal('Sign in – Edge Controller');
    expect(await page.getByRole('heading').allInnerTexts()).to.deep.equal(['Sign in']);
    expect(await page.getByRole('main').count()).to.equal(1);
    for (const field of await page.locator('input:not([type=hidden])').all())
      expect(await page.locator(`label[for=${(await field.getAttribute('id')) ?? ''}]`).count()).to.equal(1);
    await page.setViewportSize({ width: 320, height: 480 });
    expect(await page.evaluate('document.documentElement.scrollWidth'), 'fits a small screen').to.be.at.most(320);
  });
});
