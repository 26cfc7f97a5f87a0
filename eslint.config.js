import tseslint from 'typescript-eslint';

/** Which folders a folder must not import. One place; docs/architecture.md has the same table in words. */
const forbidden = {
  domain: ['generated', 'db', 'handlers', 'server', 'scripts', 'test'],
  db: ['generated', 'handlers', 'server', 'scripts', 'test'],
  handlers: ['server', 'scripts', 'test'],
  server: ['test'],
  scripts: ['test'],
};
const packages = {
  domain: ['koa', 'knex', 'pg'],
  db: ['koa'],
  handlers: ['koa', 'knex', 'pg'],
};

const boundaries = Object.entries(forbidden).map(([folder, others]) => ({
  files: [`${folder}/**/*.ts`],
  rules: {
    'no-restricted-imports': ['error', {
      patterns: [
        { group: others.flatMap((other) => [`../${other}/*`, `../../${other}/*`, `../../../${other}/*`]), message: `${folder}/ must not import this folder (docs/architecture.md)` },
      ],
      paths: (packages[folder] ?? []).map((name) => ({ name, message: `${folder}/ must not know ${name}` })),
    }],
  },
}));

export default tseslint.config(
  { ignores: ['dist/**', 'generated/**', 'node_modules/**', 'data/**', 'test/contract/dredd/**', 'docs/**'] },
  { files: ['**/*.ts'], extends: [tseslint.configs.recommendedTypeChecked], languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    } },
  { files: ['scripts/**/*.ts', 'test/**/*.ts'], rules: { 'no-console': 'off', '@typescript-eslint/no-unused-expressions': 'off' } },
  ...boundaries,
);
