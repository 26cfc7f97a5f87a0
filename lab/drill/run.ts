/** A drill as a command: bounded in time, and nothing of it is left, however it ends. */
import { pathToFileURL } from 'node:url';
import { say } from '../bench/progress.js';
import { Stage } from '../../test/support/stage.js';

interface Bounds {
  /** The directory with configurations and logs stays. */
  readonly keeps: boolean;
  /** A drill that takes longer hangs. */
  readonly deadlineMs: number;
}

export async function onStage({ keeps, deadlineMs }: Bounds, work: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = new Stage(keeps);
  let ending: Promise<void> | undefined;
  const end = () => (ending ??= stage.end());
  const leave = (code: number) => {
    void end().finally(() => process.exit(code));
  };
  process.on('SIGINT', () => {
    leave(130);
  });
  process.on('SIGTERM', () => {
    leave(143);
  });
  const deadline = setTimeout(() => {
    process.stderr.write(`drill: not over after ${deadlineMs / 1000} s\n`);
    leave(1);
  }, deadlineMs);
  try {
    await work(stage);
  } finally {
    clearTimeout(deadline);
    await end();
    if (keeps) say(`kept: ${stage.place}`);
  }
}

/** A line on stderr for each step, with the time since this call. */
export function stopwatch(): (text: string) => void {
  const startedAt = performance.now();
  return (text) => {
    say(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`);
  };
}

/** Runs `main` when the script is the command, and nothing when it is imported. */
export function runScript(moduleUrl: string, main: (args: readonly string[]) => Promise<void>): void {
  if (process.argv[1] === undefined || moduleUrl !== pathToFileURL(process.argv[1]).href) return;
  main(process.argv.slice(2)).then(
    () => process.exit(),
    (error: unknown) => {
      const { message, cause } = error as Error;
      process.stderr.write(`drill: ${message}${cause instanceof Error ? `: ${cause.message}` : ''}\n`);
      process.exit(1);
    },
  );
}
