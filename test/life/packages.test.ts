/**
 * What an installation with any npm brings along and runs: the packages that are used, and the install scripts that are
 * allowed.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const project = fileURLToPath(new URL('../../../', import.meta.url));

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly scarfSettings?: { readonly enabled: boolean };
}
interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const jsonOf = (file: string): unknown => JSON.parse(readFileSync(join(project, file), 'utf8'));
const manifest = jsonOf('package.json') as Manifest;
const locked = Object.entries((jsonOf('package-lock.json') as { packages: Record<string, Locked> }).packages).filter(
  ([path]) => path !== '',
);

/**
 * npm before 11 runs every install script: one that is not allowed must do no harm when it runs. The versions that were
 * looked at.
 */
const HARMLESS: Readonly<Record<string, string>> = { '@scarf/scarf': '1.4.0', esbuild: '0.28.2' };

describe('the packages of an installation', () => {
  it('are of fixed content, wherever they come from', () => {
    for (const [path, { resolved, integrity }] of locked) {
      expect(resolved, path).to.equal(undefined);
      expect(integrity, path).to.be.a('string');
    }
  });

  it('of the generator of SDKs, which has a lockfile of its own, are of fixed content, too', () => {
    const { packages } = jsonOf('scripts/sdk-generator/package-lock.json') as { packages: Record<string, Locked> };
    for (const [path, { resolved, integrity }] of Object.entries(packages).filter(([name]) => name !== '')) {
      expect(resolved, path).to.equal(undefined);
      expect(integrity, path).to.be.a('string');
    }
  });

  it('of the generator of SDKs run no script of their own', () => {
    expect(readFileSync(join(project, 'scripts/sdk-generator/.npmrc'), 'utf8')).to.include('ignore-scripts=true');
    expect(readFileSync(join(project, 'scripts/sdk/generator.ts'), 'utf8')).to.include("'--ignore-scripts'");
  });

  it('of the generator of SDKs bring a jar that is known by its content', () => {
    const { jar } = jsonOf('scripts/sdk-generator/package.json') as { jar: { sha256: string } };
    expect(jar.sha256).to.match(/^[0-9a-f]{64}$/);
  });

  it('run no install script but those that package.json names', () => {
    const scripted = locked
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path, { version }]) => ({ name: path.replace(/^.*node_modules\//, ''), version }));
    expect(scripted.map(({ name }) => name)).to.have.members(Object.keys(manifest.allowScripts));
    for (const { name, version } of scripted.filter((one) => manifest.allowScripts[one.name] !== true))
      expect(HARMLESS[name], name).to.equal(version);
  });

  it('are used: each dependency by the program, each that only tests use for development', () => {
    const textsOf = (folders: readonly string[]) =>
      folders
        .flatMap((folder) =>
          readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
            // The network page is bundled when it is built, with what it uses.
            .filter((file) => /\.(ts|cjs|mjs)$/.test(file) && !file.startsWith('network-page/'))
            .map((file) => readFileSync(join(project, folder, file), 'utf8')),
        )
        .join('\n');
    const program = textsOf(['commands', 'server', 'handlers', 'domain', 'db', 'generated']);
    const isUsed = (name: string) =>
      new RegExp(`(?:from|import|import\\(|require\\(|resolve\\(|target:) ?['"]${name}[/'"]`).test(program);
    expect(Object.keys(manifest.dependencies).filter((name) => !isUsed(name))).to.deep.equal([]);
    expect(Object.keys(manifest.devDependencies).filter(isUsed)).to.deep.equal([]);
  });

  describe('whose install script reports home', () => {
    /**
     * How often the script, run as npm 10 does in a project with this package.json, reports. It is asked to report to
     * this machine.
     */
    const reportsOf = async (root: object): Promise<number> => {
      const place = mkdtempSync(join(tmpdir(), 'edge-packages-'));
      let reports = 0;
      const server = createServer((_, response) => {
        reports += 1;
        response.end('{}');
      });
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      try {
        for (const name of ['@scarf/scarf', 'swagger-ui-dist']) {
          mkdirSync(join(place, 'node_modules', name), { recursive: true });
          cpSync(
            join(project, 'node_modules', name, 'package.json'),
            join(place, 'node_modules', name, 'package.json'),
          );
        }
        const script = join(place, 'node_modules/@scarf/scarf/report.js');
        // It gives npm three seconds, which are not enough on a busy machine.
        const [hurried, patient] = ['const execTimeout = 3000', 'const execTimeout = 60000'];
        const text = readFileSync(join(project, 'node_modules/@scarf/scarf/report.js'), 'utf8');
        expect(text).to.include(hurried);
        writeFileSync(script, text.replace(hurried, patient));
        writeFileSync(join(place, 'package.json'), JSON.stringify(root));
        const env = {
          PATH: process.env['PATH'] ?? '',
          HOME: place,
          TMPDIR: place,
          INIT_CWD: place,
          SCARF_LOCAL_PORT: String((server.address() as AddressInfo).port),
        };
        await new Promise((resolve) => {
          execFile(process.execPath, [script], { cwd: join(place, 'node_modules/@scarf/scarf'), env }, resolve);
        });
        return reports;
      } finally {
        await new Promise((resolve) => {
          server.close(resolve);
        });
        rmSync(place, { recursive: true, force: true });
      }
    };
    const root = {
      name: 'edge-controller',
      version: '0.1.0',
      dependencies: { 'swagger-ui-dist': manifest.devDependencies['swagger-ui-dist'] },
    };

    it('report nothing from this project, where they would from another', async () => {
      expect(await reportsOf(root)).to.equal(1);
      expect(await reportsOf({ ...root, scarfSettings: manifest.scarfSettings })).to.equal(0);
    });
  });
});
