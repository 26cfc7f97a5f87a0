import tseslint from 'typescript-eslint';
import { comments } from './scripts/lint-comments.mjs';
import { rooms } from './scripts/lint-rooms.mjs';

/** Which folders a folder must not import. One place; docs/architecture.md has the same table in words. */
const forbidden = {
  domain: ['generated', 'db', 'handlers', 'fabric', 'server', 'commands', 'scripts', 'lab', 'test'],
  db: ['generated', 'handlers', 'fabric', 'server', 'commands', 'scripts', 'lab', 'test'],
  handlers: ['fabric', 'server', 'commands', 'scripts', 'lab', 'test'],
  fabric: ['handlers', 'server', 'commands', 'scripts', 'lab', 'test'],
  server: ['commands', 'lab', 'test'],
  commands: ['scripts', 'lab', 'test'],
  scripts: ['commands', 'lab', 'test'],
  lab: ['commands', 'scripts'],
  test: ['lab'],
};
/** The laboratory takes test doubles from test/support, and its own tests alone may import it. */
const LAB_TESTS = 'test/lab/**';
const packages = {
  domain: ['koa', 'knex', 'pg'],
  db: ['koa'],
  handlers: ['koa', 'knex', 'pg'],
  fabric: ['koa', 'knex', 'pg'],
};

/**
 * What makes or changes a file, or opens one to do so. Another user may have put a link in its place, so one module
 * alone does it. What follows no link is not in the list: making a directory, linking, renaming and removing.
 */
const writers = [
  'open',
  'writeFile',
  'appendFile',
  'copyFile',
  'cp',
  'truncate',
  'ftruncate',
  'chmod',
  'fchmod',
  'lchmod',
  'chown',
  'fchown',
  'lchown',
];
const FILES = 'db/embedded/own-files.ts';
const fileAccess = [
  {
    name: 'node:fs',
    importNames: [...writers.flatMap((name) => [name, `${name}Sync`]), 'createWriteStream', 'promises', 'default'],
    message: `only ${FILES} makes and changes files`,
  },
  ...['node:fs/promises', 'fs', 'fs/promises'].map((name) => ({
    name,
    message: `only ${FILES} makes and changes files; read through node:fs`,
  })),
];

const boundaries = Object.entries(forbidden).map(([folder, others]) => ({
  files: [`${folder}/**/*.ts`],
  ignores: [LAB_TESTS],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: others.flatMap((other) => [`../${other}/*`, `../../${other}/*`, `../../../${other}/*`]),
            message: `${folder}/ must not import this folder (docs/architecture.md)`,
          },
        ],
        paths: [
          ...(packages[folder] ?? []).map((name) => ({ name, message: `${folder}/ must not know ${name}` })),
          ...(['scripts', 'lab', 'test'].includes(folder) ? [] : fileAccess),
        ],
      },
    ],
  },
}));

/** What a handler needs of the database it asks of the stores: how a list is narrowed or a row is found is theirs. */
const typesAlone = {
  files: ['{handlers,fabric}/**/*.ts'],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: ['../db/*', '../../db/*', '../../../db/*'],
            allowTypeImports: true,
            message: 'handlers/ and fabric/ take types alone from db/ (docs/architecture.md)',
          },
        ],
      },
    ],
  },
};

const wholeOfFs = {
  selector: 'ImportDeclaration[source.value=/^(node:)?fs/] > ImportNamespaceSpecifier',
  message: `only ${FILES} has all of node:fs`,
};

/** Makes the texts of frames of routers. What the database could not hold is replaced there. */
const TEXTS = 'fabric/channel/text.ts';
const ownTexts = [
  `CallExpression[callee.property.name="toString"][arguments.0.value=/^(utf-?8|latin1|ascii|binary)$/i]`,
  'CallExpression[callee.property.name=/^(utf8|latin1|ascii)Slice$/]',
  'NewExpression[callee.name="TextDecoder"]',
].map((selector) => ({ selector, message: `${TEXTS} alone makes texts of bytes` }));

const PRODUCTION = ['{domain,db,handlers,fabric,server,commands}/**/*.{ts,tsx}'];

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'generated/**',
      'node_modules/**',
      'data/**',
      'test/contract/dredd/**',
      'test/sdk/typescript/**',
      'docs/**',
    ],
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['{scripts,lab,test}/**/*.ts'],
    rules: { 'no-console': 'off', '@typescript-eslint/no-unused-expressions': 'off' },
  },
  {
    // The formatter does not wrap strings, templates and comments.
    files: ['**/*.{ts,tsx,js,mjs,cjs}'],
    rules: { 'max-len': ['error', { code: 120, ignoreUrls: true, ignoreRegExpLiterals: true }] },
  },
  ...boundaries,
  typesAlone,
  {
    files: ['{domain,db,handlers,fabric,server,commands}/**/*.ts'],
    ignores: [FILES],
    rules: {
      'no-restricted-syntax': ['error', wholeOfFs],
    },
  },
  {
    files: ['{db,handlers,server,fabric}/**/*.{ts,tsx}'],
    plugins: { rooms },
    rules: { 'rooms/arrow': ['error', import.meta.dirname] },
  },
  {
    files: [...PRODUCTION, 'scripts/lint-*.mjs'],
    plugins: { comments },
    rules: { 'comments/begins': 'error' },
  },
  {
    files: PRODUCTION,
    rules: { 'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }] },
  },
  { files: [FILES], rules: { 'no-restricted-imports': 'off' } },
  { files: ['fabric/**/*.ts'], ignores: [TEXTS], rules: { 'no-restricted-syntax': ['error', wholeOfFs, ...ownTexts] } },
);
