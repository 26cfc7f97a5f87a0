/**
 * The command line: its help and exit codes, and docs/operations/command-line.md, whose commands are run in order on
 * one controller, as an operator would.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Command } from 'commander';
import { createProgram } from '../../commands/program.js';
import { verifySnapshot } from '../../db/maintenance/restore.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { runMain } from '../api/server-support.js';
import type { Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { blocksOf, itEachBlock, openShell, placeShim, withoutNews } from '../support/page.js';
import type { Shell } from '../support/page.js';
import { MANAGEMENT } from '../support/paths.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop, serverProcesses } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';

const page = fileURLToPath(new URL('../../../docs/operations/command-line.md', import.meta.url));

/** Every command that does something, with the words that call it. */
function leaves(command: Command, words: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[words.join(' '), command]];
  return command.commands.flatMap((child) => leaves(child, [...words, child.name()]));
}
const commands = leaves(createProgram());

async function run(...args: string[]) {
  const { output, ended } = runMain(args, {});
  return { code: await ended, ...output };
}

describe('the command line', () => {
  it('has every command in its page, with a sentence in its help that fits a terminal', () => {
    const text = readFileSync(page, 'utf8');
    for (const [words, command] of commands) {
      expect(text, words).to.include(`\`${words}`);
      expect(command.description(), words).to.match(/^[a-z].{10,}[^.]$/);
      const help = command.helpInformation();
      for (const line of help.split('\n')) expect(line.length, `${words}: ${line}`).to.be.at.most(100);
      expect(help, words).to.include('--config <file>');
    }
  });

  it('shows help and ends with 0 when it is asked for, and with 2 when nothing else was', async () => {
    const [asked, ofOne, none, half] = await Promise.all([run('--help'), run('help', 'start'), run(), run('admin')]);
    expect([asked.code, asked.stderr, ofOne.code, ofOne.stderr]).to.deep.equal([0, '', 0, '']);
    for (const name of ['start', 'doctor', 'backup', 'version'])
      expect(asked.stdout).to.match(new RegExp(`^  ${name} `, 'm'));
    expect(ofOne.stdout).to.match(/^Usage: edge-controller start /);
    expect([none.code, none.stdout, half.code, half.stdout]).to.deep.equal([2, '', 2, '']);
    expect(none.stderr).to.match(/^Usage: edge-controller <command>/);
    expect(half.stderr).to.match(/^ {2}unlock /m);
  });

  it('names the command that was probably meant, and ends with 2', async () => {
    const [slip, option, inner] = await Promise.all([
      run('strat'),
      run('doctor', '--jsno'),
      run('admin', 'reset-pasword'),
    ]);
    expect([slip.code, option.code, inner.code]).to.deep.equal([2, 2, 2]);
    expect(slip.stderr).to.match(/^edge-controller: unknown command 'strat'\n\(Did you mean start\?\)/);
    expect(option.stderr).to.match(/^edge-controller: unknown option '--jsno'\n\(Did you mean --json\?\)/);
    expect(inner.stderr).to.match(/\(Did you mean reset-password\?\)/);
    for (const { stdout } of [slip, option, inner]) expect(stdout).to.equal('');
  });

  it('refuses what takes too little or too much, and a password as an argument', async () => {
    const all = await Promise.all([
      run('restore'),
      run('backup', 'one', 'two'),
      run('renew', 'leaf'),
      run('admin', 'reset-password', 'admin', 'secret'),
      run('admin', 'reset-password', '--generate', '--password-file', 'x'),
      run('admin', 'unlock', 'admin', '--id', 'x'),
    ]);
    for (const { code, stdout, stderr } of all) {
      expect([code, stdout], stderr).to.deep.equal([2, '']);
      expect(stderr).to.match(/^edge-controller: /);
    }
  });
});

describe('docs/operations/command-line.md', function commandLinePage() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  const outputs: string[] = [];
  let home: string;
  let settings: Readonly<Record<string, string>>;
  let controller: ControllerProcess;
  let url: string;
  let early: Client;
  let shell: Shell;

  const start = async () => {
    controller = shop.start(join(home, 'data'), { env: { ...settings, EDGE_ADMIN_PASSWORD: ADMIN.password } });
    url = await controller.ready();
  };
  before(async () => {
    home = shop.place();
    settings = addressAt(await freePort());
    await start();
    early = await shop.login(url);
    const tools = placeShim(join(home, 'tools'));
    const PATH = `${tools}:${process.env['PATH'] ?? ''}`;
    shell = openShell({ cwd: home, place: tools, env: { PATH, ...settings } });
  });
  after(async () => {
    await shell.close();
    await shop.end();
  });

  itEachBlock(blocksOf(page), async ({ language, notes, text }) => {
    expect(language).to.equal('sh');
    if (notes.includes('elsewhere')) return;
    const isStopped = notes.includes('stopped');
    if (isStopped) await controller.stop();
    const { stdout, stderr } = await shell.run(text);
    outputs.push(stdout);
    expect(withoutNews(stderr)).to.equal('');
    expect(serverProcesses(join(home, 'data')).length > 0).to.equal(!isStopped);
    if (isStopped) await start();
  });

  it('shows the version, in both forms', () => {
    const all = outputs.join('');
    expect(all).to.match(/^edge-controller v\d+\.\d+\.\d+\S*\n {2}revision {2}/m);
    expect(all).to.match(/^ {2}"schema": "00\d\d-/m);
  });

  it('writes settings that can be read again', () => {
    expect(outputs.join('')).to.match(/^The configuration \(from the environment\) has no fault\.$/m);
    const file = join(home, 'settings.yml');
    expect(readConfig({ file, env: {} }).listen).to.equal(settings['EDGE_LISTEN']);
  });

  it('finds nothing wrong, with the controller running and stopped', () => {
    const report = outputs.find((text) => text.includes('0 faults')) ?? '';
    const words = report.replaceAll(/\s+/g, ' ');
    expect(words).to.match(/ ok ports \S+ is taken by this controller\. /);
    expect(words).to.match(/ ok lock A controller runs on the data directory \(process \d+\)\. /);
    for (const line of report.split('\n')) expect(line.length, line).to.be.at.most(100);
    const { ok, findings } = JSON.parse(readFileSync(join(home, 'findings.json'), 'utf8')) as {
      ok: boolean;
      findings: { check: string; level: string; message: string }[];
    };
    expect(ok).to.equal(true);
    expect(findings.filter(({ level }) => level === 'fault' || level === 'skipped')).to.deep.equal([]);
    const said = findings.map(({ message }) => message).join('\n');
    expect(said).to.match(/embedded; started for this examination, and stopped again/);
    expect(said)
      .to.match(/No controller runs on the data directory/)
      .and.match(/ is free\.$/m);
    expect(findings.map(({ check }) => check)).to.include('usernames');
  });

  it('has backups that are whole, running and stopped, and a network in another place', async () => {
    const files = ['backups', 'data/snapshots'].flatMap((folder) =>
      readdirSync(join(home, folder)).map((name) => join(home, folder, name)),
    );
    expect(files).to.have.length(3);
    for (const file of files) expect((await verifySnapshot(file)).format).to.equal('edge-controller snapshot');
    expect(outputs.join('')).to.match(/^The network of \S+ is restored, as it was on \d{4}-/m);
    expect(existsSync(join(home, 'elsewhere/postgres'))).to.equal(true);
    const again = await shell.run('npx edge-controller backup backups/before.snapshot.gz 2>&1 || echo "ends with $?"');
    expect(again.stdout).to.match(
      /^edge-controller: The snapshot cannot be written: there is a file .*ends with 1\n$/s,
    );
  });

  it('has set passwords, and ended sessions on the running controller', async () => {
    expect(outputs.join('')).to.match(
      /^ {2}username {2}admin\n {2}password {2}\S{24}\n\nThe password is shown once\.$/m,
    );
    const old = await shop.client(url).post(`${MANAGEMENT}/authenticate?method=password`, ADMIN);
    expect(old.status).to.equal(403);
    await shop.login(url, readFileSync(join(home, 'new-password'), 'utf8').trim());
    expect((await early.get(`${MANAGEMENT}/identities`)).status).to.equal(401);
    expect(outputs.join('')).to.match(/^Default Admin can log in \(nothing kept it out\)/m);
  });

  it('has renewed certificates, and found nothing to migrate', () => {
    const all = outputs.join('');
    expect(all)
      .to.include('The server certificate was renewed.')
      .and.include('The intermediate certificate was renewed.');
    expect(all.match(/^The schema is that of this release: there is nothing to do\.$/gm)).to.have.length(2);
  });
});
