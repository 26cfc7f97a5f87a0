/** Text for a terminal. */

const NARROW = 80;
const WIDE = 100;

/** Width of the terminal, within the bounds of readable text. */
const width = (): number => Math.min(WIDE, Math.max(NARROW, process.stdout.columns ?? NARROW));

/** The words of a text on lines that fit, each behind `indent`; a word that is too long has one of its own. */
export function wrapped(text: string, indent = '', most = width()): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > most) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, indent + line];
}
