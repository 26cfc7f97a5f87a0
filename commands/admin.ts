import { Command, Option } from 'commander';
import type { Identity } from '../domain/model.js';
import type { Stores } from '../db/stores/stores.js';
import type { Logger } from '../server/base/log.js';
import type { IdentitySelector } from '../server/data/operator.js';
import { loadConfig } from './shared/config.js';
import { commandLog } from './shared/log.js';
import { givenPassword } from './shared/password.js';
import type { PasswordSource } from './shared/password.js';

/** `admin`: what lets an identity log in again, on the database alone, whether a controller runs or not. */
export function adminCommand(): Command {
  return new Command('admin')
    .description('let an identity log in again: set its password, unlock it')
    .addCommand(resetPasswordCommand())
    .addCommand(unlockCommand());
}

const ENDS_SESSIONS = '\nIts API sessions end on every controller. A log line says who did it.';

function resetPasswordCommand(): Command {
  return new Command('reset-password')
    .description('set the password of an identity, a new random one unless you give one')
    .argument('[username]', 'whose (default: the default administrator)')
    .option('--id <id>', 'the id of the identity instead')
    .option('--password-file <file>', 'file with the password on its first line; - reads standard input')
    .addOption(
      new Option('--generate', 'make a random password without asking, and show it once').conflicts('passwordFile'),
    )
    .addHelpText('after', `\nOn a terminal it asks for the password.${ENDS_SESSIONS}`)
    .action(
      async (
        username: string | undefined,
        options: Pick<IdentitySelector, 'id'> & PasswordSource,
        command: Command,
      ) => {
        const { newPassword, resetPassword } = await import('../server/data/operator.js');
        const { createPasswordHasher } = await import('../domain/auth/passwords.js');
        const given = await givenPassword(options);
        await withIdentity(command, { username, id: options.id }, async (stores, identity, log) => {
          const password = given ?? newPassword();
          const passwords = createPasswordHasher();
          const name = await resetPassword(stores, { identity, password, passwords, log });
          const shown = given === undefined ? `\n  password  ${password}\n\nThe password is shown once.` : '';
          process.stdout.write(
            `The password of ${identity.name} is set, and its API sessions have ended.\n  username  ${name}${shown}\n`,
          );
          if (identity.isDisabled)
            process.stdout.write(`It is disabled and cannot log in yet: edge-controller admin unlock ${name}\n`);
        });
      },
    );
}

function unlockCommand(): Command {
  return new Command('unlock')
    .description('enable an identity, and forget wrong passwords and codes')
    .argument('[username]', 'whose (default: the default administrator)')
    .option('--id <id>', 'the id of the identity instead, for one without a password')
    .addHelpText('after', ENDS_SESSIONS)
    .action(async (username: string | undefined, { id }: Pick<IdentitySelector, 'id'>, command: Command) => {
      const { unlockIdentity } = await import('../server/data/operator.js');
      await withIdentity(command, { username, id }, async (stores, identity, log) => {
        const { wasDisabled, wasBlocked } = await unlockIdentity(stores, identity, log);
        const found = [
          wasDisabled ? 'it was disabled' : '',
          wasBlocked ? 'wrong codes of its second factor counted' : '',
        ].filter((part) => part !== '');
        process.stdout.write(
          `${identity.name} can log in (${found.length === 0 ? 'nothing kept it out' : found.join(', ')}). ` +
            'Its API sessions have ended.\n',
        );
      });
    });
}

async function withIdentity(
  command: Command,
  whom: IdentitySelector,
  work: (stores: Stores, identity: Identity, log: Logger) => Promise<void>,
): Promise<void> {
  if (whom.username !== undefined && whom.id !== undefined)
    command.error('error: give a username or --id, not both', { exitCode: 2 });
  const config = await loadConfig(command);
  const { withNetwork } = await import('../server/data/network-access.js');
  const { findIdentity } = await import('../server/data/operator.js');
  const { withoutHidden } = await import('../domain/network-files/values.js');
  await withNetwork(config, await commandLog(config), async ({ stores }) => {
    const identity = await findIdentity(stores, whom);
    // Removes control characters: the name was given by others, who must not write on this terminal.
    const shown = { ...identity, name: withoutHidden(identity.name) };
    await work(stores, shown, await commandLog(config, 'info'));
  });
}
