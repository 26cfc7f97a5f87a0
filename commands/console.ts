import { Command } from 'commander';

interface Options {
  readonly path: string;
  readonly json?: true;
}

/** `console`: checks a release of the stock console, and says what to set. */
export function consoleCommand(): Command {
  return new Command('console')
    .description('check a release of the stock administration console, and say what to set to serve it')
    .argument('<folder>', 'the unpacked release')
    .option('--path <path>', 'where it is served', 'zac')
    .option('--json', 'as JSON, for programs')
    .addHelpText('after', '\nFetches nothing and sets nothing. See docs/operations/console.md.')
    .action(async (folder: string, { path: given, json }: Options) => {
      const { consoleRelease } = await import('./console/release.js');
      const path = given.replace(/^\/|\/$/g, '');
      const { version, location, files, bytes, policy } = consoleRelease(folder, path);
      const [plain, withMap] = [
        { path, location },
        { path, location, policy },
      ];
      if (json === true) {
        const found = { version: version ?? null, files, bytes, spa: [plain], spaWithMap: [withMap] };
        process.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
        return;
      }
      process.stdout.write(
        `This is the stock console${version === undefined ? '' : ` ${version}`}, whole: ${files} files, ` +
          `${(bytes / 1_048_576).toFixed(1)} MiB.\n\n` +
          `Set this, start the controller again, and open /${path}/ at its address:\n\n` +
          `  EDGE_SPA=${quoted(JSON.stringify([plain]))}\n\n` +
          'Or this in its file of settings. Browsers may then also load the pictures of its map\n' +
          'from openstreetmap.org, and a font from Google. The policy is for this release: run the\n' +
          'command again for another one.\n\n' +
          `  spa:\n    - path: ${path}\n      location: ${JSON.stringify(location)}\n` +
          `      policy: ${JSON.stringify(policy)}\n`,
      );
    });
}

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
