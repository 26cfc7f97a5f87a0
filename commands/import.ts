import { Command } from 'commander';
import { toldInWords, withAccess, withNetworkOptions } from './network/open.js';
import type { NetworkOptions } from './network/open.js';
import { progress } from './shared/progress.js';

interface Options extends NetworkOptions {
  readonly dryRun?: true;
  readonly prune?: true;
  readonly access?: true;
  readonly exitCode?: true;
  readonly json?: true;
}

/** `import`: brings the network to what files say. */
export function importCommand(): Command {
  const command = new Command('import')
    .description('make the network as files say: shows what changes, and changes all of it or nothing')
    .argument('<path...>', 'YAML files, or folders with them')
    .option('--dry-run', 'only show what would change')
    .option('--prune', 'delete what the files do not name, of the kinds that they have')
    .option('--access', 'also say who gains and who loses which service by the policies')
    .option('--exit-code', 'end with 2 when there is a difference, as with --dry-run in pipelines')
    .option('--json', 'as JSON, for programs')
    .addHelpText(
      'after',
      '\nWith --url each change is a request of its own: those before a refusal stay.\n' +
        'See docs/operations/network-files.md.',
    );
  return withNetworkOptions(command).action(async (files: string[], options: Options, self: Command) => {
    const { importInto, readEntries } = await import('./network/import-network.js');
    await toldInWords(async () => {
      const { only, dryRun, prune, access: isCountingAccess = false, exitCode, json } = options;
      const entries = readEntries({ files, only });
      const shown = progress('Importing');
      const line = (text: string) => {
        shown.end();
        if (json !== true) process.stdout.write(`${text}\n`);
      };
      const how = { isDryRun: dryRun === true, isPruning: prune === true, isCountingAccess };
      const { plan, access: change } = await withAccess(self, options, (access) =>
        importInto(access, entries, how, { line, progress: shown.report }),
      ).finally(() => {
        shown.end();
      });
      if (json === true) {
        const { jsonReportOf } = await import('../domain/network-files/report.js');
        process.stdout.write(`${JSON.stringify(jsonReportOf(plan, change, dryRun !== true), undefined, 2)}\n`);
      }
      if (exitCode === true && plan.steps.length > 0) process.exitCode = 2;
    });
  });
}
