/** Result of an examination. */

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

/** Sentences of our errors say what is wrong and then what to do: behind the first full stop, or the last colon. */
export function faultOf(check: string, text: string): Finding {
  const sentence = /^([^]*?\.) ([A-Z(`'][^]*)$/.exec(text) ?? /^([^]*): ([^]*)$/.exec(text);
  const [, message = text, fix = 'See docs/operations/troubles.md.'] = sentence ?? [];
  return failed(check, asSentence(message), asSentence(fix));
}

const asSentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!)]$/.test(begun) ? begun : `${begun}.`;
};
