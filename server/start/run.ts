/** A controller as a process: starts it, says that it is ready, and stops it on SIGTERM or SIGINT. */
import { setFlagsFromString } from 'node:v8';
import type { Settings } from '../settings/config.js';
import { startController } from './controller.js';
import type { RunningController } from './controller.js';
import type { Logger } from '../base/log.js';
import { warnOfFewFiles } from './open-files.js';
import type { OtherNameUse } from '../settings/other-names.js';
import { endProcess } from '../base/process-end.js';
import type { ReadSettings } from '../settings/config-reader.js';
import { isWorker, startWorkers } from './workers.js';

// V8 lets a heap grow to several times of what is in use before it looks for garbage. Lists make much of it in little
// time: at twice what is in use the process stays below 300 MiB under load (docs/performance.md).
const HEAP = '--heap-growing-percent=100';

type FoundVariables = Pick<ReadSettings, 'otherNames' | 'unknown'>;

/**
 * Resolves when it serves, or when it was stopped before.
 * @param found  in the environment, to be put into the log
 * @throws what kept it from starting
 */
export async function runController(config: Settings, log: Logger, found: FoundVariables): Promise<void> {
  setFlagsFromString(HEAP);
  if (!isWorker) {
    warnOfFewFiles(config, log);
    tellOtherNames(found.otherNames, log);
    for (const { name: variable, meant } of found.unknown)
      log.warn({ variable, ...(meant === undefined ? {} : { meant }) }, 'a variable is no setting and has no effect');
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

function tellOtherNames(otherNames: readonly OtherNameUse[], log: Logger): void {
  for (const { instead, ...use } of otherNames)
    if (instead === undefined) log.info(use, 'a setting is taken from variables of other images');
    else log.info({ ...use, instead }, 'variables of other images are not used, because the setting itself is there');
}

/** npm passes on the Ctrl-C that this process got from the terminal already: what comes this soon is the same one. */
const SAME_SIGNAL_MS = 500;
/** How long a start that was asked to stop may take to reach a step where it can. */
const ABORT_MS = 20_000;

/** The first SIGTERM or SIGINT lets requests in flight finish; another one stops waiting for them. */
function stopOnSignal(starting: Promise<RunningController>, abort: AbortController, log: Logger): void {
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
    endProcess(0);
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

function firstStartNotice({ username, password, file }: NonNullable<RunningController['newAdmin']>): string {
  return `
  A new network was made. Its administrator:

      username  ${username}
      password  ${password}

  This is shown once. The password also stands in
  ${file}
  (readable by you only; delete it once you have noted the password).

`;
}
