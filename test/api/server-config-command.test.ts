/** The commands that show and check the configuration, as processes: what they print, and how they end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { runMain } from './server-support.js';

describe('the command', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'edge-controller-test-'));
  });
  after(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  it('prints the effective configuration, hiding secrets, and starts nothing', async () => {
    const file = join(dir, 'edge.yml');
    writeFileSync(file, 'advertise: ctrl.example.com:443\nadmin: { username: operator }\n');
    const env = {
      EDGE_ADMIN_PASSWORD: 'hunter2 hunter2',
      DATABASE_URL: 'postgresql://edge:hunter2@db/edge',
      EDGE_MASTER_KEY: 'aHVudGVyMg==',
      EDGE_OLD_MASTER_KEYS: 'b2xkaHVudGVy',
      EDGE_LISTEN: '0.0.0.0:7',
      EDGE_DATA_DIR: join(dir, 'data'),
    };
    const { output, ended } = runMain(['--config', file, 'config', 'print'], env);
    expect(await ended).to.equal(0);
    expect(output.stderr).to.equal('');
    for (const secret of ['hunter2', 'aHVudGVyMg', 'b2xkaHVudGVy']) expect(output.stdout).not.to.contain(secret);
    const printed = parse(output.stdout) as {
      advertise: string;
      listen: string;
      masterKey: string;
      admin: object;
      database: { url: string };
    };
    expect(printed).to.deep.include({
      advertise: 'ctrl.example.com:443',
      listen: '0.0.0.0:7',
      masterKey: '(hidden)',
      admin: { username: 'operator', password: '(hidden)' },
    });
    expect(printed.database.url).to.equal('(hidden)');
  });

  it('takes the file from EDGE_CONFIG too', async () => {
    const file = join(dir, 'other.yml');
    writeFileSync(file, 'listen: 127.0.0.1:4567\n');
    const { output, ended } = runMain(['config', 'print'], { EDGE_CONFIG: file });
    expect(await ended).to.equal(0);
    expect(parse(output.stdout)).to.include({ listen: '127.0.0.1:4567' });
  });

  it('ends with 1, or 2 for its arguments, and a sentence, no stack, when it is told nonsense', async () => {
    for (const [args, env, text, code] of [
      [['start'], { EDGE_LISTEN: 'nowhere' }, 'EDGE_LISTEN', 1],
      [['start', '--config', join(dir, 'nope.yml')], {}, 'nope.yml', 1],
      [['config', 'check', '--config', join(dir, 'nope.yml')], {}, 'nope.yml', 1],
      [['start', '--wizard'], {}, '--wizard', 2],
      [['start', 'extra'], {}, 'too many arguments', 2],
      [['--wizard'], {}, '--wizard', 2],
    ] as const) {
      const { output, ended } = runMain(args, env);
      expect(await ended, text).to.equal(code);
      expect(output.stdout).to.equal('');
      expect(output.stderr)
        .to.match(/^edge-controller: /)
        .and.contain(text);
      expect(output.stderr).not.to.match(/^\s+at /m);
    }
  });

  it('tells its version and its options', async () => {
    const version = runMain(['--version'], {});
    expect(await version.ended).to.equal(0);
    expect(version.output.stdout).to.match(/^v\d+\.\d+\.\d+\S*\n$/);
    const help = runMain(['-h'], {});
    expect(await help.ended).to.equal(0);
    for (const option of ['--config', 'start', 'config', 'doctor', '--version', '--help'])
      expect(help.output.stdout).to.contain(option);
  });
});
