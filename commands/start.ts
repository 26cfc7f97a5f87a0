import { Command } from 'commander';
import { loadSettings } from './shared/config.js';

/** `start`: a controller, until SIGTERM or SIGINT. Its workers are forked with the same command line. */
export function startCommand(): Command {
  return new Command('start')
    .description('start a controller, and stop it on SIGTERM or SIGINT')
    .action(async (_options: unknown, command: Command) => {
      const { config, otherNames, unknown } = await loadSettings(command);
      const { createLogger } = await import('../server/base/log.js');
      const { runController } = await import('../server/start/run.js');
      await runController(config, createLogger({ level: config.logLevel, format: config.logFormat }), {
        otherNames,
        unknown,
      });
    });
}
