/**
 * Traces of requests by OpenTelemetry, when the configuration names a collector. What belongs to a request is handed
 * down to its statements and outgoing requests, as its clock is (docs/decisions/0012): there is no context that follows
 * promises, and without a collector nothing of OpenTelemetry is loaded.
 */
import type { Context } from '../../handlers/context.js';
import type { Closers } from '../base/closers.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import type { Logger } from '../base/log.js';
import type { RequestTrace, Traces } from '../http/request-facts.js';
import { readSettingFile } from '../settings/setting-files.js';
import { tracedKeys } from '../keys/signer-keys.js';

export interface TracesParts {
  readonly config: Pick<Settings, 'tracesEndpoint' | 'tracesRatio' | 'tracesHeadersFile' | 'name'>;
  readonly version: string;
  readonly log: Logger;
  readonly closers: Closers;
}

/** @returns undefined when nothing is traced. @throws ConfigError when the file of headers cannot be used */
export async function openTraces({ config, version, log, closers }: TracesParts): Promise<Traces | undefined> {
  const { tracesEndpoint: url, tracesRatio: ratio, tracesHeadersFile, name } = config;
  if (url === null) return undefined;
  const headers = tracesHeadersFile === null ? {} : headersIn(tracesHeadersFile);
  const { startTraces } = await import('./sdk.js');
  const { traces, close } = startTraces({ url, ratio, headers, name, version, log });
  closers.push(close);
  log.info({ collector: new URL(url).host, ratio }, 'requests are traced');
  return traces;
}

/** Returns the context of handlers for one request that is traced. */
export function tracedContext(context: Context, { outgoing }: RequestTrace): Context {
  const { signerKeys, secondTokens } = context;
  return {
    ...context,
    signerKeys: tracedKeys(signerKeys, outgoing),
    secondTokens: { owed: (tokens, signer) => secondTokens.owed(tokens, signer, outgoing) },
  };
}

/** @throws ConfigError, which names a line and never what it holds */
function headersIn(file: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [at, line] of readSettingFile(file, 'EDGE_TRACES_HEADERS_FILE').split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name, value] = /^([\w-]{1,100}): *([\x20-\x7e]+?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new ConfigError(
        `Line ${at + 1} of the file of EDGE_TRACES_HEADERS_FILE is no header: write one a line, as 'name: value'.`,
      );
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
