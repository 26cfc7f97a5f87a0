/** Reads the YAML of a configuration file. A fault names line and column and quotes nothing: it may hold secrets. */
import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument, visit } from 'yaml';
import type { ErrorCode } from 'yaml';
import { ConfigError } from './config.js';

/** @throws ConfigError */
export function readConfigFile(file: string): unknown {
  const lines = new LineCounter();
  const refuse = (reason: string, offset?: number): never => {
    const { line, col } = lines.linePos(offset ?? 0);
    const location = offset === undefined ? '' : `, line ${Math.max(line, 1)}, column ${Math.max(col, 1)}`;
    throw new ConfigError(`The configuration file cannot be read: ${file}${location}: ${reason}`);
  };
  const text = textOf(file);
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      version: '1.2',
      schema: 'core',
      stringKeys: true,
      prettyErrors: false, // those have an excerpt of the file
      logLevel: 'error',
    });
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault !== undefined) refuse(REASONS[fault.code], fault.pos[0]);
    visit(document, {
      Alias: (_, alias) => {
        if (alias.resolve(document) === undefined) refuse(REASONS.BAD_ALIAS, alias.range?.[0]);
      },
    });
    return document.toJS() as unknown;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return refuse(REASONS.RESOURCE_EXHAUSTION);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`The configuration file cannot be read: ${(error as Error).message}`);
  }
}

/** Reasons in our own words, because some messages of the library quote the file. */
const REASONS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias has a tag or an anchor',
  BAD_ALIAS: 'an alias has no anchor before it; a value that begins with * needs quotes',
  BAD_COLLECTION_TYPE: 'the tag does not fit the value; a value that begins with ! needs quotes',
  BAD_DIRECTIVE: 'the directive is unknown; a value that begins with % needs quotes',
  BAD_DQ_ESCAPE: 'the escape sequence is unknown; in double quotes, write \\\\ for a backslash',
  BAD_INDENT: 'the indentation does not fit the lines above',
  BAD_PROP_ORDER: 'an anchor or a tag comes before its indicator',
  BAD_SCALAR_START: 'the value begins with a character that needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping begins within a line; a value with a colon and a space needs quotes',
  BLOCK_IN_FLOW: 'a block is inside brackets',
  DUPLICATE_KEY: 'the name is given twice',
  IMPOSSIBLE: 'the text is not YAML',
  KEY_OVER_1024_CHARS: 'the name is too long',
  MISSING_CHAR: 'a character is missing, such as a quote, a bracket, a comma or a colon',
  MULTILINE_IMPLICIT_KEY: 'a name goes over several lines, or a colon is missing',
  MULTIPLE_ANCHORS: 'a value has several anchors',
  MULTIPLE_DOCS: 'the file has several documents',
  MULTIPLE_TAGS: 'a value has several tags',
  NON_STRING_KEY: 'a name must be a text',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply, or has too many aliases',
  TAB_AS_INDENT: 'a tab is used as indentation: use spaces',
  TAG_RESOLVE_FAILED: 'the tag is unknown; a value that begins with ! needs quotes',
  UNEXPECTED_TOKEN: 'the text is not expected here; is a quote, a colon or a line break missing?',
};
