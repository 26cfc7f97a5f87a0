// Counts what keeps the house in order: files and lines by folder, files at one level of a room, long files and
// functions, circles of imports, names exported twice, comments that begin without their subject.
// node scripts/house.mjs [--list]   prints the counts; --list also what they count
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const PRODUCTION = /^(domain|db|handlers|fabric|server|commands)\//;
const MAX_FUNCTION = 60;
const MAX_FILE = 300;
/** Files at one level of a room; each entity has a store of its own. */
const MAX_ROOM = 35;
const STORES = 'db/stores';
/** Files whose exports the specs name: operations of both APIs, and messages that are called like operations. */
const NAMED_BY_SPEC = /^(handlers\/(client|management|fabric)|fabric\/messages)\//;
/** Words that leave the subject of a comment out. */
const SUBJECTLESS = /^(Of|By|What|Who|Whose|Whom|As|Where|That)\b/;

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
const tracked = git('ls-files').split('\n').filter(Boolean);
const texts = new Map();
const read = (file) => {
  if (!texts.has(file)) texts.set(file, readFileSync(join(root, file), 'utf8'));
  return texts.get(file);
};
const linesOf = (text) => text.split('\n').length - 1;
const production = tracked.filter((file) => PRODUCTION.test(file) && file.endsWith('.ts'));

function byFolder() {
  const folders = {};
  for (const file of tracked) {
    if (!/\.(ts|mjs|js|cjs|sql|ya?ml|json|md|txt|proto|sh)$/.test(file) || file.endsWith('package-lock.json')) continue;
    const folder = file.includes('/') ? file.split('/')[0] : '.';
    const entry = (folders[folder] ??= { files: 0, lines: 0 });
    entry.files += 1;
    entry.lines += linesOf(read(file));
  }
  return folders;
}

/** Files of production at one level of a folder, most first. */
function levels() {
  const counts = {};
  for (const file of production) counts[dirname(file)] = (counts[dirname(file)] ?? 0) + 1;
  return Object.entries(counts).sort(([, left], [, right]) => right - left);
}

function inspect(file) {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const functions = [];
  const exported = [];
  const comments = [];
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const seen = new Set();
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const lines = lineOf(node.end) - lineOf(node.getStart()) + 1;
      if (lines > MAX_FUNCTION) functions.push(`${file}:${lineOf(node.getStart())} ${lines} lines`);
    }
    for (const { pos, end } of ts.getLeadingCommentRanges(source.text, node.pos) ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const words = source.text.slice(pos, end).replace(/^\/[*/]+\s*(?:\n\s*\*)?\s*/, '');
      comments.push({ at: `${file}:${lineOf(pos)}`, words });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const statement of source.statements) {
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (ts.isVariableStatement(statement))
      exported.push(...statement.declarationList.declarations.map(({ name }) => name.getText(source)));
    else if (statement.name !== undefined) exported.push(statement.name.text);
  }
  return { functions, exported, comments };
}

/** Groups of files that import each other in a circle. @param types  whether imports of types count too */
function circles(types) {
  const known = new Set(production);
  const pattern = /(?:^|\n)(?:import|export)\s+(type\s+)?[^;]*?from\s+'(\.[^']+)'/g;
  const next = (file) =>
    [...read(file).matchAll(pattern)]
      .filter(([, type]) => types || type === undefined)
      .map(([, , target]) => posix.join(posix.dirname(file), target).replace(/\.js$/, '.ts'))
      .filter((target) => known.has(target));
  const state = { count: 0, index: new Map(), low: new Map(), stack: [], groups: [] };
  const visit = (file) => {
    state.index.set(file, state.count);
    state.low.set(file, state.count++);
    state.stack.push(file);
    for (const target of next(file)) {
      if (!state.index.has(target)) visit(target);
      if (state.stack.includes(target)) state.low.set(file, Math.min(state.low.get(file), state.low.get(target)));
    }
    if (state.low.get(file) !== state.index.get(file)) return;
    const group = state.stack.splice(state.stack.indexOf(file));
    if (group.length > 1) state.groups.push(group.sort().join(' '));
  };
  production.forEach((file) => state.index.has(file) || visit(file));
  return state.groups;
}

const found = production.map((file) => ({ file, ...inspect(file) }));
const owners = {};
for (const { file, exported } of found) for (const name of new Set(exported)) (owners[name] ??= []).push(file);
const comments = found.flatMap((entry) => entry.comments);
const counts = {
  [`functions over ${MAX_FUNCTION} lines`]: found.flatMap(({ functions }) => functions),
  [`files over ${MAX_FILE} lines`]: production
    .filter((file) => linesOf(read(file)) > MAX_FILE)
    .map((file) => `${file} ${linesOf(read(file))}`),
  [`rooms with over ${MAX_ROOM} files at one level`]: levels()
    .filter(([folder, count]) => count > MAX_ROOM && folder !== STORES)
    .map(([folder, count]) => `${folder} ${count}`),
  'circles of imports': circles(false),
  'circles with imports of types': circles(true),
  'names exported by two files': Object.entries(owners)
    .filter(([, files]) => files.length > 1 && !files.every((file) => NAMED_BY_SPEC.test(file)))
    .map(([name, files]) => `${name}: ${files.join(', ')}`),
  'comments without their subject': comments
    .filter(({ words }) => SUBJECTLESS.test(words))
    .map(({ at, words }) => `${at} ${words.split('\n')[0]}`),
};

console.log(`${production.length} files of production, ${comments.length} comments\n`);
console.table(byFolder());
console.log('files at one level, most first:');
for (const [folder, count] of levels().slice(0, 8)) console.log(`${String(count).padStart(6)}  ${folder}`);
console.log();
for (const [what, list] of Object.entries(counts)) {
  console.log(`${String(list.length).padStart(6)}  ${what}`);
  if (process.argv.includes('--list')) for (const line of list) console.log(`          ${line}`);
}
