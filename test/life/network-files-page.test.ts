/** docs/operations/network-files.md: every command of the page is run, in order, and prints what it says. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { blocksOf, itEachBlock, openShell, placeShim } from '../support/page.js';
import type { Shell } from '../support/page.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = join(root, 'docs/operations/network-files.md');

describe('docs/operations/network-files.md', function networkFilesPage() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  const outputs: string[] = [];
  let home: string;
  let shell: Shell;

  before(async () => {
    home = shop.place();
    const port = await freePort();
    const settings = addressAt(port);
    await shop.start(join(home, 'data'), { env: settings }).ready();
    const tools = placeShim(join(home, 'tools'));
    const PATH = `${tools}:${process.env['PATH'] ?? ''}`;
    const env = { PATH, ...settings, EDGE_URL: `https://localhost:${port}` };
    shell = openShell({ cwd: home, place: tools, env });
  });
  after(async () => {
    await shell.close();
    await shop.end();
  });

  itEachBlock(blocksOf(page), async ({ language, text }) => {
    expect(language).to.equal('sh');
    const { stdout, stderr } = await shell.run(text);
    expect(stderr).to.not.match(/edge-controller: |"level":"(?:warn|error)"/);
    outputs.push(stdout);
  });

  it('prints what the page shows', () => {
    const all = outputs.join('');
    const fenced = readFileSync(page, 'utf8').split(/^```/m);
    const shown = fenced.filter((text, index) => index % 2 === 1 && text.startsWith('\n')).map((text) => text.slice(1));
    expect(shown).to.have.length(4);
    for (const text of shown) expect(all).to.include(text);
  });

  it('finds nothing to do the second time, and in what it exported itself', () => {
    const all = outputs.join('');
    expect(all).to.match(/^0 created, 0 changed, 0 deleted, 4 unchanged$/m);
    expect(outputs.at(-1)).to.match(/^0 created, 0 changed, 0 deleted, \d+ unchanged\n$/);
  });

  it('says who loses what, for programs too', () => {
    const { isDone, steps, access } = JSON.parse(readFileSync(join(home, 'change.json'), 'utf8')) as {
      isDone: boolean;
      steps: unknown;
      access: unknown;
    };
    expect([isDone, steps]).to.deep.equal([
      false,
      [{ action: 'delete', kind: 'servicePolicies', name: 'office dials' }],
    ]);
    const lost = { count: 1, identities: ['laptop 17'] };
    expect(access).to.deep.equal({
      gained: 0,
      lost: 1,
      identities: 1,
      services: [{ service: 'wiki', type: 'Dial', gained: { count: 0, identities: [] }, lost }],
    });
    expect(readFileSync(join(home, 'change.txt'), 'utf8')).to.include('1 to delete');
  });

  it('deletes what it says, and says what it keeps', () => {
    const all = outputs.join('');
    expect(all).to.include('- service policy "office dials"\n0 to create, 0 to change, 1 to delete');
    expect(all).to.include('- service policy "office dials"\n0 created, 0 changed, 1 deleted');
    expect(all).to.match(/^- service "wiki"$/m);
  });

  it('has files, and the schema that they name beside them', () => {
    for (const file of ['network.yaml', 'network/services.yaml', 'network/identities.yaml', 'there.yaml']) {
      const [head] = readFileSync(join(home, file), 'utf8').split('\n');
      expect(head).to.equal('# yaml-language-server: $schema=./network-files.schema.json');
    }
    for (const folder of ['.', 'network'])
      expect(existsSync(join(home, folder, 'network-files.schema.json'))).to.equal(true);
  });
});
