/** What the suites of the API explorer share: a controller, a browser, and a new page for each test. */
import type { BrowserContext } from 'playwright-core';
import { endBrowser, openPage, startBrowser } from '../support/browser.js';
import type { WatchedPage } from '../support/browser.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';

/**
 * For the suite in which this is called.
 * @param take  called before each test
 */
export function useExplorer(take: (controller: TestController, watched: WatchedPage) => void): void {
  let controller: TestController | undefined;
  let browser: BrowserContext | undefined;
  let watched: WatchedPage | undefined;

  before(async () => {
    [controller, browser] = await Promise.all([startTestController(), startBrowser()]);
  });
  after(async () => {
    await endBrowser(browser);
    await controller?.stop();
  });
  beforeEach(async () => {
    if (controller === undefined || browser === undefined) throw new Error('the suite has not started');
    watched = await openPage(browser, controller.url);
    take(controller, watched);
  });
  afterEach(() => watched?.close());
}
