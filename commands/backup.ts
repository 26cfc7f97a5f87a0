import { Command } from 'commander';
import { loadConfig } from './shared/config.js';
import { commandLog } from './shared/log.js';
import { progress } from './shared/progress.js';

/** `backup`: a snapshot of the database, whether a controller runs or not. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('write a snapshot of the database into a file, with a controller running or not')
    .argument('[file]', 'a new file, or a directory (default: snapshots/ of the data directory)')
    .addHelpText('after', '\nThe master key is not in it: keep a copy of that elsewhere.')
    .action(async (file: string | undefined, _options: unknown, command: Command) => {
      const config = await loadConfig(command);
      const log = await commandLog(config);
      const { backUpInto } = await import('../server/maintenance/backup.js');
      const { report, end } = progress('Taking the snapshot');
      const { file: written, bytes, tables, rows } = await backUpInto(config, file, report, log).finally(end);
      process.stdout.write(
        `The snapshot is in ${written}\n  tables  ${tables}\n  rows    ${rows}\n  bytes   ${bytes}\n`,
      );
    });
}
