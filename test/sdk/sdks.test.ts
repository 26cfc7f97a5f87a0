/**
 * SDKs as docs/sdks.md makes them, in four languages: each builds, and its example does the main job against a
 * controller. A language whose tools are not on this machine is skipped, and says what it lacks; a run of all suites
 * has TypeScript, and `npm run test:sdk` all four.
 */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { documentOfTree } from '../../scripts/sdk/documents.js';
import { generateSdks } from '../../scripts/sdk/generator.js';
import { LANGUAGES } from '../../scripts/sdk/languages.js';
import type { Language } from '../../scripts/sdk/languages.js';
import { apis } from '../../scripts/spec-document.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { freePort } from '../support/ports.js';
import { ONLY_ALL } from '../support/unless.js';
import { builds, compileGo, compileSamples } from './builds.js';
import type { Example } from './builds.js';
import { lackOf, run } from './toolchains.js';

/** What each example prints. */
const STEPS = [
  'trusted the root of the network',
  'logged in as an administrator',
  'made a network',
  'the posture check wants 02fc00aa1234',
  'found by a filter: 1 MAC',
  'routers of the fabric: 1',
  'refused a second one: 400 COULD_NOT_VALIDATE name',
  'enrolled',
  'logged in as a client',
  'services of the client: 1 Dial',
  'refused without a report: 409 INVALID_POSTURE',
  'a session to Dial',
  'cleaned up',
];
/** It runs beside other suites at the lowest priority. */
const MOST_MS = 1_800_000;

const lacks = new Map(
  LANGUAGES.map((language) => [language, (language === 'typescript' ? undefined : ONLY_ALL) ?? lackOf(language)]),
);
const built = LANGUAGES.filter((language) => lacks.get(language) === undefined);
const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(0)} s`;

describe('SDKs', function sdks() {
  this.timeout(MOST_MS);
  let place: string;
  let controller: TestController;
  let url: string;
  let root: string;
  /** The examples that are built, and those that are being built. */
  const examples = new Map<Language, Promise<Example>>();
  const rows: Record<string, Record<string, string>> = {};

  before(async () => {
    place = mkdtempSync(join(tmpdir(), 'edge-sdks-'));
    const port = String(await freePort());
    controller = await startTestController({ EDGE_LISTEN: `127.0.0.1:${port}`, EDGE_ADVERTISE: `localhost:${port}` });
    url = `https://localhost:${port}`;
    root = await fingerprintOf(controller);
    // Packages are fetched while the SDKs are made; then two languages are built at a time.
    const started = Date.now();
    const made = generate(place).then(() => {
      console.log(`      ${built.length * apis.length} SDKs are made (${seconds(started)})`);
    });
    const turns: [Promise<unknown>, Promise<unknown>] = [made, made];
    built.forEach((language, index) => {
      const home = join(place, language);
      mkdirSync(home, { recursive: true });
      const prepared = builds[language].prepare(home);
      const turn = (index % 2) as 0 | 1;
      const example = turns[turn].then(async () => {
        await prepared;
        const since = Date.now();
        const result = await builds[language].build(home);
        rows[language] = { build: seconds(since) };
        return result;
      });
      examples.set(language, example);
      turns[turn] = example.catch(() => made); // told by its test; the next language goes on
      prepared.catch(() => undefined);
    });
  });
  after(async () => {
    await Promise.allSettled(examples.values());
    await controller.stop();
    rmSync(place, { recursive: true, force: true });
    if (built.length > 0) console.table(rows);
  });

  for (const language of LANGUAGES) {
    const lack = lacks.get(language);
    if (lack !== undefined) {
      it(`${language}: not tested here, ${lack}`);
      continue;
    }
    describe(language, () => {
      let example: Example;
      const start = (env: Readonly<Record<string, string>>) =>
        run(example.command, example.args, {
          cwd: join(place, language),
          env: { EDGE_URL: url, EDGE_USERNAME: ADMIN.username, EDGE_PASSWORD: ADMIN.password, ...example.env, ...env },
        });

      it('builds', async () => {
        example = (await examples.get(language)) as Example;
      });

      it('does the main job', async () => {
        const started = Date.now();
        const lines = (await start({ EDGE_CA_SHA256: root })).trimEnd().split('\n');
        expect(lines).to.deep.equal(STEPS);
        Object.assign(rows[language] ?? {}, { 'main job': seconds(started), steps: lines.length });
      });

      if (language === 'typescript')
        it('has a sample in each README that compiles', () => compileSamples(join(place, language)));

      if (language === 'go') {
        it("compiles by the generator's own defaults, but for imports that goimports adds", async () => {
          const home = join(place, 'go-by-default');
          expect(await compileGo(join(home, 'client'))).to.deep.equal([]);
          // The generator forgets what constructors of kinds take for their parent.
          const kinds = ['domain', 'mac_address', 'mfa', 'operating_system', 'process', 'process_multi'];
          const expected = kinds.map((kind) => `model_posture_check_${kind}_detail.go: time`);
          expect(await compileGo(join(home, 'management'))).to.deep.equal(expected);
        });
      }

      it('does not trust another network', async () => {
        const refused = await start({ EDGE_CA_SHA256: 'ab'.repeat(32) }).catch((error: Error) => error.message);
        expect(refused).to.include('not the network that was expected').and.to.not.include('logged in');
      });
    });
  }
});

/** All in one run of the generator. */
const generate = (place: string): Promise<void> => {
  let said = '';
  const orders = built.flatMap((language) =>
    apis.map((api) => ({
      language,
      api,
      document: documentOfTree(api, 'localhost:1280'),
      directory: join(place, language, api),
    })),
  );
  const plain = orders
    .filter(({ language }) => language === 'go')
    .map((order) => ({ ...order, directory: join(place, 'go-by-default', order.api), plain: true }));
  return generateSdks([...orders, ...plain], {
    codeOnly: true,
    output: (text) => {
      said += text;
    },
  }).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}:\n${said.slice(-6000)}`, { cause: error });
  });
};

async function fingerprintOf({ database }: TestController): Promise<string> {
  const { rows } = await database.query(
    "SELECT cert_pem FROM pki_entities WHERE purpose = 'root' ORDER BY generation DESC LIMIT 1",
  );
  return new X509Certificate(String(rows[0]?.['cert_pem'])).fingerprint256.replaceAll(':', '').toLowerCase();
}
