import { Command } from 'commander';
import { toldInWords, withAccess, withApiOptions } from './network/open.js';
import type { NetworkOptions } from './network/open.js';

interface Options extends NetworkOptions {
  readonly dial?: true;
  readonly bind?: true;
  readonly router?: string;
  readonly json?: true;
}

/** `explain`: why an identity reaches a service, or what stops it. */
export function explainCommand(): Command {
  const command = new Command('explain')
    .description('say why an identity reaches a service, or what stops it and what to do')
    .argument('<identity>', 'its name or id')
    .argument('<service>', 'its name or id')
    .option('--dial', 'whether it can use the service (the default)')
    .option('--bind', 'whether it can host the service')
    .option('--router <router>', 'over this edge router, by name or id')
    .option('--json', 'as JSON, for programs')
    .addHelpText('after', '\nEnds with 0 when it works, with 1 when it does not. See docs/explain.md.');
  return withApiOptions(command).action(async (identity: string, service: string, options: Options, self: Command) => {
    const { bind, dial, router, json } = options;
    if (bind === true && dial === true)
      self.error('error: --dial and --bind are two questions: ask one', { exitCode: 2 });
    await toldInWords(async () => {
      const { explanationOf, explanationText } = await import('./network/explanation.js');
      const answer = await withAccess(self, options, (access) =>
        access.read((reader) => explanationOf(reader, { identity, service, router, isBind: bind === true })),
      );
      process.stdout.write(json === true ? `${JSON.stringify(answer, undefined, 2)}\n` : explanationText(answer));
      if (answer['outcome'] !== 'works') process.exitCode = 1;
    });
  });
}
