// Writes the bill of materials of an installation as CycloneDX, made by npm from package-lock.json: the packages that
// run, not those for development. To standard output, or to the file that is named.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const { devDependencies, scripts, ...manifest } = read('package.json');
const { packages, ...lock } = read('package-lock.json');
const { devDependencies: developed, ...own } = packages[''];
const run = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);

const place = mkdtempSync(join(tmpdir(), 'edge-sbom-'));
try {
  // Without what is for development from the start: to omit it, npm (11) leaves out what the program needs as well.
  const root = join(place, manifest.name);
  mkdirSync(root);
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(root, 'package-lock.json'),
    JSON.stringify({ ...lock, packages: { '': own, ...Object.fromEntries(run) } }),
  );
  const options = ['--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev'];
  const bill = JSON.parse(
    execFileSync('npm', ['sbom', ...options], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  // Where a package was fetched from is a matter of the machine that made this.
  for (const component of bill.components)
    component.externalReferences = component.externalReferences.filter(({ type }) => type !== 'distribution');
  const text = `${JSON.stringify(bill, null, 2)}\n`;
  if (process.argv[2] === undefined) process.stdout.write(text);
  else writeFileSync(process.argv[2], text);
} finally {
  rmSync(place, { recursive: true, force: true });
}
