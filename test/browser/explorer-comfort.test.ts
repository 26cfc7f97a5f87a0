/** What makes the API explorer pleasant: folded text, narrow windows, dark themes, and commands that can be pasted. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ADMIN } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { useExplorer } from './explorer-support.js';

describe('the API explorer at a glance', function explorerComfort() {
  this.timeout(120_000);
  // As in explorer.test.ts: a page of Chromium may stop to draw on a busy machine.
  this.retries(1);
  let controller: TestController;
  let page: Page;
  useExplorer((started, { page: opened }) => {
    [controller, page] = [started, opened];
  });

  const open = async (hash = '') => {
    await page.goto(`${controller.url}/docs?urls.primaryName=Client+API${hash}`);
    await page.locator('.opblock-tag').first().waitFor();
  };

  it('folds the description, and unfolds it as running text', async () => {
    await open();
    const description = page.locator('.info .description');
    expect(await description.isVisible()).to.equal(false);
    const about = page.getByRole('button', { name: 'About this API' });
    await about.press('Enter');
    await description.waitFor();
    expect(await about.getAttribute('aria-expanded')).to.equal('true');
    expect(await description.locator('br').count()).to.equal(0);
    await about.press('Enter');
    expect(await description.isVisible()).to.equal(false);
  });

  it('fits a window of 390 pixels', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open();
    const box = await page.locator('.topbar select').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 999)).to.be.at.most(390);
  });

  it('has dark fields in a dark theme', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await open();
    const field = 'getComputedStyle(document.getElementById("username")).backgroundColor';
    expect(await page.evaluate<string>(field)).to.equal('rgb(43, 43, 43)');
  });

  it('prints commands that work when they are pasted', async () => {
    await open('#/Current%20API%20Session/getCurrentAPISession');
    await page.getByLabel('Username').fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Sign in' }).press('Enter');
    await page.locator('#status', { hasText: 'Signed in as' }).waitFor();
    const block = page.locator('[id$="getCurrentAPISession"].opblock');
    await block.getByRole('button', { name: 'Try it out' }).press('Enter');
    await block.getByRole('button', { name: 'Execute' }).press('Enter');
    const trust = await block.locator('.trust code').innerText();
    const command = await block.locator('.curl').innerText();
    const script = `cd "$(mktemp -d)" && ${trust} && ${command} -sS`;
    // The controller answers in this process: nothing may wait for the command here.
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    expect(stdout).to.include('"token"');
  });
});
