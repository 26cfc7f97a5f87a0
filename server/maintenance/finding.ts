/** Result of an examination. */
import { LOG_QUOTED } from '../../db/embedded/error.js';

/** `skipped`: it could not be looked at, because of another finding. */
export type Level = 'ok' | 'warning' | 'fault' | 'skipped';

export interface Finding {
  readonly check: string;
  readonly level: Level;
  /** One sentence. */
  readonly message: string;
  /** Remedy for a fault or a warning. */
  readonly fix?: string;
}

export const passed = (check: string, message: string): Finding => ({ check, level: 'ok', message });
export const skipped = (check: string, message: string): Finding => ({ check, level: 'skipped', message });
export const failed = (check: string, message: string, fix: string): Finding => ({
  check,
  level: 'fault',
  message,
  fix,
});
export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  level: 'warning',
  message,
  fix,
});

const MOST_QUOTED = 300;

/** Sentences of our errors say what is wrong and then what to do: behind the first full stop, or the last colon. */
export function faultOf(check: string, said: string): Finding {
  const [text = '', log = ''] = said.split(LOG_QUOTED, 2);
  const sentence = /^([^]*?\.) ([A-Z(`'][^]*)$/.exec(text) ?? /^([^]*): ([^]*)$/.exec(text);
  const [, message = text, fix = 'See docs/operations/troubles.md.'] = sentence ?? [];
  const last = lastWords(log);
  return failed(
    check,
    asSentence(message),
    `${last === '' ? '' : `PostgreSQL says: ${asSentence(last)} `}${asSentence(fix)}`,
  );
}

/** Returns the last line of a log that tells of a failure: the whole log is in its file. */
function lastWords(log: string): string {
  const lines = log.split('\n').filter((line) => line !== '');
  const line = lines.findLast((each) => /\b(?:FATAL|PANIC|ERROR):/.test(each)) ?? lines.at(-1) ?? '';
  return line.replace(/^.*?\b(?=(?:FATAL|PANIC|ERROR):)/, '').slice(0, MOST_QUOTED);
}

const asSentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!)]$/.test(begun) ? begun : `${begun}.`;
};
