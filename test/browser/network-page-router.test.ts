/** The router job of the network page with the field's own program: the commands are run as they are printed. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endBrowser, openPage, startBrowser } from '../support/browser.js';
import { startReachable, unique } from '../support/controller.js';
import { freePort } from '../support/ports.js';
import { describeRelease } from '../support/unless.js';
import { enter, goTo } from './network-page-support.js';

describeRelease('present', 'a router that is added in the network page', (binary) => {
  let place: string;
  let router: ChildProcess | undefined;
  before(() => {
    place = mkdtempSync(join(tmpdir(), 'edge-router-job-'));
    symlinkSync(binary, join(place, 'ziti'));
  });
  after(async () => {
    if (router !== undefined && router.exitCode === null) {
      router.kill('SIGTERM');
      await once(router, 'exit');
    }
    rmSync(place, { recursive: true, force: true });
  });

  it('comes online by the commands that the dialog prints', async () => {
    const [controller, window] = await Promise.all([startReachable(), startBrowser()]);
    try {
      const { page } = await openPage(window, controller.url);
      const name = unique('router');
      await enter(page, controller.url);
      await goTo(page, '#/jobs');
      await page.getByRole('button', { name: 'Add a router' }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      await dialog.getByLabel('Host name or address at which clients reach it').fill('127.0.0.1');
      await dialog.getByRole('button', { name: 'Add', exact: true }).last().press('Enter');
      const printed = (await dialog.locator('pre').textContent()) ?? '';
      // Other routers may run on this machine; nothing else is changed.
      const lines = printed.replace('ZITI_ROUTER_PORT=3022', `ZITI_ROUTER_PORT=${await freePort()}`).split('\n');
      const options = { cwd: place, env: { HOME: place, PATH: `${place}:/usr/bin:/bin` } };
      await promisify(execFile)('sh', ['-ec', lines.slice(0, -1).join('\n')], options);
      router = spawn('sh', ['-c', `exec ${lines.at(-1) ?? ''}`], { ...options, stdio: 'ignore' });
      await dialog.getByText(`${name} is online.`).waitFor();
    } finally {
      await endBrowser(window);
      if (router !== undefined) {
        router.kill('SIGTERM');
        await once(router, 'exit');
        router = undefined;
      }
      await controller.stop();
    }
  });
});
