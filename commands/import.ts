import { Command } from 'commander';
import { toldInWords, withAccess, withNetworkOptions } from './network/open.js';
import type { NetworkOptions } from './network/open.js';
import { progress } from './shared/progress.js';

interface Options extends NetworkOptions {
  readonly dryRun?: true;
  readonly prune?: true;
}

/** `import`: brings the network to what files say. */
export function importCommand(): Command {
  const command = new Command('import')
    .description('make the network as files say: shows what changes, and changes all of it or nothing')
    .argument('<path...>', 'YAML files, or folders with them')
    .option('--dry-run', 'only show what would change')
    .option('--prune', 'delete what the files do not name, of the kinds that they have')
    .addHelpText(
      'after',
      '\nWith --url each change is a request of its own: those before a refusal stay.\n' +
        'See docs/operations/network-files.md.',
    );
  return withNetworkOptions(command).action(async (files: string[], options: Options, self: Command) => {
    const { importInto, readEntries } = await import('./network/import-network.js');
    await toldInWords(async () => {
      const { only, dryRun, prune } = options;
      const entries = readEntries({ files, only });
      const shown = progress('Importing');
      const line = (text: string) => {
        shown.end();
        process.stdout.write(`${text}\n`);
      };
      const how = { isDryRun: dryRun === true, isPruning: prune === true };
      await withAccess(self, options, (access) =>
        importInto(access, entries, how, { line, progress: shown.report }),
      ).finally(() => {
        shown.end();
      });
    });
  });
}
