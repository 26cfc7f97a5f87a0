// Writes the bill of materials of an installation as CycloneDX 1.5, made by npm from package-lock.json: the packages
// that run, not those for development. To standard output, or to the file that is named.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const options = ['--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev'];
const made = execFileSync('npm', ['sbom', ...options], {
  cwd: root,
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const bill = JSON.parse(made);
// Where a package was fetched from is a matter of the machine that made this.
for (const component of bill.components ?? [])
  component.externalReferences = (component.externalReferences ?? []).filter(({ type }) => type !== 'distribution');
const text = `${JSON.stringify(bill, null, 2)}\n`;
const file = process.argv[2];
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
