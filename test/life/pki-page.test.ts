/** docs/pki.md: every command of the page is run, in order, on a real controller, as an administrator would. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { runningConnection } from '../../db/embedded/supervisor.js';
import { blocksOf, itEachBlock, openShell, placeShim, withoutNews } from '../support/page.js';
import type { Block, Shell } from '../support/page.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = join(root, 'docs/pki.md');

const REFUSED = 'refused, as it should be';
const CURL_REFUSED = 'curl: (22) The requested URL returned error: 403\n';

describe('docs/pki.md', function pkiPage() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  const outputs: string[] = [];
  let home: string;
  let settings: Readonly<Record<string, string>>;
  let controller: ControllerProcess;
  let shell: Shell;

  const start = async () => {
    controller = shop.start(join(home, 'data'), { env: settings });
    await controller.ready();
  };
  before(async () => {
    const port = await freePort();
    home = shop.place();
    settings = addressAt(port);
    const tools = placeShim(join(home, 'tools'));
    symlinkSync(join(root, 'examples'), join(home, 'examples'));
    await start();
    shell = openShell({
      cwd: home,
      place: tools,
      env: { PATH: `${tools}:${process.env['PATH'] ?? ''}`, EDGE_URL: `https://localhost:${port}`, ...settings },
    });
  });
  after(async () => {
    await shell.close();
    await shop.end();
  });

  const query = async (sql: string): Promise<unknown[]> => {
    const client = new pg.Client({ ...runningConnection(join(home, 'data')), ssl: false });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const runStopped = async (text: string) => {
    await controller.stop();
    const output = await shell.run(text);
    await start();
    return output;
  };
  const runBlock = async ({ language, notes, text }: Block): Promise<string> => {
    if (language === 'sql') return JSON.stringify(await query(text));
    const { stdout, stderr } = notes.includes('stopped') ? await runStopped(text) : await shell.run(text);
    // A pipe hides that its first part failed; curl says so, and a block that wants a refusal says that.
    expect(withoutNews(stderr)).to.equal(stdout.includes(REFUSED) ? CURL_REFUSED : '');
    return stdout;
  };

  const blocks = blocksOf(page);
  it('has commands in each language, and no others', () => {
    expect(new Set(blocks.map(({ language }) => language))).to.deep.equal(new Set(['sh', 'sql']));
    expect(new Set(blocks.flatMap(({ notes }) => notes))).to.deep.equal(new Set(['stopped']));
  });

  itEachBlock(blocks, async (block) => {
    const output = await runBlock(block);
    if (block.language === 'sql') expect(output).not.to.equal('[]');
    outputs.push(output);
  });

  it('leads to what it says', () => {
    const all = outputs.join('\n');
    expect(all).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/m);
    expect(all).to.match(/DNS:localhost.*URI:spiffe:\/\/[0-9a-z]+\/controller\/\w+/);
    expect(all)
      .to.include('The server certificate was renewed.')
      .and.include('The intermediate certificate was renewed.');
    expect(all).to.include('new: accepted\nold: refused');
    expect(all).to.include(REFUSED);
    expect(all)
      .to.match(/client\.pem: OK/)
      .and.to.match(/Verify return code: 0 \(ok\)/);
    expect(readFileSync(join(home, 'pki/corp.jwt'), 'utf8')).to.match(/^eyJ/);
    expect(readFileSync(join(home, 'pki/sensor-again.jwt'), 'utf8')).to.match(/^eyJ/);
    expect(outputs.at(-1)).to.match(/^\w{22}\n$/);
    expect(existsSync(join(home, 'damaged'))).to.equal(true);
    expect(readFileSync(join(home, 'data/master.key'), 'utf8')).not.to.equal(
      readFileSync(join(home, 'damaged/master.key'), 'utf8'),
    );
  });
});
