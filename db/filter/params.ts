/** The values of one statement. Each piece of the text binds its own values, so no code counts placeholders. */

/** Takes a value into the statement. @returns its placeholder; without a cast PostgreSQL infers the type */
export type Bind = (value: unknown, cast?: string) => string;

/** Names of some rows of a table, which stand for all of them. */
export interface SampledNames {
  /** Parts of a text by which an index finds the names that contain it; none: by all of it. */
  partsOf(text: string): readonly string[];
  /** None of them contains the text. */
  lacks(text: string, ignoresCase: boolean): boolean;
}

export class Params {
  readonly values: unknown[] = [];

  /** @param names  of the table that is listed; absent: it is small, or has none */
  constructor(readonly names?: SampledNames) {}

  readonly bind: Bind = (value, cast) => {
    const placeholder = `$${this.values.push(value)}`;
    return cast === undefined ? placeholder : `${placeholder}::${cast}`;
  };
}
