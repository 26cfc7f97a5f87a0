/** docs/posture.md: every command of the page is run, in order, on a real controller, and leads to what it says. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { postureTypes } from '../../domain/posture/criteria.js';
import { blocksOf, itEachBlock, openShell } from '../support/page.js';
import type { Shell } from '../support/page.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const blocks = blocksOf(join(root, 'docs/posture.md'));

/** What the examples print, line by line. */
const SAID = [
  'MAC, nothing reported: the client has not reported its hardware addresses: let it report, or update it',
  'MAC, reported: "isPassing":true',
  'MAC, another device: The resource requested was not found or is no longer available',
  'DOMAIN: "isPassing":true',
  'OS, too old: "isPassing":false',
  'OS, patched: "isPassing":true',
  'PROCESS: "isPassing":true',
  'PROCESS_MULTI, one of two: "isPassing":false',
  'PROCESS_MULTI, both: "isPassing":true',
  'MFA, no code: no TOTP code was given in this API session: give one to authenticate/mfa',
  'MFA, a code: "isPassing":true',
];

describe('docs/posture.md', function posturePage() {
  this.timeout(90_000);
  const shop = new ProcessShop();
  const outputs = new Map<string, string>();
  let shell: Shell;
  before(async () => {
    const port = await freePort();
    const home = shop.place();
    const env = addressAt(port);
    symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
    await shop.start(join(home, 'data'), { env }).ready();
    const { PATH = '' } = process.env;
    shell = openShell({ cwd: home, place: home, env: { PATH, EDGE_URL: `https://localhost:${port}` } });
  });
  after(async () => {
    await shell.close();
    await shop.end();
  });

  it('has an example of each kind', () => {
    expect(new Set(blocks.map(({ language }) => language))).to.deep.equal(new Set(['sh']));
    const text = blocks.map((block) => block.text).join('\n');
    expect(postureTypes.filter((type) => !text.includes(`"typeId":"${type}"`))).to.deep.equal([]);
  });

  itEachBlock(blocks, async ({ section, text }) => {
    const { stdout, stderr } = await shell.run(text);
    expect(stderr).to.equal('');
    outputs.set(section, stdout);
  });

  it('leads to what it says', () => {
    const lines = [...outputs.values()].join('').split('\n');
    const said = lines.filter((each) => /^(MAC|DOMAIN|OS|PROCESS|PROCESS_MULTI|MFA)[,:]/.test(each));
    expect(said).to.have.length(SAID.length);
    for (const [index, expected] of SAID.entries())
      if (typeof expected === 'string') expect(said[index]).to.equal(expected);
      else expect(said[index]).to.match(expected);
    expect(outputs.get('TOTP codes: `MFA`')).to.match(
      /"services":\[\{"id":"\w+","name":"payroll","postureQueryType":"MFA"/,
    );
    expect(outputs.get('What is known of a device'))
      .to.match(/"addresses":\[\]/)
      .and.to.match(/"passedMfa":true/)
      .and.to.match(/"policyName":"payroll"/);
  });
});
