/** The documentation names only what exists, and its generated parts are fresh. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { SETTINGS } from '../../server/settings/config.js';
import { configurationTable, withTable } from '../../scripts/configuration-doc.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const markdownIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? markdownIn(join(folder, entry.name))
      : entry.name.endsWith('.md')
        ? [join(folder, entry.name)]
        : [],
  );
const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownIn('docs')];

describe('the documentation', () => {
  for (const file of documents) {
    it(`${file} links to nothing that is not there`, () => {
      const targets = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target));
      const missing = targets.filter(
        (target) => !existsSync(resolve(root, dirname(file), target.replace(/#.*$/, '') || '.')),
      );
      expect(missing).to.deep.equal([]);
    });

    it(`${file} names only tests that exist`, () => {
      const named = [...read(file).matchAll(/\btest\/[\w/-]+\.test\.ts\b/g)].map(([name]) => name);
      expect(named.filter((name) => !existsSync(join(root, name)))).to.deep.equal([]);
    });

    it(`${file} names only npm scripts and environment variables that exist`, () => {
      const text = read(file);
      const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
      const named = [...text.matchAll(/\bnpm (?:run )?(test|start|[a-z]+(?::[a-z]+)?)\b/g)]
        .map(([, name = '']) => name)
        .filter((name) => !['ci', 'init', 'install', 'pack', 'package', 'packages', 'pkg'].includes(name));
      expect(named.filter((name) => !(name in scripts))).to.deep.equal([]);
      const known = new Set([
        ...Object.values(SETTINGS).map((item) => item.env),
        'EDGE_CONFIG',
        'EDGE_CONTROLLER',
        'EDGE_URL',
        'EDGE_USERNAME',
        'EDGE_PASSWORD',
        'EDGE_CA_SHA256',
        'EDGE_TEST_SEED',
        'EDGE_TEST_CASES',
        'EDGE_TEST_OPERATIONS',
      ]);
      expect(
        [...text.matchAll(/\bEDGE_[A-Z0-9_]+\b/g)].map(([name]) => name).filter((name) => !known.has(name)),
      ).to.deep.equal([]);
    });
  }

  it('links every document from the README, or from one that it links', () => {
    const linked = new Set<string>();
    const follow = (file: string) => {
      for (const [, target = ''] of read(file).matchAll(/\]\(([^)\s#]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const found = relative(root, resolve(root, dirname(file), target));
        if (linked.has(found)) continue;
        linked.add(found);
        if (found.endsWith('.md')) follow(found);
      }
    };
    follow('README.md');
    expect(
      documents.filter((file) => file !== 'README.md' && !linked.has(file) && !linked.has(dirname(file))),
    ).to.deep.equal([]);
  });

  const index = 'docs/decisions/README.md';
  const records = documents.filter((name) => dirname(name) === 'docs/decisions' && name !== index);

  it(`${index} names every decision`, () => {
    const text = read(index);
    expect(records.filter((file) => !text.includes(`(${relative('docs/decisions', file)})`))).to.deep.equal([]);
  });

  for (const file of records) {
    it(`${file} is numbered and has background, decision, consequences, before and after`, () => {
      const [title = '', ...headings] = read(file)
        .split('\n')
        .filter((line) => /^#+ /.test(line));
      expect(title).to.match(new RegExp(`^# ${/\d{4}/.exec(file)?.[0] ?? ''} `));
      expect(headings).to.deep.equal(['## Background', '## Decision', '## Consequences', '## Before and after']);
    });
  }
});

describe('the table of settings', () => {
  it('in docs/configuration.md is the one of the code (else run: node dist/scripts/configuration-doc.js)', () => {
    const document = read('docs/configuration.md');
    expect(withTable(document)).to.equal(document);
  });

  it('has one row for each setting, with its variable', () => {
    const rows = configurationTable().split('\n').slice(2);
    expect(rows.map((row) => row.split('|')[2]?.trim())).to.deep.equal(
      Object.values(SETTINGS).map((item) => `\`${item.env}\``),
    );
  });

  const whole = (value: unknown) => {
    if (typeof value !== 'number') throw new Error('must be a whole number from 1 to 9');
    return value;
  };

  it('tells the default, what is allowed and what is secret', () => {
    const table = configurationTable({
      size: { path: 'a.size', env: 'SIZE', parse: whole, fallback: 3, about: 'How large.' },
      key: { path: 'key', env: 'KEY', parse: String, fallback: null, about: 'a | b', isSecret: true },
      items: { path: 'items', env: 'ITEMS', parse: String, fallback: [], about: 'Several.' },
    });
    expect(table.split('\n').slice(2)).to.deep.equal([
      '| `a.size` | `SIZE` | `3` | How large. Whole number from 1 to 9. |',
      '| `key` | `KEY` | – | a \\| b Secret: never shown or logged. |',
      '| `items` | `ITEMS` | – | Several. |',
    ]);
  });

  it('refuses a document without its place', () => {
    expect(() => withTable('# Configuration\n')).to.throw('lacks the lines');
  });
});
