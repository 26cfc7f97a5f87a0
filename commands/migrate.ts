import { Command } from 'commander';
import { loadConfig } from './shared/config.js';
import { commandLog } from './shared/log.js';
import { wrapped } from './shared/text.js';

/** `migrate`: the schema of this release, without a start; `--plan` only says what that would do. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schema of the database up to date, as a start does')
    .option('--plan', 'only show what would be done')
    .action(async ({ plan }: { plan?: true }, command: Command) => {
      const config = await loadConfig(command);
      const log = await commandLog(config);
      const { withServer } = await import('../server/data/network-access.js');
      const { migrate, pendingMigrations, purposeOf } = await import('../db/schema/migrate.js');
      await withServer(config, log, async (connection) => {
        const pending = await pendingMigrations(connection);
        if (pending.length === 0) {
          process.stdout.write('The schema is that of this release: there is nothing to do.\n');
          return;
        }
        const applied = plan === true ? pending : await migrate(connection);
        const lines = applied.flatMap((name) => [`  ${name}`, ...wrapped(firstSentence(purposeOf(name)), '    ')]);
        const head =
          plan === true ? 'Would be applied, each once, all of them or none:' : 'The schema is up to date. Applied:';
        process.stdout.write(`${[head, ...lines].join('\n')}\n`);
        if (plan === true) process.stdout.write('Make a backup, then run `edge-controller migrate`.\n');
      });
    });
}

const firstSentence = (text: string): string => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
