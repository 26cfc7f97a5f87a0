/** How many files this process may have open, and how many it needs: each connection is one. */
import { readFileSync } from 'node:fs';
import type { Settings } from '../settings/config.js';
import type { Logger } from '../base/log.js';
import { passed, warning } from '../maintenance/finding.js';
import type { Finding } from '../maintenance/finding.js';

/** Log, modules, the listening port, and the connections to the database besides the pool. */
const OTHERS = 100;

/** Node has raised it to the hard limit already. Undefined where the system does not say. */
function openFileLimit(limits = '/proc/self/limits'): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync(limits, 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

interface FileNeeds {
  readonly needed: number;
  readonly connections: number;
}

function openFileNeeds({ databasePoolSize, maxConnections, controlListen, controlConnections }: Settings): FileNeeds {
  const connections = maxConnections + (controlListen === null ? 0 : controlConnections);
  return { needed: databasePoolSize + connections + OTHERS, connections };
}

export function warnOfFewFiles(config: Settings, log: Logger): void {
  const limit = openFileLimit();
  const { needed, connections } = openFileNeeds(config);
  if (limit === undefined || limit >= needed) return;
  log.warn(
    { limit, needed, connections, poolSize: config.databasePoolSize },
    'the limit of open files is too low for all connections that may be open: those beyond it are cut. ' +
      `Raise it (ulimit -n ${needed}, or LimitNOFILE=${needed} for systemd), or lower EDGE_LIMIT_CONNECTIONS`,
  );
}

/** @param limits  file in which the system says it */
export function examineOpenFiles(config: Settings, limits?: string): Finding {
  const limit = openFileLimit(limits);
  const { needed } = openFileNeeds(config);
  if (limit === undefined || limit >= needed)
    return passed('open files', `It may open as many as it needs (${needed}).`);
  return warning(
    'open files',
    `It may open ${limit} files, and needs up to ${needed}: connections beyond that are cut.`,
    `Raise the limit (ulimit -n ${needed}, or LimitNOFILE=${needed} for systemd), or lower EDGE_LIMIT_CONNECTIONS.`,
  );
}

/** Returns advice for an error that this limit causes; undefined for any other error. */
export function openFileFault(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (code === 'EMFILE')
      return (
        `It may not open more than ${openFileLimit() ?? 'a few'} files (${at.message}). Raise the limit: ` +
        'ulimit -n, or LimitNOFILE= for systemd.'
      );
    if (code === 'ENFILE')
      return `The system has no more room for open files (${at.message}). Raise fs.file-max, or end what holds them.`;
  }
  return undefined;
}
