/** What suites of the network page share: a controller, a browser, a page for each test, and what is never right. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { endBrowser, openPage, startBrowser } from '../support/browser.js';
import type { WatchedPage } from '../support/browser.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';

export interface NetworkPageScene {
  readonly controller: TestController;
  readonly window: BrowserContext;
  readonly watched: WatchedPage;
  readonly page: Page;
}

/**
 * For the suite in which this is called.
 * @param take  called before each test
 * @param prepare  called once, before the first
 */
export function useNetworkPage(
  take: (scene: NetworkPageScene) => void,
  prepare: (controller: TestController) => Promise<void> = async () => undefined,
): void {
  let controller: TestController | undefined;
  let window: BrowserContext | undefined;
  let watched: WatchedPage | undefined;
  before(async () => {
    [controller, window] = await Promise.all([startTestController(), startBrowser()]);
    await prepare(controller);
  });
  after(async () => {
    await endBrowser(window);
    await controller?.stop();
  });
  beforeEach(async () => {
    if (controller === undefined || window === undefined) throw new Error('the suite has not started');
    watched = await openPage(window, controller.url);
    take({ controller, window, watched, page: watched.page });
  });
  afterEach(async function afterTest() {
    if (this.currentTest?.state === 'failed') await watched?.screenshot('network-page-failed');
    await watched?.close();
  });
}

export async function signInAs(
  page: Page,
  url: string,
  { username, password }: { readonly username: string; readonly password: string } = ADMIN,
): Promise<void> {
  await page.goto(`${url}/`);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).press('Enter');
}

/** Signs in, and waits until the overview is there. */
export async function enter(
  page: Page,
  url: string,
  caller?: { readonly username: string; readonly password: string },
): Promise<void> {
  await signInAs(page, url, caller);
  await heading(page, 'Overview');
}

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Goes to an address within the page, as a link there does. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** Findings of axe on what is shown, a line each. @param rules  all of them without a name */
async function axeFindings(page: Page, rules?: string): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: [rules] }) };
  const { violations } = await page.evaluate<{ violations: readonly AxeFinding[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')} ${failureSummary.split('\n')[1] ?? ''}`),
  );
}

/** Axe finds nothing, in both themes; the dark one differs in its colours alone. */
export async function expectAxeContent(page: Page, what: string): Promise<void> {
  await page.evaluate(`if (window.axe === undefined) { ${AXE} };0`);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await axeFindings(page), `${what}, light`).to.deep.equal([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await axeFindings(page, 'color-contrast'), `${what}, dark`).to.deep.equal([]);
}

/** Nothing is wider than the window. */
export async function expectNoSideways(page: Page): Promise<void> {
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  expect(wide, 'pixels beyond the window').to.be.at.most(0);
}
