/** The clock of one controller, set by libfaketime: timers and durations go on as they were, as after a step of NTP. */
import { existsSync, writeFileSync } from 'node:fs';
import { arch } from 'node:process';
import type { Stage } from '../../test/support/stage.js';

const FOLDERS: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };
const LIBRARY = `/usr/lib/${FOLDERS[arch] ?? ''}/faketime/libfaketime.so.1`;

export interface Clock {
  /** Of the process whose clock it is. */
  readonly env: Readonly<Record<string, string>>;
  /** @param seconds  ahead of this machine's clock */
  set(seconds: number): void;
}

/** Undefined where Debian's package libfaketime is not installed. */
export function clockOf(stage: Stage, name: string): Clock | undefined {
  if (!existsSync(LIBRARY)) return undefined;
  const file = stage.file(`clock-${name}`, '+0\n');
  return {
    env: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set(seconds) {
      writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    },
  };
}
