/**
 * Rules of usernames. Two names that look alike must not be two users: nothing invisible, no white space but
 * blanks between words, and letters composed (Unicode form NFC). A name that breaks this is refused rather than
 * changed, so that a login sends what was stored. Letters of different scripts or case that look alike stay different
 * names: that is for administrators to judge.
 */

const MIN_CHARACTERS = 4;
const MAX_CHARACTERS = 100;

/**
 * Fillers, joiners and selectors of variants are letters, marks or symbols to Unicode; and so is the empty Braille
 * cell.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** @returns why the text is no username, to follow its name in a sentence; undefined for one that is */
export function usernameFault(text: string): string | undefined {
  if (text.length < MIN_CHARACTERS) return `should be at least ${MIN_CHARACTERS} chars long`;
  if (text.length > MAX_CHARACTERS) return `should be at most ${MAX_CHARACTERS} chars long`;
  if (INVISIBLE.test(text)) return 'should have no control, format or other invisible characters';
  if (/^[\s\p{Z}]|[\s\p{Z}]$/u.test(text)) return 'should not begin or end with white space';
  if (/[^\P{Z} ]/u.test(text)) return 'should have no white space but plain blanks';
  if (text !== text.normalize('NFC')) return 'should be in Unicode form NFC';
  return undefined;
}
