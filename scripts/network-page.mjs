// Builds the network page into dist/server/network-page/: one script, one style sheet and the page that loads them.
// Their names have a hash, so that browsers may keep them.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

/** The licenses of all packages that something was taken from. */
function licensesOf(root, { inputs }) {
  const names = Object.keys(inputs).flatMap(
    (path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)]
    .sort()
    .map((name) => {
      const place = join(root, 'node_modules', name);
      const file = readdirSync(place).find((entry) => /^licen[sc]e/i.test(entry));
      if (file === undefined) throw new Error(`${name} has no license to pass on`);
      return `${name}\n\n${readFileSync(join(place, file), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Replaces what an earlier build made. */
export async function buildNetworkPage(root) {
  const folder = join(root, 'dist', FOLDER);
  const { outputFiles, metafile } = await build({
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
    legalComments: 'none', // licenses.txt has the whole texts
    metafile: true,
    logLevel: 'warning',
    write: false,
    plugins: [contract(root)],
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  writeFileSync(join(folder, 'licenses.txt'), licensesOf(root, metafile));
  const nameOf = (ending) => basename(outputFiles.find(({ path }) => path.endsWith(ending)).path);
  const page = readFileSync(join(root, FOLDER, 'page.html'), 'utf8')
    .replace('page.css', nameOf('.css'))
    .replace('page.js', nameOf('.js'));
  writeFileSync(join(folder, 'page.html'), page);
  writeFileSync(join(folder, 'icon.svg'), readFileSync(join(root, FOLDER, 'icon.svg')));
}
