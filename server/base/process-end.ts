/** The end of a process that has done its work. */

/** How long something that was not closed may hold up the end. */
const LINGER_MS = 1_000;

/** Ends when all is written: log lines go out on another thread, and `process.exit` would not wait for them. */
export function endProcess(code: number): void {
  process.exitCode = code;
  setTimeout(() => {
    process.exit(code);
  }, LINGER_MS).unref();
}
