/** docs/authentication.md: every command of the page is run, in order, on a real controller, as its readers would. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { blocksOf, itEachBlock } from '../support/page.js';
import type { Block, Shell } from '../support/page.js';
import { openPageHome, pageAt } from '../support/page-home.js';
import { freePort } from '../support/ports.js';
import { isAlive, ProcessShop } from '../support/process.js';
import { findStockBinary } from '../support/stock-binary.js';

const cli = findStockBinary();

describe('docs/authentication.md', function authenticationPage() {
  this.timeout(90_000);
  const shop = new ProcessShop();
  const outputs = new Map<string, string>();
  let home: string;
  let shell: Shell;

  before(async () => {
    const opened = await openPageHome({
      shop,
      cli,
      settings: { EDGE_OUTGOING_ALLOW: '127.0.0.1' },
      variables: { OPENID_PORT: String(await freePort()) },
    });
    home = opened.place;
    ({ shell } = opened);
  });
  after(async () => {
    await shell.close();
    // The page ends it, unless a command before that failed.
    const file = join(home, 'auth/provider.pid');
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    if (hasFailed() && pid > 0 && isAlive(pid)) process.kill(pid);
    await shop.end();
  });

  const run = async ({ text, section, notes }: Block) => {
    const { stdout, stderr } = await shell.run(text);
    if (notes.includes('cli')) return; // it writes to both what it likes; a command that fails stops the shell
    // A request that is refused, as the page says: curl tells the status, and the page the code.
    const complaints = stderr.split('\n').filter((line) => line !== '' && !/^curl: \(22\) .* error: 4\d\d$/.test(line));
    expect(complaints).to.deep.equal([]);
    outputs.set(section, `${outputs.get(section) ?? ''}${stdout}`);
  };
  const blocks = blocksOf(pageAt('docs/authentication.md'));
  it('has commands for a shell, and for the stock command line', () => {
    expect(new Set(blocks.map(({ language }) => language))).to.deep.equal(new Set(['sh']));
    expect(blocks.flatMap(({ notes }) => notes)).to.deep.equal(['cli', 'cli']);
  });

  const hasFailed = itEachBlock(
    blocks.filter(({ notes }) => cli !== undefined || notes.length === 0),
    run,
  );

  describe('leads to what it says', () => {
    const lines = (section: string) => (outputs.get(section) ?? '').trimEnd().split('\n');

    it('about passwords and certificates', () => {
      expect(lines('Logging in')).to.deep.equal(['200']);
      expect(lines('A password')).to.deep.equal(['200', '200']);
      expect(lines('A certificate').at(-1)).to.equal('sensor');
      expect(lines('What an auth policy says')).to.deep.equal(['400 COULD_NOT_VALIDATE']);
    });

    it('about lockouts', () => {
      const [first, second, third, right, isDisabled, until, again] = lines('Lockouts');
      expect([first, second, third, right]).to.deep.equal(['403', '403', '403', '403']);
      expect([isDisabled, again]).to.deep.equal(['true', '200']);
      expect(until).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    });

    it('about second factors', () => {
      expect(lines('A second factor')).to.deep.equal([
        '20',
        '200',
        'MFA',
        '401 UNAUTHORIZED',
        'true',
        '200',
        'true',
        'false',
      ]);
      expect(readFileSync(join(home, 'auth/qr.png')).subarray(1, 4).toString()).to.equal('PNG');
    });

    it('about an external provider', () => {
      const [jwks, name, authenticator] = lines('An external provider');
      expect(jwks).to.match(/^http:\/\/127\.0\.0\.1:\d+\/jwks$/);
      expect(name).to.equal('carl');
      expect(authenticator).to.match(/^extJwtId:/);
      expect(lines('A token with every request')).to.deep.equal(['401 UNAUTHORIZED', 'EXT-JWT', 'carl']);
      expect(lines('Enrolling with a token')).to.deep.equal([
        '200',
        'dora@example.com',
        'ENROLLMENT_IDENTITY_ALREADY_ENROLLED',
      ]);
      expect(lines('When a provider goes')).to.deep.equal(['403']);
      expect(isAlive(Number(readFileSync(join(home, 'auth/provider.pid'), 'utf8')))).to.equal(false);
    });

    it('about delegated administrators', () => {
      expect(lines('Delegated administrators')).to.deep.equal([
        '200',
        'staff',
        ...Array.from({ length: 5 }, () => '401 UNAUTHORIZED'),
      ]);
    });
  });
});
