/** Progress of long work, on standard error: one line that changes on a terminal, a line now and then elsewhere. */

const TERMINAL_MS = 200;
const LINES_MS = 10_000;

export interface ProgressLine {
  readonly report: (what: string, count: number, unit?: string) => void;
  /** Takes the line away that is on a terminal. */
  readonly end: () => void;
}

/** @param doing  the work, such as `Taking the snapshot` */
export function progress(doing: string, stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  let last = performance.now();
  let isShown = false;
  return {
    report(what, count, unit = 'rows') {
      const now = performance.now();
      if (now - last < (stream.isTTY ? TERMINAL_MS : LINES_MS)) return;
      last = now;
      const line = `${doing}: ${what}, ${count.toLocaleString('en')} ${unit}`;
      stream.write(stream.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
      isShown = stream.isTTY;
    },
    end() {
      if (isShown) stream.write('\r\x1b[K');
    },
  };
}
