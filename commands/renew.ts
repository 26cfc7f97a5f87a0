import { X509Certificate } from 'node:crypto';
import { Argument, Command } from 'commander';
import type { Renewable } from '../server/keys/network-keys.js';
import { loadConfig } from './shared/config.js';
import { commandLog } from './shared/log.js';

const RENEWABLES: readonly Renewable[] = ['server', 'intermediate', 'root'];

/** `renew`: a certificate of the network, before its time. */
export function renewCommand(): Command {
  return new Command('renew')
    .description('renew a certificate before its time; controllers that run take it up')
    .addArgument(new Argument('<certificate>', 'which one').choices(RENEWABLES))
    .action(async (what: Renewable, _options: unknown, command: Command) => {
      const config = await loadConfig(command);
      const log = await commandLog(config);
      const { renewEarly } = await import('../server/keys/renewal.js');
      const certificate = new X509Certificate(await renewEarly(config, what, log));
      process.stdout.write(
        `The ${what} certificate was renewed.\n  fingerprint  ${certificate.fingerprint}\n  valid until  ` +
          `${certificate.validTo}\n`,
      );
    });
}
