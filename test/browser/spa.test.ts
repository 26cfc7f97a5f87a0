/** A small page that a controller serves from a folder: it logs in and lists, against the APIs at its own address. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrowserContext } from 'playwright-core';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { endBrowser, openPage, startBrowser } from '../support/browser.js';
import type { WatchedPage } from '../support/browser.js';
import { MANAGEMENT } from '../support/paths.js';

/** With what builders put into a page: a script of its own, a style sheet that loads late, styles. */
const INDEX = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><base href="/console/"><title>Small console</title>
<style>#where { color: #123456 }</style>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="late.css" media="print" onload="this.media='all'">
<script>window.base = new URL('.', document.currentScript.baseURI).pathname;</script>
</head><body>
<output id="where"></output><ul id="names"></ul>
<form id="login"><label>Name <input id="name"></label>
<label>Password <input id="password" type="password"></label><button>Log in</button></form>
<script type="module" src="/console/app-5A7XQ2LM.js"></script>
</body></html>`;

const APP = `
document.getElementById('where').textContent = location.pathname.slice(window.base.length) || 'home';
document.getElementById('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  const value = (id) => document.getElementById(id).value;
  const login = await fetch('${MANAGEMENT}/authenticate?method=password', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: value('name'), password: value('password') }),
  });
  const { token } = (await login.json()).data;
  // As the stock console asks for lists.
  const headers = { 'zt-session': token };
  const list = await fetch('${MANAGEMENT}/identities?limit=50&offset=0&sort=name asc', { headers });
  for (const { name } of (await list.json()).data)
    document.getElementById('names').append(Object.assign(document.createElement('li'), { textContent: name }));
  history.pushState(null, '', '/console/identities/of-mine');
});
`;

describe('a console in a browser', function console() {
  this.timeout(120_000);
  // As for the explorer: Chromium sometimes draws no more frames for a page.
  this.retries(1);
  let place: string;
  let controller: TestController;
  let browser: BrowserContext;
  let watched: WatchedPage;

  before(async () => {
    place = mkdtempSync(join(tmpdir(), 'edge-console-'));
    const files = {
      'index.html': INDEX,
      'app-5A7XQ2LM.js': APP,
      'late.css': 'body { margin: 7px }',
      'icon.svg': '<svg/>',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
    const EDGE_SPA = JSON.stringify([{ path: 'console', location: place }]);
    [controller, browser] = await Promise.all([startTestController({ EDGE_SPA }), startBrowser()]);
  });
  after(async () => {
    await endBrowser(browser);
    await (controller as TestController | undefined)?.stop();
    rmSync(place, { recursive: true, force: true });
  });
  beforeEach(async () => {
    watched = await openPage(browser, controller.url);
  });
  afterEach(() => watched.close());

  it('logs in and lists identities, and comes again at the address where it was', async () => {
    const { page, troubles } = watched;
    await page.goto(`${controller.url}/console`);
    await page.locator('#where', { hasText: 'home' }).waitFor();
    await page.getByLabel('Name').fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Log in' }).press('Enter');
    await page.locator('#names li').first().waitFor();
    expect(await page.locator('#names li').allInnerTexts()).to.include('Default Admin');
    await page.reload();
    await page.locator('#where', { hasText: 'identities/of-mine' }).waitFor();
    expect(troubles).to.deep.equal([]);
  });

  it('may use what stands in its page, and nothing that came there otherwise', async () => {
    const { page, troubles } = watched;
    await page.goto(`${controller.url}/console/`);
    await page.locator('#where', { hasText: 'home' }).waitFor();
    await page.waitForFunction("document.styleSheets[1]?.media.mediaText === 'all'");
    expect(troubles).to.deep.equal([]);
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'window.isBroken = true';
      document.body.append(script);
    }`);
    expect(await page.evaluate('window.isBroken')).to.equal(undefined);
    expect(troubles.join('\n')).to.include('script-src');
  });
});
