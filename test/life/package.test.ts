/**
 * The package as npm makes it, installed into an empty folder and started there: what a person does who has never seen
 * the project. Needs the packages that it depends on from npm's cache or a registry, as an installation does.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { MANAGEMENT } from '../support/paths.js';
import { ProcessShop } from '../support/process.js';
import { run } from '../sdk/toolchains.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Of the tarball; the program, its documents and Swagger UI. */
const MOST_BYTES = 4 * 1024 * 1024;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

describe('the package', function installed() {
  this.timeout(300_000);
  const shop = new ProcessShop();
  let packed: Packed;
  let tarball: string;
  let paths: readonly string[];
  let folder: string;

  before(async () => {
    const place = shop.place();
    folder = join(place, 'empty');
    mkdirSync(folder);
    const printed = await run('npm', ['pack', '--json', '--pack-destination', place], { cwd: root });
    // npm writes what its scripts print, too; its own answer is the array at the end, or since npm 11 an object.
    const answer = JSON.parse(printed.slice(printed.search(/^[[{]$/m))) as Packed[] | Record<string, Packed>;
    packed = Object.values(answer)[0] as Packed;
    paths = packed.files.map(({ path }) => path);
    tarball = join(place, packed.filename);
  });
  after(() => shop.end());

  it('is small, and has neither tests nor sources', () => {
    expect(packed.size).to.be.lessThan(MOST_BYTES);
    const kinds = paths.filter((path) =>
      /\.(ts|map)$|^(test|server|node_modules)\/|^dist\/(test|scripts|lab)\//.test(path),
    );
    expect(kinds).to.deep.equal([]);
  });

  it('has what it runs on, and its documentation', () => {
    expect(paths).to.include.members([
      'package.json',
      'npm-shrinkwrap.json',
      'README.md',
      'CHANGELOG.md',
      'docs/configuration.md',
      'dist/commands/main.js',
      'dist/build.json',
      'dist/db/schema/schema.sql',
      'dist/generated/management.json',
      'dist/generated/management.openapi.yml',
      'dist/domain/config/schema-worker.js',
      'dist/server/explorer/swagger-ui-bundle.js',
      'dist/server/explorer/LICENSE',
      'dist/server/network-page/page.html',
      'dist/server/network-page/licenses.txt',
      'deploy/systemd/edge-controller.service',
    ]);
    const migrations = readdirSync(join(root, 'db/schema/migrations')).map(
      (name) => `dist/db/schema/migrations/${name}`,
    );
    expect(paths).to.include.members(migrations);
  });

  it('leaves nothing behind where it was packed', () => {
    expect(readdirSync(root).filter((name) => /\.tgz$|shrinkwrap/.test(name))).to.deep.equal([]);
  });

  it('installs into an empty folder, without what is for development', async () => {
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
    const installed = (name: string) => existsSync(join(folder, 'node_modules', name));
    expect(
      ['edge-controller', 'koa', 'pg', 'knex', '@node-rs/argon2'].filter((name) => !installed(name)),
    ).to.deep.equal([]);
    const development = ['typescript', 'mocha', 'eslint', 'swagger-ui-dist', '@scarf/scarf', 'playwright-core'];
    expect(development.filter(installed)).to.deep.equal([]);
  });

  it('has the list of the versions that were tested, which npm can install by', async () => {
    const own = join(folder, 'node_modules/edge-controller');
    expect(readFileSync(join(own, 'npm-shrinkwrap.json'), 'utf8')).to.equal(
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
    );
    // Refuses a list that package.json does not agree with.
    const said = await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--dry-run'], { cwd: own });
    expect(said).to.match(/^added \d+ packages/m);
  });

  it('starts there by its name, makes a network and serves it with the explorer', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await run('npx', ['--no', 'edge-controller', 'version'], { cwd: folder })).to.include(`v${version}`);
    // What npx runs, without npx, which would not pass on every signal.
    const controller = shop.start(join(folder, 'data'), {
      node: '/usr/bin/env',
      main: join(folder, 'node_modules/.bin/edge-controller'),
      env: { EDGE_ADMIN_PASSWORD: ADMIN.password },
    });
    const url = await controller.ready();
    const admin = await shop.login(url);
    expectStatus(await admin.get(`${MANAGEMENT}/identities`), 200);
    const { text } = await admin.get('/', { headers: { accept: 'text/html' } });
    const [script = 'none'] = /\/network-page\/page-\w+\.js/.exec(text) ?? [];
    for (const path of [script, '/docs', '/docs/swagger-ui-bundle.js', `${MANAGEMENT}/openapi.json`])
      expectStatus(await admin.get(path), 200);
    expect(await controller.stop()).to.deep.equal({ code: 0, signal: null });
  });

  it('has nothing to build when npm starts or prepares it', async () => {
    const own = join(folder, 'node_modules/edge-controller');
    await run('npm', ['run', '--silent', 'prestart'], { cwd: own });
    await run('npm', ['run', '--silent', 'prepare'], { cwd: own });
    expect(readdirSync(own)).not.to.include('tsconfig.json');
  });
});
