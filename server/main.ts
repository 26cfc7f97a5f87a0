/** The command: reads the configuration, starts a controller, stops it on SIGTERM or SIGINT. */
import { X509Certificate } from 'node:crypto';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { DatabaseError } from 'pg';
import { EmbeddedDatabaseError } from '../db/embedded/error.js';
import { DatabaseUnavailable, OUTAGES, outageOf, reasonOf } from '../db/outages.js';
import { SchemaError } from '../db/migrate.js';
import { DomainError } from '../domain/errors.js';
import { otherNamesOf, printConfig, readConfig } from './config-reader.js';
import { ConfigError } from './config.js';
import type { Config } from './config.js';
import { startController } from './controller.js';
import type { Controller } from './controller.js';
import { createLogger } from './log.js';
import type { Logger } from './log.js';
import { renewables } from './network-keys.js';
import { openFileFault, warnOfFewFiles } from './open-files.js';
import { renewEarly } from './renewal.js';
import { restoreSnapshot } from './restore.js';
import { readVersion } from './version.js';
import { isWorker, startWorkers } from './workers.js';

const USAGE = `Usage: npm start -- [options]

  -c, --config FILE   YAML file with settings (see docs/configuration.md)
      --print-config  show the effective configuration, secrets hidden, and exit
      --renew WHAT    renew a certificate before its time and exit: "server" or "intermediate";
                      controllers that run take it up at once (see docs/pki.md)
      --restore FILE  put the content of a snapshot into an empty database and exit; the master key of its
                      network must be set (see docs/operations/backup.md)
      --version       show the version and exit
  -h, --help          show this text and exit

Every setting is also an environment variable, such as EDGE_LISTEN or DATABASE_URL.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      config: { type: 'string', short: 'c' },
      'print-config': { type: 'boolean' },
      renew: { type: 'string' },
      restore: { type: 'string' },
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return;
  }
  if (values.version === true) {
    process.stdout.write(`${readVersion().version}\n`);
    return;
  }
  const config = readConfig({ file: values.config ?? process.env['EDGE_CONFIG'], env: process.env });
  if (values['print-config'] === true) {
    process.stdout.write(printConfig(config));
    return;
  }
  const log = createLogger({ level: config.logLevel, format: config.logFormat });
  if (values.renew !== undefined) {
    await renew(config, values.renew, log);
    return;
  }
  if (values.restore !== undefined) {
    await restore(config, values.restore, log);
    return;
  }
  if (!isWorker) {
    warnOfFewFiles(config, log);
    for (const { instead, ...use } of otherNamesOf(config)) {
      if (instead === undefined) log.info(use, 'a setting is taken from variables of other images');
      else log.info({ ...use, instead }, 'variables of other images are not used, because the setting itself is there');
    }
  }
  const abort = new AbortController();
  const start = config.workers > 1 ? startWorkers : startController;
  const starting = Promise.resolve().then(() => start(config, log, abort.signal));
  stopOnSignal(starting, abort, log);
  const controller = await starting.catch((error: unknown) => {
    // A start that was asked to stop ends as asked, not with its error.
    if (!abort.signal.aborted) throw error;
  });
  if (controller === undefined || abort.signal.aborted) return;
  if (isWorker) return;
  log.info(
    { url: controller.url, advertise: controller.advertise, docs: config.docs ? `${controller.url}/docs` : undefined },
    'controller is ready',
  );
  const { newAdmin } = controller;
  if (newAdmin !== undefined) process.stderr.write(firstStartNotice(newAdmin));
}

async function renew(config: Config, what: string, log: Logger): Promise<void> {
  const known = renewables.find((name) => name === what);
  if (known === undefined) throw new ConfigError(`--renew takes one of ${renewables.join(', ')}, not "${what}".`);
  const certificate = new X509Certificate(await renewEarly(config, known, log));
  process.stdout.write(
    `The ${known} certificate was renewed.\n  fingerprint  ${certificate.fingerprint}\n  valid until  ` +
      `${certificate.validTo}\n`,
  );
}

async function restore(config: Config, file: string, log: Logger): Promise<void> {
  const { header, tables, rows } = await restoreSnapshot(config, file, log);
  process.stdout.write(
    `The network of ${header.trustDomain} is restored, as it was on ${header.createdAt}.\n  tables  ${tables}\n` +
      `  rows    ${rows}\n`,
  );
}

/** How long something that was not closed may hold up the end. */
const LINGER_MS = 1_000;

/** Ends when all is written: log lines go out on another thread, and `process.exit` would not wait for them. */
function end(code: number): void {
  process.exitCode = code;
  setTimeout(() => {
    process.exit(code);
  }, LINGER_MS).unref();
}

/** npm passes on the Ctrl-C that this process got from the terminal already: what comes this soon is the same one. */
const SAME_SIGNAL_MS = 500;
/** How long a start that was asked to stop may take to reach a step where it can. */
const ABORT_MS = 20_000;

/** The first SIGTERM or SIGINT lets requests in flight finish; another one stops waiting for them. */
function stopOnSignal(starting: Promise<Controller>, abort: AbortController, log: Logger): void {
  let since: number | undefined;
  const started = starting.catch(() => undefined);
  const stop = async (signal: string) => {
    log.info({ signal }, 'stopping');
    abort.abort();
    const overdue = setTimeout(() => {
      process.exit(1);
    }, ABORT_MS);
    const controller = await started;
    clearTimeout(overdue);
    await controller?.stop();
    log.info('stopped');
    end(0);
  };
  const onSignal = (signal: string) => {
    const now = performance.now();
    if (since === undefined) {
      since = now;
      void stop(signal);
    } else if (now - since > SAME_SIGNAL_MS) {
      log.info({ signal }, 'stopping at once');
      void started.then((controller) => controller?.stop());
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
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

// V8 lets a heap grow to several times of what is in use before it looks for garbage. Lists make much of it in little
// time: at twice what is in use the process stays below 300 MiB under load (docs/performance.md).
setFlagsFromString('--heap-growing-percent=100');

main().catch((error: unknown) => {
  process.stderr.write(`edge-controller: ${explain(error)}\n`);
  end(1);
});

/** One sentence for what an operator can mend; the stack of what only we can. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fileFault = openFileFault(error);
  if (fileFault !== undefined) return fileFault;
  // The message of a `DatabaseUnavailable` is for callers of the API; one of the server may repeat the user's name.
  const outage = error instanceof DatabaseUnavailable || error instanceof DatabaseError ? outageOf(error) : undefined;
  if (outage !== undefined)
    return `The database failed during the start: ${reasonOf(error.cause ?? error)}. ${OUTAGES[outage].advice}.`;
  if (error instanceof DatabaseError)
    return `The database refused a statement of the start: ${error.message} (SQLSTATE ${error.code ?? 'unknown'}).`;
  const isExpected =
    error instanceof ConfigError ||
    error instanceof EmbeddedDatabaseError ||
    error instanceof SchemaError ||
    error instanceof DomainError ||
    (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') === true;
  return isExpected ? error.message : (error.stack ?? error.message);
}
