import { Command } from 'commander';
import { toldInWords } from './network/open.js';

interface Options {
  readonly out?: string;
}

/** `convert`: an export of the existing controller as network files. */
export function convertCommand(): Command {
  return new Command('convert')
    .description('make network files of what `ziti ops export` of the existing controller wrote')
    .argument('<file>', 'that export, JSON or YAML')
    .option('-o, --out <path>', 'a file that ends in .yml or .yaml, or a folder that gets a file for each kind')
    .addHelpText('after', '\nSays what the export leaves out. See docs/guides/from-the-existing-controller.md.')
    .action(async (file: string, { out }: Options) => {
      const { fileText, readStockExport, writeFile, writeFolder } = await import('./network/files.js');
      await toldInWords(() => {
        const { content, notes } = readStockExport(file);
        for (const note of notes) process.stderr.write(`- ${note}\n`);
        if (out === undefined) process.stdout.write(fileText(content));
        else {
          const written = /\.ya?ml$/.test(out) ? writeFile(out, content) : writeFolder(out, content);
          process.stderr.write(`Look at ${written}, then: edge-controller import ${written} --dry-run\n`);
        }
        return Promise.resolve();
      });
    });
}
