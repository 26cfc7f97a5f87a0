/** docs/guides: every command of the pages is run, in order, on a real controller with the field's own program. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { blocksOf, itEachBlock } from '../support/page.js';
import type { Shell } from '../support/page.js';
import { openPageHome, pageAt } from '../support/page-home.js';
import { freePorts } from '../support/ports.js';
import { until } from '../support/poll.js';
import { isAlive, ProcessShop } from '../support/process.js';
import { findStockBinary, missing } from '../support/stock-binary.js';
import { describeUnless } from '../support/unless.js';

const PAGES = ['README', 'run-a-router', 'run-a-tunneler', 'three-teams', 'why-not'];
/** A controller lets its routers and requests go first. */
const ENDING_MS = 30_000;
const PIDS = ['edge-1', 'page', 'server-1', 'laptop-17'];
const cli = findStockBinary();

describeUnless(cli === undefined ? missing('present') : undefined, 'docs/guides', function guides() {
  this.timeout(120_000);
  const shop = new ProcessShop();
  /** By page, what its blocks wrote. */
  const outputs = new Map<string, string[]>();
  const checks: (() => boolean)[] = [];
  let place: string;
  let shell: Shell;

  const pidOf = (name: string): number => {
    const file = join(place, 'guide', `${name}.pid`);
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  };

  before(async () => {
    const [router, page, local] = (await freePorts(3)).map(String);
    const variables = { ROUTER: `localhost:${router}`, PAGE_PORT: page ?? '', LOCAL_PORT: local ?? '' };
    ({ place, shell } = await openPageHome({ shop, cli, variables }));
  });
  after(async () => {
    // The last page ends them, unless a command before that failed.
    for (const pid of PIDS.map(pidOf))
      if (checks.some((hasFailed) => hasFailed()) && pid > 0 && isAlive(pid)) process.kill(pid);
    await shell.close();
    await shop.end();
  });

  for (const page of PAGES)
    describe(page, () => {
      const blocks = blocksOf(pageAt(`docs/guides/${page}.md`));
      checks.push(
        itEachBlock(blocks, async ({ language, notes, text }) => {
          expect([language, ...notes]).to.deep.equal(['sh']);
          const { stdout, stderr } = await shell.run(text);
          expect(stderr).to.not.match(/"level":"(?:warn|error)"/);
          outputs.set(page, [...(outputs.get(page) ?? []), stdout]);
        }),
      );
    });

  const shownBy = (page: string) => (outputs.get(page) ?? []).join('');

  describe('in the end', () => {
    it('leads to a router that is online, and to the page behind the network', () => {
      expect(shownBy('run-a-router')).to.match(/edge-1.*true/);
      expect(shownBy('run-a-tunneler')).to.match(/the wiki\n$/);
    });

    it('prints what the pages show', () => {
      for (const page of ['three-teams', 'why-not']) {
        const fenced = readFileSync(pageAt(`docs/guides/${page}.md`), 'utf8').split(/^```/m);
        const shown = fenced
          .filter((text, index) => index % 2 === 1 && text.startsWith('\n'))
          .map((text) => text.slice(1));
        expect(shown).to.not.have.length(0);
        for (const text of shown) expect(shownBy(page)).to.include(text);
      }
      expect(outputs.get('three-teams')?.at(-1)).to.match(/^0 to create, 0 to change, 0 to delete, \d+ unchanged/m);
    });

    it('finds each of the causes', () => {
      const [works, notAllowed, neverSeen, notHosted, posture] = outputs.get('why-not') ?? [];
      expect(works).to.match(/laptop-17 can dial wiki/);
      expect(notAllowed).to.include('staff-dials: does not select the identity, which lacks #staff.');
      expect(neverSeen).to.match(/^x login/m);
      expect(notHosted).to.match(/^x terminators/m);
      expect(posture).to.match(/^\. posture .* routers alone, which judge it by company-macs\.$/m);
    });

    it('leaves nothing running', async () => {
      const isOver = () => PIDS.map(pidOf).every((pid) => !isAlive(pid));
      await until('what the last page ends has ended', isOver, ENDING_MS);
    });
  });
});
