/** The jobs of the network page, each to its end: what is there afterwards is asked of the API. In Chromium. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { expectStatus } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, read } from '../support/entities.js';
import { makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, enroll } from '../support/scripted-router.js';
import { expectAxeContent, enter, expectNoSideways, goTo, heading, useNetworkPage } from './network-page-support.js';

describe('the jobs of the network page', function networkPageJobs() {
  this.timeout(120_000);
  this.retries(1);
  let controller: TestController;
  let page: Page;
  useNetworkPage((scene) => {
    ({ controller, page } = scene);
  });

  const list = async (path: string) => itemsOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/${path}`), 200));
  const named = async (collection: string, name: string) =>
    (await list(`${collection}?filter=${encodeURIComponent(`name="${name}"`)}`))[0];

  /** Opens a job, and looks at its dialog in both themes and on a phone. */
  async function open(title: string): Promise<Locator> {
    await enter(page, controller.url);
    await goTo(page, '#/jobs');
    await heading(page, 'Jobs');
    await page.getByRole('button', { name: title }).press('Enter');
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.waitFor();
    await well(title);
    return dialog;
  }

  async function well(what: string): Promise<void> {
    await expectAxeContent(page, what);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  const press = (dialog: Locator, name: string) => dialog.getByRole('button', { name, exact: true }).press('Enter');

  it('add a device: its token comes as a file, as text and as a QR code', async () => {
    const name = unique('device');
    const dialog = await open('Add a person or device');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Roles', { exact: true }).fill('sales');
    await dialog.getByLabel('Roles', { exact: true }).press('Enter');
    await dialog.getByText('#sales').waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).last().press('Enter');
    await dialog.getByText(`${name} is there.`).waitFor();
    const jwt = await dialog.locator('pre').textContent();
    expect(jwt).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    await dialog.getByRole('img', { name: `QR code of the enrollment token of ${name}` }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: 'Save as a file' }).click(),
    ]);
    expect(download.suggestedFilename()).to.equal(`${name}.jwt`);
    expect(readFileSync(await download.path(), 'utf8')).to.equal(jwt);
    await well('its token');
    expect((await named('identities', name))?.['roleAttributes']).to.deep.equal(['sales']);
  });

  it('say what is wrong with a name, and keep what was typed', async () => {
    const name = unique('taken');
    await makeIdentity(controller, { name });
    const dialog = await open('Add a person or device');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByRole('button', { name: 'Add', exact: true }).last().press('Enter');
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).to.equal(name);
  });

  it('publish a service: shows what it makes, makes it, and leaves nothing of a failure', async () => {
    const [name, host] = [unique('wiki'), unique('host')];
    const hostId = await makeIdentity(controller, { name: host });
    const dialog = await open('Publish a service');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Address that clients use').fill('wiki.internal');
    await dialog.getByLabel('Port', { exact: true }).fill('443');
    await dialog.getByLabel('Host: one identity').fill(host);
    await dialog.getByLabel('User: roles').fill('staff');
    await dialog.getByLabel('User: roles').press('Enter');
    await until('the host is found', async () => {
      await press(dialog, 'Show what this makes');
      return dialog.getByText('This makes:').isVisible();
    });
    await dialog.getByText(`Service policy ${name}-users`).waitFor();
    const blocker = await makeServicePolicy(controller, { name: `${name}-users` });
    await press(dialog, 'Publish');
    await dialog.getByRole('alert').waitFor();
    for (const collection of ['configs', 'services'])
      expect(await list(`${collection}?filter=${encodeURIComponent(`name contains "${name}"`)}`)).to.deep.equal([]);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/service-policies/${blocker}`), 200);
    await press(dialog, 'Publish');
    await dialog.getByText(`${name} is published.`).waitFor();
    const service = await named('services', name);
    const users = await named('service-policies', `${name}-users`);
    const hosts = await named('service-policies', `${name}-hosts`);
    expect([users?.['type'], users?.['identityRoles'], users?.['serviceRoles']]).to.deep.equal([
      'Dial',
      ['#staff'],
      [`@${service?.id ?? ''}`],
    ]);
    expect([hosts?.['type'], hosts?.['identityRoles']]).to.deep.equal(['Bind', [`@${hostId}`]]);
    const data = (await list(`services/${service?.id ?? ''}/configs`)).map((config) => config['data']);
    expect(data).to.have.deep.members([
      { protocols: ['tcp'], addresses: ['wiki.internal'], portRanges: [{ low: 443, high: 443 }] },
      { protocol: 'tcp', address: '127.0.0.1', port: 443 },
    ]);
  });

  it('add a router: gives the commands, and sees it enroll and come online', async () => {
    const name = unique('router');
    const dialog = await open('Add a router');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Host name or address at which clients reach it').fill('router.example.com');
    await dialog.getByRole('button', { name: 'Add', exact: true }).last().press('Enter');
    const commands = (await dialog.locator('pre').textContent()) ?? '';
    expect(commands).to.include(`ziti router enroll ${name}.yml --jwt ${name}.jwt`);
    await dialog.getByText('Waiting until it enrolls').waitFor();
    await well('its commands');
    const router = await named('edge-routers', name);
    const id = router?.id ?? '';
    expect(commands).to.include(String(router?.['enrollmentJwt']));
    const credentials = await enroll(controller, id);
    await dialog.getByText('Enrolled. Waiting until it is online').waitFor();
    const running = await ScriptedRouter.knock(controller.url, { id, ...credentials }, []);
    try {
      await dialog.getByText(`${name} is online.`).waitFor();
    } finally {
      running.close();
    }
    await press(dialog, 'Done');
  });

  it('give access and take it: show first who gains and loses what', async () => {
    const [who, wiki, git] = [unique('laptop'), unique('wiki'), unique('git')];
    const id = await makeIdentity(controller, { name: who });
    const services = [await makeService(controller, { name: wiki }), await makeService(controller, { name: git })];
    const team = unique('team');
    const policy = await makeServicePolicy(controller, {
      name: team,
      serviceRoles: services.map((each) => `@${each}`),
    });
    const dialog = await open('Give or take access');
    await dialog.getByLabel('Identity').fill(who);
    await dialog.getByLabel('Service').fill(wiki);
    await dialog.getByText(`${who} gains ${wiki}`, { exact: true }).waitFor();
    await dialog.getByLabel(`Join the policy ${team}`).check();
    await dialog.getByText(new RegExp(`${who} gains .*${git}`)).waitFor();
    await well('what changes');
    expect(
      (await read<{ identityRoles: string[] }>(controller, `service-policies/${policy}`)).identityRoles,
    ).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Give access', exact: true }).press('Enter');
    await dialog.getByText(/^Done\./).waitFor();
    const roles = async () =>
      (await read<{ identityRoles: string[] }>(controller, `service-policies/${policy}`)).identityRoles;
    expect(await roles()).to.deep.equal([`@${id}`]);
    await press(dialog, 'Done');
    await page.getByRole('button', { name: 'Give or take access' }).press('Enter');
    await dialog.getByLabel('Identity').fill(who);
    await dialog.getByLabel('Service').fill(wiki);
    await dialog.getByLabel('Take access').check();
    await dialog.getByText(new RegExp(`${who} loses .*${git}`)).waitFor();
    await dialog.getByRole('button', { name: 'Take access', exact: true }).press('Enter');
    await dialog.getByText(/^Done\./).waitFor();
    expect(await roles()).to.deep.equal([]);
  });

  it("end somebody's sessions", async () => {
    const caller = await controller.newCaller();
    const dialog = await open("End somebody's sessions");
    await dialog.getByLabel('Identity').fill(caller.name);
    await dialog.getByRole('button', { name: /^End \d+ sessions?$/ }).press('Enter');
    await dialog.getByText(/ ended\.$/).waitFor();
    const { rows } = await controller.database.query('SELECT id FROM api_sessions WHERE identity_id = $1', [caller.id]);
    expect(rows).to.deep.equal([]);
  });

  it('unlock who is disabled', async () => {
    const caller = await controller.newCaller();
    expectStatus(
      await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/disable`, { durationMinutes: 0 }),
      200,
    );
    const dialog = await open('Unlock');
    await dialog.getByLabel('Identity').fill(caller.name);
    await dialog.getByText(`${caller.name} is disabled`).waitFor();
    await press(dialog, 'Unlock');
    await dialog.getByText(`${caller.name} may sign in again.`).waitFor();
    expect((await read<{ disabled: boolean }>(controller, `identities/${caller.id}`)).disabled).to.equal(false);
  });
});
