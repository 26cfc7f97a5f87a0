// How a comment begins, as an ESLint rule: with its subject or with a verb. A first word of this list says that the
// subject is left out ("Of the row, once read"), and leaves the reader to guess it.
const WORDS = ['Of', 'By', 'What', 'Whatever', 'Who', 'Whoever', 'Whom', 'Whose', 'As', 'Where', 'Wherever', 'That'];
/** Prepositions and the like: a comment that describes a name begins with none; one between two lines of code may. */
const OPENINGS =
  'After Also Among At Before Behind Beside Between For From In On Over Since To Under Until Which With Without'.split(
    ' ',
  );
const FORBIDDEN = { Line: new Set(WORDS), Block: new Set([...WORDS, ...OPENINGS]) };

/** The first word, if the comment begins with one. */
const firstWord = ({ value }) => /^[\s*]*(\w+)/.exec(value)?.[1] ?? '';

/** A comment on a line of its own after another line comment carries its sentence on. */
const continues = (comment, before) =>
  comment.type === 'Line' && before?.type === 'Line' && before.loc.end.line === comment.loc.start.line - 1;

const begins = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    return {
      Program() {
        const comments = context.sourceCode.getAllComments();
        for (const [index, comment] of comments.entries()) {
          if (continues(comment, comments[index - 1])) continue;
          const word = firstWord(comment);
          if (!FORBIDDEN[comment.type]?.has(word)) continue;
          const message = `a comment begins with its subject or a verb, not with "${word}" (scripts/lint-comments.mjs)`;
          context.report({ loc: comment.loc, message });
        }
      },
    };
  },
};

export const comments = { rules: { begins } };
