/** `edge-controller console`: what it takes for a release, what it refuses, and that what it prints can be set. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runMain } from '../api/server-support.js';
import { startTestController } from '../support/controller.js';
import { NO_CONSOLE, findStockConsole } from '../support/stock-console.js';
import { itUnless } from '../support/unless.js';

const INDEX =
  '<title>Ziti Admin Console</title><script src="main.js"></script><link rel="stylesheet" href="styles.css">';
const MAIN_JS = 'const ZAC_VERSION = {\n  "version": "9.8.7"\n};\n';

async function run(...args: string[]) {
  const { output, ended } = runMain(['console', ...args], {});
  return { code: await ended, ...output };
}

interface Found {
  readonly version: string | null;
  readonly files: number;
  readonly spa: readonly { readonly path: string; readonly location: string }[];
  readonly spaWithMap: readonly { readonly policy: string }[];
}

describe('edge-controller console', function consoleCommand() {
  this.timeout(60_000);
  let place: string;
  before(() => {
    place = mkdtempSync(join(tmpdir(), 'edge-console-'));
  });
  after(() => {
    rmSync(place, { recursive: true });
  });

  /** A release with other content of some files; undefined: without the file. */
  function release(name: string, changes: Readonly<Record<string, string | undefined>> = {}): string {
    const folder = join(place, name);
    mkdirSync(folder, { recursive: true });
    const files = { 'index.html': INDEX, 'main.js': MAIN_JS, 'styles.css': 'a{}', ...changes };
    for (const [file, text] of Object.entries(files)) if (text !== undefined) writeFileSync(join(folder, file), text);
    return folder;
  }

  const refused = async (folder: string, says: RegExp) => {
    const { code, stdout, stderr } = await run(folder);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(says);
  };

  it('refuses what is no release, each with what to do', async () => {
    await refused(join(place, 'nowhere'), /does not exist/);
    await refused(join(release('file'), 'index.html'), /is no folder: unpack the release/);
    mkdirSync(join(place, 'empty'));
    await refused(join(place, 'empty'), /has no index\.html/);
    await refused(
      release('other', { 'index.html': '<title>Shop</title>' }),
      /not the stock console: its title is "Shop"/,
    );
  });

  it('refuses a release that is not whole', async () => {
    await refused(release('missing', { 'main.js': undefined }), /not whole\. Missing, empty or cut: main\.js\. Unpack/);
    await refused(release('hollow', { 'styles.css': '' }), /Missing, empty or cut: styles\.css/);
    await refused(release('cut', { 'chunk.js': 'function a() {' }), /Missing, empty or cut: chunk\.js/);
    const linked = release('linked', { 'main.js': undefined });
    symlinkSync('/etc/passwd', join(linked, 'main.js'));
    await refused(linked, /main\.js/);
  });

  it('refuses a path that the controller would not take', async () => {
    const { code, stderr } = await run(release('path'), '--path', 'edge');
    expect(code).to.equal(1);
    expect(stderr).to.match(/\/edge is the controller's own/);
  });

  it('says the version, and what to set', async () => {
    const folder = release("it's whole");
    const { code, stdout } = await run(folder);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^This is the stock console 9\.8\.7, whole: 3 files/);
    expect(stdout).to.include(`EDGE_SPA='[{"path":"zac","location":"${folder.replace("'", String.raw`'\''`)}"}]'`);
    expect(stdout).to.match(/policy: ".*img-src [^;]*https:\/\/tile\.openstreetmap\.org/);
  });

  it('takes modules, and a release in the only folder that has one', async () => {
    release('around/inner', { 'main.js': "import './x.js';\nexport default 1;" });
    const { code, stdout } = await run(join(place, 'around'), '--json');
    expect(code).to.equal(0);
    const { version, spa } = JSON.parse(stdout) as Found;
    expect([version, spa[0]?.location]).to.deep.equal([null, join(place, 'around/inner')]);
  });

  const stock = findStockConsole();
  itUnless(
    stock === undefined ? NO_CONSOLE : undefined,
    'takes a release of the field, which is then served',
    async () => {
      const { code, stdout } = await run(stock ?? '', '--json');
      expect(code).to.equal(0);
      const { version, files, spaWithMap } = JSON.parse(stdout) as Found;
      expect(version).to.match(/^\d+\.\d+\.\d+/);
      expect(files).to.be.greaterThan(100);
      const controller = await startTestController({ EDGE_SPA: JSON.stringify(spaWithMap) });
      try {
        const page = await controller.anonymous.get('/zac/');
        expect(page.status).to.equal(200);
        expect(page.headers['content-security-policy']).to.equal(spaWithMap[0]?.policy);
      } finally {
        await controller.stop();
      }
    },
  );
});
