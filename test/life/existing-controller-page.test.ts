/** docs/guides/from-the-existing-controller.md, with networks of the field's own controller, filled and then taken. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { blocksOf, itEachBlock } from '../support/page.js';
import type { Shell } from '../support/page.js';
import { openPageHome, pageAt } from '../support/page-home.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import { describeStock } from '../support/unless.js';

const PASSWORD = 'of-the-old-one';
const CONFIG = '{"protocol":"tcp","address":"wiki.internal","port":443}';

/** What the old network has, in words of its command line. */
const MADE: readonly (readonly string[])[] = [
  ['config', 'wiki-host', 'host.v1', CONFIG],
  ['service', 'wiki', '--configs', 'wiki-host', '-a', 'intranet'],
  ['posture-check', 'mac', 'office macs', '-m', '00:11:22:33:44:55', '-a', 'office'],
  ['edge-router', 'edge-1', '-a', 'public', '-t'],
  ['identity', 'ann', '-a', 'staff', '--external-id', 'ann@example.com', '--service-costs', 'wiki=20'],
  [
    'service-policy',
    'staff-dials',
    'Dial',
    '--identity-roles',
    '#staff',
    '--service-roles',
    '#intranet',
    '--posture-check-roles',
    '#office',
  ],
  ['edge-router-policy', 'routers', '--identity-roles', '#all', '--edge-router-roles', '#public,@edge-1'],
];

describeStock('docs/guides/from-the-existing-controller.md', function existingController(cli) {
  const shop = new ProcessShop();
  const outputs: string[] = [];
  let old: ChildProcess;
  let place: string;
  let shell: Shell;

  before(async () => {
    const [port, passwordFile] = [await freePort(), 'old-password'];
    const OLD = `https://localhost:${port}`;
    const home = shop.place();
    const env = { ...process.env, HOME: home, ZITI_CONFIG_DIR: join(home, 'login') };
    const args = ['edge', 'quickstart', '--no-router', '--home', join(home, 'old'), '-u', 'admin', '-p', PASSWORD];
    old = spawn(cli, [...args, '--ctrl-address', 'localhost', '--ctrl-port', String(port)], { env, stdio: 'ignore' });
    const ziti = (...words: readonly string[]) => promisify(execFile)(cli, ['edge', ...words], { env });
    await until(
      'the old controller takes a login',
      () =>
        ziti('login', `localhost:${port}`, '-u', 'admin', '-p', PASSWORD, '-y').then(
          () => true,
          () => false,
        ),
      120_000,
    );
    for (const words of MADE) await ziti('create', ...words);
    ({ place, shell } = await openPageHome({ shop, cli, variables: { OLD, OLD_PASSWORD_FILE: passwordFile } }));
    mkdirSync(join(place, 'guide'));
    writeFileSync(join(place, passwordFile), `${PASSWORD}\n`);
  });
  after(async () => {
    await (shell as Shell | undefined)?.close();
    old.kill();
    await shop.end();
  });

  itEachBlock(
    blocksOf(pageAt('docs/guides/from-the-existing-controller.md')).filter(({ notes }) => !notes.includes('elsewhere')),
    async ({ text }) => {
      outputs.push((await shell.run(text)).stdout);
    },
  );

  it('takes all of it: the second import finds nothing to do', () => {
    const [, imports] = outputs;
    expect(imports).to.match(/^\+ service policy "staff-dials"$/m);
    expect(imports).to.match(/^0 created, 0 changed, 0 deleted, \d+ unchanged\n$/m);
  });

  it('reads what an export leaves out, and no config type that each network has', () => {
    const network = readFileSync(join(place, 'guide/network.yaml'), 'utf8');
    expect(network)
      .to.match(/postureCheckRoles:\n {6}- "#office"/)
      .and.to.match(/serviceHostingCosts:\n {6}wiki: 20/);
    expect(network).to.not.include('name: host.v1');
    const converted = readFileSync(join(place, 'guide/converted.yaml'), 'utf8');
    expect(converted).to.include('@WHICH POSTURE CHECKS?').and.to.not.include('serviceHostingCosts');
  });

  it('does not import a converted export whose posture checks nobody wrote', async () => {
    const { stdout } = await shell.run('npx edge-controller import guide/converted.yaml 2>&1 || echo "ends with $?"');
    expect(stdout).to.match(/WHICH POSTURE CHECKS\?.*\n(?:.*\n)*ends with 1/);
  });
});
