#!/usr/bin/env node
/**
 * The command line of the server. It ends with 0 when all is well, 1 when something failed or a fault was found, and 2
 * for a command line that is not understood.
 */
import { CommanderError } from 'commander';
import { endProcess } from '../server/base/process-end.js';
import { createProgram } from './program.js';

const WRONG_USAGE = 2;

// Ends quietly when its output is read no further: `--help | head -1`.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    endProcess(0);
  });

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  // It has said already what is wrong, or shown its help.
  if (error instanceof CommanderError) endProcess(error.exitCode === 0 ? 0 : WRONG_USAGE);
  else {
    const { explain } = await import('./shared/explain.js');
    process.stderr.write(`edge-controller: ${explain(error)}\n`);
    endProcess(1);
  }
}
