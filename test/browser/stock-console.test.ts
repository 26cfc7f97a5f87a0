/**
 * The stock administration console, served by a controller with three routers, a link and a circuit: what it shows of
 * them. Links and circuits are lines of its map.
 */
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { ADMIN, startReachable } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectStatus } from '../support/client.js';
import { endBrowser, openPage, startBrowser } from '../support/browser.js';
import type { WatchedPage } from '../support/browser.js';
import { LinkScene, linkTo, measured, report } from '../support/link-scene.js';
import { FABRIC, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { NO_CONSOLE, findStockConsole } from '../support/stock-console.js';
import { describeUnless } from '../support/unless.js';

const location = findStockConsole();

/** What this release of the console does at any controller: it asks other machines for pictures and a font. */
const FROM_ELSEWHERE = /tile\.openstreetmap\.org|fonts\.googleapis\.com/;
/**
 * The same, at its own: a filter that lacks an id, answered 400, a question before it knows its port, and a page that
 * is not there, whose address has the code of its login.
 */
const ITS_OWN = new RegExp(
  [
    /terminators\?limit=1000&filter=identity$/,
    /https:\/\/localhost\/edge\/management\/v1\/version/,
    /^404 GET .*\/auth\/callback\?/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

const lines = (page: Page) => page.locator('.leaflet-overlay-pane path.leaflet-interactive');

describeUnless(location === undefined ? NO_CONSOLE : undefined, 'the stock console', function stockConsole() {
  this.timeout(120_000);
  // As for the explorer: Chromium sometimes draws no more frames for a page.
  this.retries(1);
  let controller: TestController;
  let browser: BrowserContext;
  let scenes: LinkScene;
  let watched: WatchedPage;
  let circuitId: string;
  /** What the controller refused, a line each. */
  const refused: string[] = [];

  before(async () => {
    const EDGE_SPA = JSON.stringify([{ path: 'zac', location }]);
    [controller, browser] = await Promise.all([startReachable({ EDGE_SPA }), startBrowser()]);
    scenes = new LinkScene(controller);
    await scenes.begin();
    circuitId = await traffic();
  });
  after(async () => {
    await endBrowser(browser);
    await (scenes as LinkScene | undefined)?.end();
    await (controller as TestController | undefined)?.stop();
  });
  beforeEach(async () => {
    refused.length = 0;
    watched = await openPage(browser, controller.url);
    watched.page.on('response', (response) => {
      const line = `${response.status()} ${response.request().method()} ${response.url()}`;
      if (response.status() >= 400 && !ITS_OWN.test(line)) refused.push(line);
    });
  });
  afterEach(async function afterTest() {
    if (this.currentTest?.state === 'failed') await watched.screenshot('stock-console');
    await watched.page.evaluate('localStorage.clear()');
    await watched.close();
  });

  const list = async (path: string) =>
    expectStatus(await controller.admin.get(path), 200).data as { id: string; name: string }[];

  /** Everything has a place on the map; a link lies between two routers, and a circuit goes over it. */
  async function traffic(): Promise<string> {
    const made = await scenes.scene();
    const { first, second } = made;
    report(first, [linkTo(second, 'link-one')]);
    measured(first, { 'link-one': 3 });
    measured(second, { 'link-one': 4 });
    await until('the link is listed', async () => (await list(`${FABRIC}/links`)).length === 1);
    const { answer } = await scenes.dialed(made, [first, second]);
    await until('the circuit is listed', async () => (await list(`${FABRIC}/circuits`)).length === 1);
    let place = 0;
    for (const kind of ['edge-routers', 'identities'])
      for (const { id } of await list(`${MANAGEMENT}/${kind}`)) {
        const tags = { geolocation: `${36 + (place % 3)},${-100 + 2 * (place += 1)}` };
        expectStatus(await controller.admin.patch(`${MANAGEMENT}/${kind}/${id}`, { tags }), 200);
      }
    return answer.circuitId;
  }

  async function login({ page }: WatchedPage): Promise<void> {
    await page.goto(`${controller.url}/zac/`);
    await page.getByPlaceholder('Enter your admin username').fill(ADMIN.username);
    await page.getByPlaceholder('Enter your admin password').fill(ADMIN.password);
    await page.keyboard.press('Enter');
    await page.locator('.map-legend').waitFor();
  }

  /** Everything that went wrong and is the controller's. */
  const faults = () => [
    ...refused,
    ...watched.troubles.filter((line) => line.startsWith('script:') && !FROM_ELSEWHERE.test(line)),
  ];

  it('logs in and counts what there is, and shows links and circuits on its map', async () => {
    const { page } = watched;
    const [links, circuits] = await Promise.all([
      page.waitForResponse((answer) => /fabric\/v1\/+links/.test(answer.url())),
      page.waitForResponse((answer) => /fabric\/v1\/+circuits/.test(answer.url())),
      login(watched),
    ]);
    expect([links.status(), circuits.status()]).to.deep.equal([200, 200]);
    expect(await links.text()).to.include('link-one');
    expect(await circuits.text()).to.include(circuitId);
    await page.locator('.map-legend').waitFor();
    await page
      .getByText(/^\s*3\s*Routers\s*$/)
      .first()
      .waitFor();
    for (const layer of ['Router Links', 'Active Services']) {
      const shown = await lines(page).count();
      await page.locator('.legend-item', { hasText: layer }).locator('.tSelect').click();
      await until(`${layer} are drawn`, async () => (await lines(page).count()) > shown);
    }
    expect(faults()).to.deep.equal([]);
  });

  it('lists routers as they are', async () => {
    const { page } = watched;
    await login(watched);
    await page.goto(`${controller.url}/zac/routers`);
    for (const index of [0, 1, 2]) await page.getByText(scenes.enrolled(index).name).first().waitFor();
    await page.getByText('v2.0.3').first().waitFor();
    await page.goto(`${controller.url}/zac/network-visualizer`);
    await page.getByText('Edge Routers(3)').waitFor();
    expect(faults()).to.deep.equal([]);
  });
});
