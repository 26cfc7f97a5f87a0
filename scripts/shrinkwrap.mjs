// Puts package-lock.json into a package that is being packed, under the name that npm takes along: whoever unpacks it
// can install the very versions that were tested (npm ci). With --remove it goes again.
import { copyFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const place = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv.includes('--remove')) rmSync(place('npm-shrinkwrap.json'), { force: true });
else copyFileSync(place('package-lock.json'), place('npm-shrinkwrap.json'));
