// Builds the network page into dist/server/network-page/: one script, one style sheet and the page that loads them.
// Their names have a hash, so that browsers may keep them.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const FOLDER = 'server/network-page';

/**
 * The module `operations`: method, path and permissions of each operation that a page of administrators may call, from
 * the same table that the server answers by.
 */
const contract = (root) => ({
  name: 'contract',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^operations$/ }, () => ({ path: 'operations', namespace: 'contract' }));
    onLoad({ filter: /.*/, namespace: 'contract' }, async () => {
      const at = (name) => pathToFileURL(join(root, 'dist/generated', name)).href;
      const [{ operations }, { basePaths }] = await Promise.all([import(at('operations.js')), import(at('routes.js'))]);
      const table = Object.fromEntries(
        ['management', 'fabric'].map((api) => [
          api,
          Object.fromEntries(
            Object.values(operations[api]).map(({ operationId, method, path, permission, grantedBy }) => [
              operationId,
              [method, basePaths[api] + path, permission, ...grantedBy],
            ]),
          ),
        ]),
      );
      return { contents: JSON.stringify(table), loader: 'json' };
    });
  },
});

/** Replaces what an earlier build made. */
export async function buildNetworkPage(root) {
  const folder = join(root, 'dist', FOLDER);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [{ in: `${FOLDER}/main.tsx`, out: 'page' }],
    outdir: folder,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: {},
    legalComments: 'linked',
    logLevel: 'warning',
    write: false,
    plugins: [contract(root)],
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const nameOf = (ending) => basename(outputFiles.find(({ path }) => path.endsWith(ending)).path);
  const page = readFileSync(join(root, FOLDER, 'page.html'), 'utf8')
    .replace('page.css', nameOf('.css'))
    .replace('page.js', nameOf('.js'));
  writeFileSync(join(folder, 'page.html'), page);
  writeFileSync(join(folder, 'icon.svg'), readFileSync(join(root, FOLDER, 'icon.svg')));
}
