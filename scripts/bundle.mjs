// Puts the program and the packages that it runs on into few files: a start reads those instead of 1,300, which takes
// 0.7 s of a processor instead of 1.7. Everything else in dist/ stays as the compiler makes it, for tests and tools.
import { build } from 'esbuild';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Has native code, which finds its library beside itself. */
const NATIVE = ['@node-rs/argon2'];
/** Drivers of databases that knex knows and nothing here uses: not installed. */
const OTHER_DRIVERS = [
  'better-sqlite3',
  'mariadb/callback',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
  'tedious',
];
/** Modules in CommonJS form ask for those of Node by this name, which modules of the other form do not have. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/** Lets a source find its files where the compiler would have put it. */
const ownUrl = (root) => ({
  name: 'own-url',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const file = `../${relative(root, path).replaceAll('\\', '/').replace(/\.ts$/, '.js')}`;
      const url = `new URL(${JSON.stringify(file)}, import.meta.url).href`;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
});

/** Its own thread, which has no file to find: it is in another folder than the rest. */
const THREAD = 'domain/config/schema-worker';

/** Replaces the program and its thread in dist/, and adds the parts that they read when those are needed. */
export async function bundle(root) {
  const folder = join(root, 'dist/commands');
  const made = readdirSync(folder).filter((name) => name.startsWith('program-'));
  made.forEach((name) => rmSync(join(folder, name)));
  await build({
    absWorkingDir: root,
    entryPoints: ['commands/main', THREAD].map((name) => ({ in: `${name}.ts`, out: name })),
    outdir: 'dist',
    chunkNames: 'commands/program-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    external: [...NATIVE, ...OTHER_DRIVERS],
    banner: { js: REQUIRE },
    plugins: [ownUrl(root)],
  });
  const thread = readFileSync(join(root, 'dist', `${THREAD}.js`), 'utf8').replace(REQUIRE, '');
  if (thread.includes('import.meta.url')) throw new Error(`${THREAD} asks for a file, which it would not find`);
}
