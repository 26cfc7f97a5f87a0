/** All commands, and what holds for each: help, version, errors in one form. */
import { Command } from 'commander';
import { readVersion } from '../server/base/version.js';
import { adminCommand } from './admin.js';
import { backupCommand } from './backup.js';
import { configCommand } from './config.js';
import { consoleCommand } from './console.js';
import { convertCommand } from './convert.js';
import { doctorCommand } from './doctor.js';
import { explainCommand } from './explain.js';
import { exportCommand } from './export.js';
import { importCommand } from './import.js';
import { migrateCommand } from './migrate.js';
import { renewCommand } from './renew.js';
import { restoreCommand } from './restore.js';
import { retireCommand } from './retire.js';
import { startCommand } from './start.js';
import { versionCommand } from './version.js';

/** Each makes one command; a new file of this folder is added here. In the order of the help. */
const COMMANDS: readonly (() => Command)[] = [
  startCommand,
  configCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  exportCommand,
  importCommand,
  convertCommand,
  explainCommand,
  consoleCommand,
  adminCommand,
  renewCommand,
  retireCommand,
  migrateCommand,
  versionCommand,
];

export function createProgram(): Command {
  const program = new Command('edge-controller')
    .usage('<command> [options]')
    .description('The controller of a zero-trust overlay network: starts it, and what its operator does.')
    .option('-c, --config <file>', 'YAML file with settings (default: $EDGE_CONFIG)')
    .version(readVersion().version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'edge-controller: '));
      },
    })
    .showHelpAfterError('edge-controller --help lists commands; COMMAND --help says what one takes.')
    .addHelpText(
      'after',
      '\nEvery setting is also an environment variable, such as EDGE_LISTEN or DATABASE_URL.\n' +
        'Ends with 0: done; 1: failed, or a fault was found; 2: not understood.',
    )
    .exitOverride();
  for (const make of COMMANDS) program.addCommand(settled(make(), program));
  return program;
}

/** Copies the parent's settings to a command made by itself. */
function settled(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  command.commands.forEach((child) => settled(child, command));
  return command;
}
