/** What a username may be. */
import { expect } from 'chai';
import { usernameFault } from '../../domain/auth/username.js';

describe('usernames', () => {
  const good = [
    'anna',
    'mara.lind',
    'a b c',
    'LOW-USER',
    'user@example.org',
    'bücher',
    'Ἀθηνᾶ',
    '山田太郎',
    'ｌｏｗ-ｕｓｅｒ',
    'user🙂name',
    "O'Neil, Jr.",
    'x'.repeat(100),
    '<b>&amp;',
  ];
  for (const name of good)
    it(`may be ${JSON.stringify(name.slice(0, 20))}`, () => expect(usernameFault(name)).to.equal(undefined));

  const bad: readonly (readonly [what: string, name: string, fault: RegExp])[] = [
    ['too short', 'abc', /at least 4/],
    ['too long', 'x'.repeat(101), /at most 100/],
    ['a blank at the end', 'user ', /white space/],
    ['a blank in front', ' user', /white space/],
    ['a no-break space', 'user\u00a0', /white space/],
    ['an ideographic space', '\u3000user', /white space/],
    ['a line separator at the end', 'user\u2028', /white space/],
    ['a tab', 'us\ter', /invisible/],
    ['a new line', 'user\n', /invisible/],
    ['NUL', 'us\0er', /invisible/],
    ['DEL', 'user\x7f', /invisible/],
    ['a C1 control', 'us\x85er', /invisible/],
    ['a zero width space', 'user\u200b', /invisible/],
    ['a zero width joiner', 'us\u200der', /invisible/],
    ['a soft hyphen', 'us\u00ader', /invisible/],
    ['a byte order mark', '\ufeffuser', /invisible/],
    ['an override of direction', 'us\u202ere', /invisible/],
    ['a tag character', 'user\u{e0061}', /invisible/],
    ['private use', 'user\ue000', /invisible/],
    ['half a pair', 'user\ud83d', /invisible/],
    ['an unassigned character', 'user\u0378', /invisible/],
    ['a Hangul filler', 'user\u3164', /invisible/],
    ['a filler of half width', 'us\uffa0er', /invisible/],
    ['a joiner of graphemes', 'us\u034fer', /invisible/],
    ['a selector of variants', 'user\ufe0f', /invisible/],
    ['an empty Braille cell', 'us\u2800er', /invisible/],
    ['a no-break space between words', 'low\u00a0user', /white space/],
    ['a wide space between words', 'low\u3000user', /white space/],
    ['an accent of its own', 'use\u0301r', /NFC/],
    ['a sign that has a composed form', 'user\u212b', /NFC/],
  ];
  for (const [what, name, fault] of bad) it(`have no ${what}`, () => expect(usernameFault(name)).to.match(fault));
});
