import { Command } from 'commander';
import { toldInWords, withAccess, withNetworkOptions } from './network/open.js';
import type { NetworkOptions } from './network/open.js';
import { progress } from './shared/progress.js';

interface Options extends NetworkOptions {
  readonly out?: string;
  readonly schema?: true;
}

/** `export`: the configuration of the network as YAML, by name. */
export function exportCommand(): Command {
  const command = new Command('export')
    .description('write the configuration of the network as YAML: all but secrets and what happens while it runs')
    .option('-o, --out <path>', 'a file that ends in .yml or .yaml, or a folder that gets a file for each kind')
    .option('--schema', 'show the JSON Schema of these files instead, for editors')
    .addHelpText('after', '\nWith --out the JSON Schema is written beside it. See docs/operations/network-files.md.');
  return withNetworkOptions(command).action(async (options: Options, self: Command) => {
    const { fileText, schemaText, writeFile, writeFolder } = await import('./network/files.js');
    if (options.schema === true) {
      process.stdout.write(schemaText());
      return;
    }
    await toldInWords(async () => {
      const { contentFrom } = await import('./network/export-network.js');
      const shown = progress('Reading the network');
      const content = await withAccess(self, options, (access) =>
        contentFrom(access, options.only, shown.report),
      ).finally(() => {
        shown.end();
      });
      const { out } = options;
      if (out === undefined) {
        process.stdout.write(fileText(content));
        return;
      }
      const written = /\.ya?ml$/.test(out) ? writeFile(out, content) : writeFolder(out, content);
      const count = [...content.values()].reduce((sum, items) => sum + items.length, 0);
      process.stderr.write(`${count.toLocaleString('en')} entities are in ${written}\n`);
    });
  });
}
