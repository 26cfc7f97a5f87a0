/** A fault of a network file, and its location. */

export interface Place {
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  readonly column: number;
}

/** @property field  as `identities[3].roleAttributes[0]`; empty for the file as a whole */
export interface Problem {
  readonly place: Place | undefined;
  readonly field: string;
  readonly reason: string;
}

export type ValuePath = readonly (string | number)[];

/** `identities[3].tags["a b"]`. */
export function fieldText(path: ValuePath): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[A-Za-z_][\w-]*$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

const MOST_SHOWN = 20;

/** Files that were refused as they are: nothing was changed. */
export class NetworkFileError extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problemText(problems));
    this.name = 'NetworkFileError';
  }
}

/** A line for each of the first. */
export function problemText(problems: readonly Problem[]): string {
  const lines = problems.slice(0, MOST_SHOWN).map(({ place, field, reason }) => {
    const where = place === undefined ? '' : `${place.file}:${place.line}:${place.column}: `;
    return `${where}${field === '' ? '' : `${field}: `}${reason}`;
  });
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
