/** The API explorer as users see it. Against a whole controller, in Chromium. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { BROWSER_VARIABLE, findBrowser } from '../support/browser.js';
import type { WatchedPage } from '../support/browser.js';
import { expectStatus } from '../support/client.js';
import { until } from '../support/poll.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { useExplorer } from './explorer-support.js';

describe('finding a browser', () => {
  it('takes the one that the environment names', () => {
    expect(findBrowser({ [BROWSER_VARIABLE]: '/opt/browser' }, () => true)).to.equal('/opt/browser');
  });

  it('does not fall back when the one that is named does not exist', () => {
    expect(() => findBrowser({ [BROWSER_VARIABLE]: '/opt/browser' }, (path) => path !== '/opt/browser')).to.throw(
      '/opt/browser, which does not exist',
    );
  });

  it('takes one from PATH', () => {
    expect(findBrowser({ PATH: '/bin:/snap/bin' }, (path) => path === '/snap/bin/chromium')).to.equal(
      '/snap/bin/chromium',
    );
  });

  it('tells how to install one when there is none', () => {
    expect(() => findBrowser({ PATH: '/bin' }, () => false)).to.throw('apt-get install -y chromium');
  });
});

describe('the API explorer in a browser', function explorer() {
  this.timeout(180_000);
  // Chromium on a busy machine sometimes draws no more frames for a page (seen once in some hundred runs): each test
  // gets a second page. What the explorer itself does wrong, it does wrong twice.
  this.retries(1);
  let controller: TestController;
  let watched: WatchedPage;
  let page: Page;
  useExplorer((started, opened) => {
    [controller, watched, page] = [started, opened, opened.page];
  });

  const open = async (path = '/docs', title = 'Edge Management API') => {
    await page.goto(controller.url + path);
    await page.locator('.info .title', { hasText: title }).waitFor();
    await page.locator('.opblock-tag').first().waitFor();
  };
  /** The smaller document, where it does not matter: a page of the other takes much longer to draw. */
  const openClient = () => open('/docs?urls.primaryName=Client+API', 'Edge Client API');
  const choose = async (label: string, title: string) => {
    await page.locator('.topbar select').selectOption({ label });
    await page.locator('.info .title', { hasText: title }).waitFor();
  };
  /** By keyboard: a click waits for the page to lie still, which an animation can put off. */
  const press = (button: Locator) => button.press('Enter');
  const tryOut = (block: Locator) => press(block.getByRole('button', { name: 'Try it out' }));
  const signIn = async (username: string, password: string) => {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await press(page.getByRole('button', { name: 'Sign in' }));
  };
  const status = (text: string) => page.locator('#status', { hasText: text }).waitFor();
  const operation = (tag: string, operationId: string): Locator =>
    page.locator(`[id="operations-${tag}-${operationId}"]`);
  /** Runs an opened operation as it is; returns its status and body. */
  const execute = async (block: Locator) => {
    await press(block.getByRole('button', { name: 'Execute' }));
    const row = block.locator('.live-responses-table tbody tr').first();
    await row.waitFor();
    return {
      status: await row.locator('.response-col_status').innerText(),
      body: await row.locator('pre').first().innerText(),
    };
  };
  const isAuthorized = async (): Promise<boolean> =>
    ((await page.locator('.btn.authorize').getAttribute('class')) ?? '').split(' ').includes('locked');

  it('shows the management document without an error, a breach of its policy or a call elsewhere', async () => {
    await open();
    await watched.screenshot('explorer-management');
    expect(await page.locator('.opblock-tag').count()).to.be.greaterThan(20);
    expect(await page.title()).to.equal('Edge Controller API');
    expect(watched.troubles).to.deep.equal([]);
  });

  it('shows the client document without an error, a breach of its policy or a call elsewhere', async () => {
    await open();
    await choose('Client API', 'Edge Client API');
    await watched.screenshot('explorer-client');
    expect(watched.requests).to.include('GET /edge/client/v1/swagger.json');
    expect(watched.troubles).to.deep.equal([]);
  });

  for (const [label, api, title] of [
    ['Management API', 'management', 'Edge Management API'],
    ['Client API', 'client', 'Edge Client API'],
  ] as const) {
    it(`shows every operation of the ${label}`, async () => {
      const { paths } = (await controller.anonymous.get(`/edge/${api}/v1/swagger.json`)).json as {
        paths: Record<string, Record<string, { operationId?: string; tags?: string[] }>>;
      };
      const operations = Object.values(paths)
        .flatMap((item) => Object.values(item))
        .filter((item) => item.operationId !== undefined);
      const shown = async () => [
        ...new Set(
          (await page.locator('.opblock-summary-operation-id').allInnerTexts()).map((text) =>
            text.replaceAll('\u200b', ''),
          ),
        ),
      ];
      // Swagger UI renders only what the window shows: make it high enough for every operation.
      await page.setViewportSize({ width: 1280, height: 2000 + operations.length * 80 });
      await open(`/docs?urls.primaryName=${label.replace(' ', '+')}`, title);
      const tags = new Set(operations.flatMap((item) => item.tags ?? []));
      await until('all tags', async () => (await page.locator('.opblock-tag').count()) === tags.size);
      for (const tag of await page.locator('.opblock-tag').all()) await tag.click();
      await until('all operations', async () => (await shown()).length === operations.length);
      expect((await shown()).sort()).to.deep.equal(operations.map((item) => item.operationId).sort());
      expect(watched.troubles).to.deep.equal([]);
    });
  }

  for (const [label, title, path] of [
    ['Management API (OpenAPI 3.1)', 'Edge Management API', `${MANAGEMENT}/openapi.json`],
    ['Client API (OpenAPI 3.1)', 'Edge Client API', `${CLIENT}/openapi.json`],
  ] as const) {
    it(`shows the ${label} without an error, and runs an operation of it`, async () => {
      await page.goto(
        `${controller.url}/docs?urls.primaryName=${encodeURIComponent(label)}#/Informational/listVersion`,
      );
      await page.locator('.info .title', { hasText: title }).waitFor();
      await page.locator('.info .version-stamp', { hasText: 'OAS 3.1' }).waitFor();
      const block = operation('Informational', 'listVersion');
      await tryOut(block);
      const answer = await execute(block);
      expect(answer.status).to.equal('200');
      expect(answer.body).to.include('EDGE_CONTROLLER');
      expect(watched.requests).to.include(`GET ${path}`);
      expect(watched.troubles).to.deep.equal([]);
    });
  }

  it('keeps the session when the other form of a document is chosen', async () => {
    await open();
    await signIn(ADMIN.username, ADMIN.password);
    await status('Signed in as');
    await choose('Management API (OpenAPI 3.1)', 'Edge Management API');
    await until('the other form is authorized too', isAuthorized);
    await page.locator('.info .version-stamp', { hasText: 'OAS 3.1' }).waitFor();
    await page.locator('.opblock-tag', { hasText: 'Current Identity' }).click();
    const block = operation('Current_Identity', 'getCurrentIdentity');
    await block.locator('.opblock-summary-control').first().click();
    await tryOut(block);
    expect((await execute(block)).body).to.include('"name": "Default Admin"');
    expect(watched.troubles).to.deep.equal([]);
  });

  it('signs an administrator in through the form, and runs a list with that session', async () => {
    await open('/docs#/Identity/listIdentities');
    await signIn(ADMIN.username, ADMIN.password);
    await status('Signed in as admin');
    expect(await isAuthorized()).to.equal(true);
    const block = operation('Identity', 'listIdentities');
    await tryOut(block);
    await block.getByPlaceholder('filter').fill('name = "Default Admin"');
    const answer = await execute(block);
    await block.locator('.live-responses-table').scrollIntoViewIfNeeded();
    await watched.screenshot('explorer-list');
    expect(answer.status).to.equal('200');
    expect(answer.body).to.include('"name": "Default Admin"');
    expect(watched.requests.at(-1)).to.match(
      /^GET \/edge\/management\/v1\/identities\?.*filter=name%20%3D%20%22Default%20Admin%22/,
    );
    expect(watched.troubles).to.deep.equal([]);
  });

  it('keeps the session when the other document is chosen', async () => {
    await open();
    await signIn(ADMIN.username, ADMIN.password);
    await status('Signed in as');
    await choose('Client API', 'Edge Client API');
    await until('the client document is authorized too', isAuthorized);
    await page.locator('.opblock-tag', { hasText: 'Current Identity' }).click();
    const block = operation('Current_Identity', 'getCurrentIdentity');
    await block.locator('.opblock-summary-control').first().click();
    await tryOut(block);
    const answer = await execute(block);
    expect(answer.status).to.equal('200');
    expect(answer.body).to.include('"name": "Default Admin"');
    expect(watched.troubles).to.deep.equal([]);
  });

  it('takes a token that authenticate answered, pasted into the dialog', async () => {
    await open('/docs#/Authentication/authenticate');
    const login = operation('Authentication', 'authenticate');
    await tryOut(login);
    await login.locator('select').first().selectOption('password');
    await login.locator('textarea.body-param__text').fill(JSON.stringify(ADMIN));
    const { status: code, body } = await execute(login);
    expect(code).to.equal('200');
    const {
      data: { token },
    } = JSON.parse(body) as { data: { token: string } };

    await page.locator('.btn.authorize').click();
    const dialog = page.locator('.auth-container', { hasText: 'ztSession' });
    await dialog.locator('input').fill(token);
    await watched.screenshot('explorer-authorize');
    await dialog.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).first().click();

    await page.locator('.opblock-tag', { hasText: 'Service Policy' }).click();
    const list = operation('Service_Policy', 'listServicePolicies');
    await list.locator('.opblock-summary-control').first().click();
    await tryOut(list);
    expect((await execute(list)).status).to.equal('200');
    expect(watched.troubles).to.deep.equal([]);
  });

  it('creates an entity with a body that a person types', async () => {
    const name = unique('service');
    await open('/docs#/Service/createService');
    await signIn(ADMIN.username, ADMIN.password);
    await status('Signed in as');
    const block = operation('Service', 'createService');
    await tryOut(block);
    await block.locator('textarea.body-param__text').fill(JSON.stringify({ name, encryptionRequired: true }));
    expect((await execute(block)).status).to.equal('201');
    const list = expectStatus(
      await controller.admin.get(`/edge/management/v1/services?filter=${encodeURIComponent(`name = "${name}"`)}`),
      200,
    );
    expect(list.data).to.have.length(1);
    expect(watched.troubles).to.deep.equal([]);
  });

  it('shows what came back when a session lacks the right', async () => {
    const caller = await controller.newCaller();
    await open('/docs#/Identity/listIdentities');
    await signIn(caller.username, caller.password);
    await status(`Signed in as ${caller.username}`);
    const block = operation('Identity', 'listIdentities');
    await tryOut(block);
    const answer = await execute(block);
    expect(answer.status).to.match(/^401/);
    expect(answer.body).to.include('UNAUTHORIZED');
  });

  it('says so when the password is wrong, forgets it and stays signed out', async () => {
    await openClient();
    await signIn(ADMIN.username, 'not the password');
    await status('Username or password is wrong');
    await watched.screenshot('explorer-refused');
    expect(await page.getByLabel('Password').inputValue()).to.equal('');
    expect(await isAuthorized()).to.equal(false);
  });

  it('ends the session on the controller at sign-out', async () => {
    const caller = await controller.newCaller();
    const sessions = async () =>
      expectStatus(
        await controller.admin.get(
          `/edge/management/v1/api-sessions?filter=${encodeURIComponent(`identity = "${caller.id}"`)}`,
        ),
        200,
      ).meta.pagination?.totalCount;
    const before = await sessions();
    await openClient();
    await signIn(caller.username, caller.password);
    await status('Signed in as');
    expect(await sessions()).to.equal((before ?? 0) + 1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await status('Not signed in');
    await until('the session is gone', async () => (await sessions()) === before);
    expect(await isAuthorized()).to.equal(false);
    expect(watched.troubles).to.deep.equal([]);
  });

  it('keeps no credential in the browser: not in storage, cookies or the address', async () => {
    await openClient();
    await signIn(ADMIN.username, ADMIN.password);
    await status('Signed in as');
    const { token, stored } = await page.evaluate<{ token: string; stored: string }>(`({
      token: window.ui.authSelectors.authorized().getIn(['ztSession', 'value']),
      stored: JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    })`);
    expect(token).to.be.a('string').with.length.greaterThan(20);
    expect(stored).not.to.include(token).and.not.to.include(ADMIN.password);
    expect(await page.context().cookies()).to.deep.equal([]);
    await page.reload();
    await status('Not signed in');
  });

  it('filters operations', async () => {
    await open();
    await page.getByPlaceholder('Filter by tag').fill('Terminator');
    await until('only what matches is left', async () => {
      const texts = await page.locator('.opblock-tag').allInnerTexts();
      return texts.length > 0 && texts.length < 5 && texts.some((text) => text.startsWith('Terminator'));
    });
    await watched.screenshot('explorer-filter');
    expect(watched.troubles).to.deep.equal([]);
  });

  it('opens an operation by its link, in the document that the link names', async () => {
    await open('/docs?urls.primaryName=Client+API#/Current%20API%20Session/getCurrentAPISession', 'Edge Client API');
    await operation('Current_API_Session', 'getCurrentAPISession').locator('.opblock-body').waitFor();
    expect(watched.troubles).to.deep.equal([]);
  });

  it('asks the address of the page even when the network advertises another', async () => {
    await open('/docs#/Informational/listVersion');
    expect(await page.locator('.info .base-url').innerText()).to.include(new URL(controller.url).host);
    const served = (await controller.anonymous.get(`${MANAGEMENT}/swagger.json`)).json as { host: string };
    expect(served.host).to.equal('localhost:1280');
  });

  it('runs no script but its own', async () => {
    await openClient();
    await page.evaluate(
      "(() => { const script = document.createElement('script'); script.textContent = 'window.intruder = true'; " +
        'document.body.append(script); })()',
    );
    expect(await page.evaluate('window.intruder')).to.equal(undefined);
    await until('the breach is reported', () => watched.troubles.some((line) => line.startsWith('policy: script-src')));
  });
});

describe('the pages of the API explorer', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  it('allow nothing inline, no other origin and no framing', async () => {
    for (const path of ['/docs', '/docs/', '/docs/start.js', '/docs/explorer.css', '/docs/swagger-ui-bundle.js']) {
      const { headers } = expectStatus(await controller.anonymous.get(path), 200);
      const policy = String(headers['content-security-policy']);
      expect(policy, path)
        .to.include("default-src 'none'")
        .and.to.include("script-src 'self'")
        .and.to.include("frame-ancestors 'none'");
      expect(policy, path).not.to.match(/unsafe|\*|https?:/);
      expect(headers['x-content-type-options'], path).to.equal('nosniff');
    }
  });

  it('are found from the path of each API', async () => {
    for (const path of [`${CLIENT}/docs`, `${MANAGEMENT}/docs`]) {
      const { headers } = expectStatus(await controller.anonymous.get(path), 302);
      expect(headers.location).to.equal('/docs');
    }
  });

  it('answer HEAD without a body', async () => {
    const { text, headers } = expectStatus(await controller.anonymous.send('HEAD', '/docs'), 200);
    expect(text).to.equal('');
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
  });

  it('lead nowhere else on the disk', async () => {
    for (const path of [
      '/docs/package.json',
      '/docs/index.html',
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/..%2fpackage.json',
      '/docsstart.js',
      '/docs/constructor',
    ]) {
      expectStatus(await controller.anonymous.get(path), 404);
    }
  });

  it('are not there when the setting turns them off; the documents are', async () => {
    const quiet = await startTestController({ EDGE_DOCS: 'false' });
    try {
      for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui-bundle.js', `${CLIENT}/docs`])
        expectStatus(await quiet.anonymous.get(path), 404);
      expectStatus(await quiet.anonymous.get(`${CLIENT}/swagger.json`), 200);
    } finally {
      await quiet.stop();
    }
  });
});
