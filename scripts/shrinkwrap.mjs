// Makes npm-shrinkwrap.json of package-lock.json for a package that is being packed: npm leaves the lockfile itself out
// of it, and whoever installs the package shall have the versions that were tested. With --remove it goes again.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const place = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const made = place('npm-shrinkwrap.json');

if (process.argv.includes('--remove')) rmSync(made, { force: true });
else {
  const { packages, ...lock } = JSON.parse(readFileSync(place('package-lock.json'), 'utf8'));
  const { devDependencies, ...root } = packages[''];
  const used = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const pinned = { ...lock, packages: { '': root, ...Object.fromEntries(used) } };
  writeFileSync(made, `${JSON.stringify(pinned, null, 2)}\n`);
  console.log(
    `npm-shrinkwrap.json: ${used.length} packages, without ${Object.keys(devDependencies).length} for development`,
  );
}
