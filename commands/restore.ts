import { Command } from 'commander';
import { loadConfig } from './shared/config.js';
import { commandLog } from './shared/log.js';
import { progress } from './shared/progress.js';

/** `restore`: the content of a snapshot into an empty database. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('put the content of a snapshot into an empty database')
    .argument('<file>', 'the snapshot')
    .addHelpText('after', '\nThe master key of its network must be set, or be in the data directory.')
    .action(async (file: string, _options: unknown, command: Command) => {
      const config = await loadConfig(command);
      const log = await commandLog(config);
      const { restoreSnapshot } = await import('../server/maintenance/restore.js');
      const { report, end } = progress('Restoring the snapshot');
      const { header, tables, rows } = await restoreSnapshot(config, file, report, log).finally(end);
      process.stdout.write(
        `The network of ${header.trustDomain} is restored, as it was on ${header.createdAt}.\n` +
          `  tables  ${tables}\n  rows    ${rows}\n`,
      );
    });
}
