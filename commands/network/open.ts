/** Options and messages shared by `export` and `import`: the network, the kinds, and how a failure is reported. */
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { KIND_NAMES } from '../../domain/network-files/kind-names.js';
import type { KindName } from '../../domain/network-files/kind-names.js';
import type { NetworkAccess } from './access.js';
import type { ApiClientOptions } from './api-client.js';
import { loadConfig } from '../shared/config.js';
import { commandLog } from '../shared/log.js';

export interface NetworkOptions extends Partial<ApiClientOptions> {
  readonly only?: ReadonlySet<KindName>;
}

/** Adds the options of `NetworkOptions`. */
export function withNetworkOptions(command: Command): Command {
  const only = (text: string, before: ReadonlySet<KindName> = new Set()): ReadonlySet<KindName> => {
    const names = text.split(',').map((name) => {
      const known = KIND_NAMES.find((kind) => kind === name.trim());
      if (known === undefined) throw new InvalidArgumentError(`The kinds are ${KIND_NAMES.join(', ')}.`);
      return known;
    });
    return new Set([...before, ...names]);
  };
  return withApiOptions(
    command.addOption(new Option('--only <kinds>', 'only these kinds, such as services,configs').argParser(only)),
  );
}

/** Adds the options of `ApiClientOptions`. */
export function withApiOptions(command: Command): Command {
  const ofApi = (option: Option) => option.helpGroup('Over the API of a controller, instead of its database:');
  return command
    .addOption(ofApi(new Option('--url <url>', 'address of the controller, such as https://127.0.0.1:1280')))
    .addOption(ofApi(new Option('--ca <file>', 'CA certificates by which it is known (default: those of the system)')))
    .addOption(ofApi(new Option('--username <name>', 'username of an administrator')))
    .addOption(ofApi(new Option('--password-file <file>', 'file with the password on its first line')))
    .addOption(ofApi(new Option('--cert <file>', 'client certificate of an administrator, instead of a password')))
    .addOption(ofApi(new Option('--key <file>', 'its key')));
}

const OF_API = ['ca', 'username', 'passwordFile', 'cert', 'key'] as const;

/** The network that the options, or the settings of this controller, mean. */
export async function withAccess<T>(
  command: Command,
  options: NetworkOptions,
  work: (access: NetworkAccess) => Promise<T>,
): Promise<T> {
  const { url } = options;
  if (url === undefined) {
    const lost = OF_API.find((name) => options[name] !== undefined);
    if (lost !== undefined)
      command.error(`error: --${lost.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)} goes with --url`, {
        exitCode: 2,
      });
    const config = await loadConfig(command);
    const { withLocalNetwork } = await import('./local.js');
    return withLocalNetwork(config, await commandLog(config), work);
  }
  const { withRemoteNetwork } = await import('./remote.js');
  return withRemoteNetwork({ ...options, url }, work);
}

/** Ends with 1, and says why, for what the operator can mend. All else is thrown on. */
export async function toldInWords(work: () => Promise<void>): Promise<void> {
  const { NetworkFileError } = await import('../../domain/network-files/problem.js');
  const { ApiError } = await import('./api-client.js');
  const { ChangeRefused } = await import('./access.js');
  const { ImportStopped } = await import('./carry-out.js');
  try {
    await work();
  } catch (error) {
    const isExpected = [NetworkFileError, ApiError, ChangeRefused, ImportStopped].some((type) => error instanceof type);
    if (!isExpected) throw error;
    process.stderr.write(`edge-controller: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
