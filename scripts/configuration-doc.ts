/**
 * Writes the table of settings in docs/configuration.md from server/settings/config.ts, or with --check says whether it
 * is fresh. What a setting allows is asked of its own parser, so that the table cannot differ from what start-up
 * accepts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SETTINGS } from '../server/settings/config.js';
import { OTHER_NAMES } from '../server/settings/other-names.js';
import type { Setting } from '../server/settings/setting-kinds.js';

const BEGIN = '<!-- settings: written by scripts/configuration-doc.ts, do not edit -->';
const END = '<!-- end of settings -->';

type Documented = Setting<unknown>;

/** The settings as a Markdown table, in the order of the source. */
export function configurationTable(settings: Readonly<Record<string, Documented>> = SETTINGS): string {
  const rows = Object.entries(settings).map(([key, item]) => {
    const meaning = [
      item.about,
      allowed(item),
      otherNames(key),
      item.isSecret === true ? 'Secret: never shown or logged.' : '',
    ]
      .filter((part) => part !== '')
      .join(' ');
    return `| \`${item.path}\` | \`${item.env}\` | ${fallbackText(key, item)} | ${meaning.replaceAll('|', '\\|')} |`;
  });
  return ['| setting | environment variable | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** The document with the table of now between its markers. @throws Error when it lacks the markers */
export function withTable(document: string, table = configurationTable()): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/configuration.md lacks the lines '${BEGIN}' and '${END}'`);
  return `${document.slice(0, begin + BEGIN.length)}\n${table}\n${document.slice(end)}`;
}

const DURATION = /^must be from ([\d.]+) s to ([\d.]+) s$/;
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^must be a whole number (from .*)$/, 'Whole number $1.'],
  [/^must be one of (.*)$/, 'One of $1.'],
  [/^must be (true or false)$/, '$1.'],
  [/^must be a number (from .*)$/, 'Number $1.'],
];

/** Asks the parser with values that none of its kind can take, and reads the refusal. */
function allowed({ parse }: Documented): string {
  for (const probe of ['99999999d', '\0']) {
    try {
      parse(probe);
    } catch (error) {
      const { message } = error as Error;
      const range = DURATION.exec(message);
      if (range !== null)
        return `Duration from ${durationText(Number(range[1]))} to ${durationText(Number(range[2]))}.`;
      const [pattern, text] = OTHERS.find(([candidate]) => candidate.test(message)) ?? [];
      if (pattern !== undefined && text !== undefined) return sentence(message.replace(pattern, text));
    }
  }
  return '';
}

/** The variables of other images that it is read from. */
function otherNames(key: string): string {
  const { variables = [] } = OTHER_NAMES.find((name) => name.key === key) ?? {};
  return variables.length === 0 ? '' : `Also from ${variables.map((name) => `\`${name}\``).join(', ')}.`;
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function fallbackText(key: string, item: Documented): string {
  const { fallback } = item;
  if (key === 'name') return 'the host name';
  if (fallback === null || (Array.isArray(fallback) && fallback.length === 0)) return '–';
  if (typeof fallback === 'number' && item.parse.isDuration === true) return `\`${durationText(fallback)}\``;
  return `\`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\``;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** Seconds as the settings take them: 5400 is `90m`, 0.2 is `200ms`. */
function durationText(seconds: number): string {
  if (seconds === 0) return '0s';
  const [unit, size] = UNITS.find(([, candidate]) => seconds % candidate === 0) ?? ['ms', 0.001];
  return `${Math.round(seconds / size)}${unit}`;
}

function main(args: readonly string[]): void {
  const file = resolve(import.meta.dirname, '../../docs/configuration.md');
  const actual = readFileSync(file, 'utf8');
  const expected = withTable(actual);
  if (actual === expected) return;
  if (!args.includes('--check')) {
    writeFileSync(file, expected);
    return;
  }
  console.error(
    'docs/configuration.md does not match server/settings/config.ts. Run `node dist/scripts/configuration-doc.js` ' +
      'and commit the result.',
  );
  process.exitCode = 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  main(process.argv.slice(2));
