import { Command } from 'commander';
import { configPlace, loadConfig, loadSettings } from './shared/config.js';

/** `config print` and `config check`. */
export function configCommand(): Command {
  const print = new Command('print')
    .description('show the settings in force as YAML, secrets hidden')
    .action(async (_options: unknown, command: Command) => {
      const { printConfig } = await import('../server/settings/config-reader.js');
      process.stdout.write(printConfig(await loadConfig(command)));
    });
  const check = new Command('check')
    .description('say whether the settings can be used; each fault with its place')
    .action(async (_options: unknown, command: Command) => {
      const { unknown } = await loadSettings(command);
      const { unknownVariableText } = await import('../server/settings/unknown-variables.js');
      for (const variable of unknown) process.stderr.write(`warning: ${unknownVariableText(variable)}\n`);
      process.stdout.write(`The configuration (from ${configPlace(command)}) has no fault.\n`);
    });
  return new Command('config').description('look at the settings').addCommand(print).addCommand(check);
}
