/** The command: reads the configuration, starts a controller, stops it on SIGTERM or SIGINT. */
import { parseArgs } from 'node:util';
import { EmbeddedDatabaseError } from '../db/embedded/error.js';
import { SchemaError } from '../db/migrate.js';
import { DomainError } from '../domain/errors.js';
import { ConfigError, printConfig, readConfig } from './config.js';
import { startController } from './controller.js';
import type { Controller } from './controller.js';
import { createLogger } from './log.js';
import { readVersion } from './version.js';

const USAGE = `Usage: npm start -- [options]

  -c, --config FILE   YAML file with settings (see docs/configuration.md)
      --print-config  show the effective configuration, secrets hidden, and exit
      --version       show the version and exit
  -h, --help          show this text and exit

Every setting is also an environment variable, such as EDGE_LISTEN or DATABASE_URL.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: {
    config: { type: 'string', short: 'c' }, 'print-config': { type: 'boolean' }, version: { type: 'boolean' }, help: { type: 'boolean', short: 'h' },
  } });
  if (values.help === true) { process.stdout.write(USAGE); return; }
  if (values.version === true) { process.stdout.write(`${readVersion().version}\n`); return; }
  const config = readConfig({ file: values.config ?? process.env['EDGE_CONFIG'], env: process.env });
  if (values['print-config'] === true) { process.stdout.write(printConfig(config)); return; }
  const log = createLogger({ level: config.logLevel, format: config.logFormat });
  let stopping: Promise<void> | undefined;
  let controller: Controller | undefined;
  const stop = (signal: string) => {
    stopping ??= (async () => {
      log.info({ signal }, 'stopping');
      await controller?.stop();
      log.info('stopped');
      log.flush();
      process.exit(0);
    })();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  controller = await startController(config, log);
  log.info({ url: controller.url, advertise: controller.advertise, docs: config.docs ? `${controller.url}/docs` : undefined }, 'controller is ready');
  const { newAdmin } = controller;
  if (newAdmin !== undefined) process.stderr.write(firstStartNotice(newAdmin));
}

function firstStartNotice({ username, password, file }: NonNullable<Controller['newAdmin']>): string {
  return `
  A new network was made. Its administrator:

      username  ${username}
      password  ${password}

  This is shown once. The password also stands in
  ${file}
  (readable by you only; delete it once you have noted the password).

`;
}

main().catch((error: unknown) => {
  const isExpected = error instanceof ConfigError || error instanceof EmbeddedDatabaseError || error instanceof SchemaError || error instanceof DomainError
    || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') === true;
  const text = isExpected ? (error as Error).message : ((error as Error).stack ?? String(error));
  process.stderr.write(`edge-controller: ${text}\n`);
  process.exit(1);
});
