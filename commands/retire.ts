import { Argument, Command } from 'commander';
import { loadConfig } from './shared/config.js';
import { commandLog } from './shared/log.js';

/** `retire`: ends a change of the root. */
export function retireCommand(): Command {
  return new Command('retire')
    .description('end the trust in earlier roots, after `renew root`')
    .addArgument(new Argument('<certificate>', 'which one').choices(['root']))
    .option('--force', 'also while certificates below them let somebody in')
    .action(async (_what: string, { force = false }: { force?: boolean }, command: Command) => {
      const config = await loadConfig(command);
      const log = await commandLog(config);
      const { retireEarlierRoots } = await import('../server/keys/renewal.js');
      const refused = await retireEarlierRoots(config, force, log);
      const left = refused === 0 ? '' : `  refused from now on  ${refused} certificates\n`;
      process.stdout.write(`The earlier roots are trusted no more.\n${left}`);
    });
}
