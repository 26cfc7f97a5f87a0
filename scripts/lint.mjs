// Types and lint of the whole tree by one TypeScript program. What ESLint's rules find out about types, the compiler
// does not find out again: together they take little longer than ESLint alone.
import { ESLint } from 'eslint';
import ts from 'typescript';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function openProgram() {
  const fail = ({ messageText }) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
  };
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail };
  const changes = { noEmit: true, incremental: false, tsBuildInfoFile: undefined };
  const config = ts.getParsedCommandLineOfConfigFile(ts.sys.resolvePath(`${root}/tsconfig.json`), changes, host);
  config.errors.forEach(fail);
  return ts.createProgram({ rootNames: config.fileNames, options: config.options });
}

const program = openProgram();
const eslint = new ESLint({
  cwd: root,
  overrideConfig: {
    files: ['**/*.ts'],
    ignores: ['server/network-page/**'], // of a project of its own
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  },
});
const results = await eslint.lintFiles(['.']);
const isClean = results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
if (!isClean) console.log(await (await eslint.loadFormatter('stylish')).format(results));

const faults = ts.getPreEmitDiagnostics(program);
if (faults.length > 0) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
  console.log(ts.formatDiagnostics(faults, host));
}
process.exitCode = isClean && faults.length === 0 ? 0 : 1;
