/**
 * Makes the pictures of the docs from the real pages: a controller with a company's network, in Chromium.
 * npm run pictures [FOLDER]   docs/pictures/ without one
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../test/support/setup.js';
import { endBrowser, openPage, startBrowser } from '../test/support/browser.js';
import { ADMIN, startTestController } from '../test/support/controller.js';
import { buildCompany } from '../test/support/network-scene.js';
import type { CompanyNetwork } from '../test/support/network-scene.js';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const SIZE = { width: 1160, height: 720 };

interface Picture {
  readonly name: string;
  readonly hash: string;
  /** Shown when the page is whole. */
  readonly sign: string;
  readonly theme?: 'light' | 'dark';
  readonly height?: number;
}

const picturesOf = ({ identities, policies, services }: CompanyNetwork): readonly Picture[] => [
  { name: 'overview', hash: '#/', sign: 'Dials by the hour', height: 900 },
  {
    name: 'access',
    hash: `#/access?sel=p%3A${policies['contractors-code'] ?? ''}`,
    sign: 'Open the policy',
    height: 760,
  },
  { name: 'network', hash: '#/network', sign: '9.4 ms', theme: 'dark' },
  { name: 'changes', hash: '#/changes', sign: 'on record' },
  { name: 'jobs', hash: '#/jobs', sign: 'Unlock', height: 480 },
  {
    name: 'why',
    hash: `#/why/${identities['contractor-7'] ?? ''}/${services['git'] ?? ''}`,
    sign: 'Service policies',
  },
];

async function take(page: Page, folder: string, { name, hash, sign, theme = 'light', height }: Picture): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.setViewportSize({ ...SIZE, ...(height === undefined ? {} : { height }) });
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByText(sign).filter({ visible: true }).first().waitFor();
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
  await page.mouse.move(0, 0);
  await page.screenshot({ path: resolve(folder, `network-page-${name}.png`) });
  console.log(`network-page-${name}.png`);
}

async function main(folder: string): Promise<void> {
  await mochaGlobalSetup();
  const [controller, window] = await Promise.all([startTestController({ EDGE_NAME: 'ctrl-1' }), startBrowser()]);
  try {
    const company = await buildCompany(controller);
    const { page } = await openPage(window, controller.url);
    await page.goto(`${controller.url}/`);
    await page.getByLabel('Username').fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Sign in' }).press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const picture of picturesOf(company)) await take(page, folder, picture);
  } finally {
    await endBrowser(window);
    await controller.stop();
    await mochaGlobalTeardown();
  }
}

await main(process.argv[2] ?? FOLDER);
