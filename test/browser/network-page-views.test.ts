/** The pages of the network page: what they show of a company's network, for everybody who may look. In Chromium. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { WatchedPage } from '../support/browser.js';
import { expectStatus } from '../support/client.js';
import type { TestController } from '../support/controller.js';
import { buildCompany } from '../support/network-scene.js';
import type { CompanyNetwork } from '../support/network-scene.js';
import { MANAGEMENT } from '../support/paths.js';
import { expectAxeContent, enter, expectNoSideways, goTo, heading, useNetworkPage } from './network-page-support.js';

const id = (record: Readonly<Record<string, string>>, name: string): string => record[name] ?? '';

describe('the pages of the network page', function networkPageViews() {
  this.timeout(120_000);
  this.retries(1);
  let controller: TestController;
  let watched: WatchedPage;
  let page: Page;
  let company: CompanyNetwork;
  useNetworkPage(
    (scene) => {
      ({ controller, watched, page } = scene);
    },
    async (started) => {
      company = await buildCompany(started);
    },
  );

  const places = () =>
    [
      ['#/', 'Overview', 'Routers online'],
      ['#/access', 'Who reaches what', 'engineers-code'],
      [`#/access?sel=p%3A${id(company.policies, 'engineers-code')}`, 'Who reaches what', '10 of 10 pairs work'],
      ['#/network', 'Network', 'berlin'],
      ['#/changes', 'Changes', 'contractors-code'],
      ['#/jobs', 'Jobs', 'Publish a service'],
      [`#/identity/${id(company.identities, 'dev-laptop-4')}`, 'dev-laptop-4', 'grafana'],
      [`#/service/${id(company.services, 'git')}`, 'git', 'git.internal'],
      [`#/policy/${id(company.policies, 'sales-crm')}`, 'sales-crm', '#sales'],
      ['#/router/berlin', 'berlin', 'online'],
      [`#/why/${id(company.identities, 'ops-station')}/${id(company.services, 'prod-db')}`, 'Why', 'Service policies'],
    ] as const;

  it('have nothing that axe finds, in both themes, and fit a window of 390 pixels', async () => {
    await enter(page, controller.url);
    for (const [hash, title, text] of places()) {
      await goTo(page, hash);
      await heading(page, title);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      await expectAxeContent(page, hash);
      await page.setViewportSize({ width: 390, height: 844 });
      await expectNoSideways(page);
      await page.setViewportSize({ width: 1280, height: 900 });
    }
    expect(watched.troubles).to.deep.equal([]);
  });

  it('show what nobody uses, and lead to it', async () => {
    await enter(page, controller.url);
    const panel = page.getByRole('region', { name: 'Not used for 90 days' });
    await panel.getByText('last used 4 months ago').waitFor();
    await panel.getByText('last used 7 months ago').waitFor();
    await panel.getByRole('link', { name: 'artifacts' }).press('Enter');
    await heading(page, 'artifacts');
    await goTo(page, '#/');
    await panel.getByRole('link', { name: 'ben.okafor' }).press('Enter');
    await heading(page, 'ben.okafor');
  });

  it('show who reaches what as the controller says it, in words too', async () => {
    await enter(page, controller.url);
    await goTo(page, '#/access');
    const row = (of: string, to: string) => page.getByRole('row').filter({ hasText: of }).filter({ hasText: to });
    await row('#engineering', '#code').getByText('allowed').waitFor();
    await row('#contractors', '#code').getByText('stopped by posture').waitFor();
    await row('#operations', '#production').getByText('no router or host').waitFor();
    expect(await page.locator('path.edge.posture').count()).to.be.greaterThan(0);
    expect(await page.locator('path.edge.unreachable').count()).to.be.greaterThan(0);
    await page.getByLabel('Show', { exact: true }).selectOption('blocked');
    await row('#engineering', '#code').waitFor({ state: 'detached' });
    await row('#contractors', '#code').waitFor();
    await page.getByLabel('Show', { exact: true }).selectOption('');
    await page.getByLabel('Search', { exact: true }).fill('sales');
    await page.getByRole('link', { name: 'sales-crm' }).waitFor();
    await page.getByRole('link', { name: 'engineers-code' }).waitFor({ state: 'detached' });
  });

  it('lead from the picture to one identity, and from there to why', async () => {
    await enter(page, controller.url);
    await goTo(page, '#/access');
    await page.getByLabel('Name', { exact: true }).fill('contractor-7');
    await page.getByText('identity contractor-7').waitFor();
    await page
      .getByRole('link', { name: /^contractor-7/ })
      .first()
      .press('Enter');
    await page.getByRole('link', { name: 'Why: git' }).press('Enter');
    await heading(page, 'Why');
    await page.getByText('contractor-7 cannot dial git').waitFor();
    await page.getByText('To do:').waitFor();
  });

  it('show changes as they happen, with before and after', async () => {
    await enter(page, controller.url);
    await goTo(page, '#/changes');
    await page.getByText('Live', { exact: true }).waitFor();
    const tags = { floor: 'third' };
    expectStatus(
      await controller.admin.patch(`${MANAGEMENT}/identities/${id(company.identities, 'host-lisbon')}`, { tags }),
      200,
    );
    const item = page.getByRole('listitem').filter({ hasText: 'host-lisbon' }).filter({ hasText: 'changed' }).first();
    await item.getByRole('button', { name: 'More' }).press('Enter');
    await item.getByText('third').waitFor();
    await page.getByLabel('To what').selectOption('servicePolicy');
    await page.getByText('that fit the filter').waitFor();
    await item.waitFor({ state: 'detached' });
  });

  it('show routers, links and circuits, and a router that goes', async () => {
    await enter(page, controller.url);
    await goTo(page, '#/network');
    await page.getByText('3 of 4 routers online, 3 links, 3 circuits.').waitFor();
    await page.getByText('9.4 ms').filter({ visible: true }).first().waitFor();
    await page.getByText('berlin → lisbon').first().waitFor();
    const sql = "DELETE FROM router_channels WHERE router_id = 'oslo' RETURNING *";
    const { rows } = await controller.database.query(sql);
    await page.getByText('2 of 4 routers online').waitFor();
    await controller.database.query(
      'INSERT INTO router_channels SELECT * FROM jsonb_populate_record(NULL::router_channels, $1::jsonb)',
      [JSON.stringify(rows[0])],
    );
    await page.getByText('3 of 4 routers online').waitFor();
  });

  it('can be used by the keyboard alone, with the focus in sight', async () => {
    await enter(page, controller.url);
    const focused = async () => (await page.evaluate<string>('document.activeElement.textContent')).trim();
    for (const name of ['Skip to the page', 'Edge Controller', 'Overview', 'Who reaches what']) {
      await page.keyboard.press('Tab');
      expect(await focused()).to.equal(name);
      const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
      expect(outline, name).to.equal('solid');
    }
    await page.keyboard.press('Enter');
    await heading(page, 'Who reaches what');
    expect(await page.evaluate<string>('document.activeElement.tagName')).to.equal('H1');
    await goTo(page, '#/jobs');
    const begin = page.getByRole('button', { name: 'Unlock' });
    await begin.press('Enter');
    await page.getByRole('dialog', { name: 'Unlock' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate<boolean>("document.activeElement.textContent.includes('Unlock')")).to.equal(true);
  });

  it('offer a delegate what its permissions cover, and nothing that would be refused', async () => {
    const caller = await controller.newCaller({ permissions: ['service-policy.read', 'service.read', 'audit.read'] });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    await enter(page, controller.url, caller);
    await goTo(page, '#/access');
    await page.getByRole('link', { name: 'engineers-code' }).waitFor();
    expect(await page.getByRole('button', { name: 'Give or take access' }).count()).to.equal(0);
    expect(await page.getByRole('navigation').getByText('Network').count()).to.equal(0);
    await goTo(page, '#/jobs');
    await page.getByText('Your rights cover none of the jobs.').waitFor();
    await goTo(page, '#/network');
    await page.getByText('Your rights do not cover this page.').waitFor();
    expect(refused).to.deep.equal([]);
  });
});
