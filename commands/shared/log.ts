/** Log lines of commands go to standard error: standard output is for what was asked for. */
import type { Settings } from '../../server/settings/config.js';
import type { Logger } from '../../server/base/log.js';

/**
 * @param least  of the lines that are wanted; a setting that wants more of them wins. What a start says at `info` is
 *   not news to whoever runs a command.
 */
export async function commandLog(config: Settings, least: 'info' | 'warn' = 'warn'): Promise<Logger> {
  const { createLogger } = await import('../../server/base/log.js');
  const level = config.logLevel === 'debug' ? 'debug' : least;
  return createLogger({ level, format: config.logFormat, output: 'stderr' });
}
