// A process that runs files of tests (suite-worker.mjs): how it is started, told and ended.
import { spawn } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { processorSeconds } from './process-times.mjs';

/** With more room for what is soon garbage, collecting it takes a tenth less of all time. */
const ROOM = '--max-semi-space-size=32';

/** How one ends in good order. */
export const ENDED = 'ended with status 0';

/**
 * @param isMapped  stacks name lines of the sources, which takes a tenth of a processor's time
 * @returns a process that takes files, after each other
 */
export function startSuites(root, { place, ports, priority = 0, isMapped = false }) {
  mkdirSync(place);
  chmodSync(place, 0o1777); // as /tmp: servers of other users have their sockets there
  // What it prints goes to a file, so that what it printed is whole whenever it answers.
  const log = `${place}.log`;
  const output = openSync(log, 'a');
  const options = [ROOM, ...(isMapped ? ['--enable-source-maps'] : [])];
  const child = spawn(process.execPath, [...options, 'scripts/suite-worker.mjs'], {
    cwd: root,
    env: { ...process.env, TMPDIR: place, EDGE_TEST_PORTS: ports },
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  if (priority > 0 && child.pid !== undefined) setPriority(child.pid, priority); // and of all that it starts
  let printed = 0;
  let isOver = false;
  const ended = new Promise((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with status ${code}`));
  }).then((how) => {
    isOver = true;
    return how;
  });

  return {
    hasEnded: () => isOver,
    /** Of processors, so far; undefined where the system does not tell. */
    cpuSeconds: () => (child.pid === undefined ? undefined : processorSeconds(child.pid)),
    /** What the tests of a file came to. @throws how the process ended instead */
    async run(file) {
      const answer = new Promise((resolve) => {
        child.on('message', function take(message) {
          if (!('result' in message)) return;
          child.off('message', take);
          resolve(message.result);
        });
      });
      child.send({ file });
      const result = await Promise.race([answer, ended.then(() => undefined)]);
      if (result === undefined) throw new Error(await ended);
      return result;
    },
    /** What it printed since this was asked last. */
    news() {
      const text = readFileSync(log);
      const fresh = text.subarray(printed);
      printed = text.length;
      return fresh;
    },
    kill: (signal) => child.kill(signal),
    /** In good order. @returns how it ended */
    end() {
      if (child.connected) child.disconnect();
      return ended;
    },
  };
}
