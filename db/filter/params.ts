/** The values of one statement. Each piece of the text binds its own values, so no code counts placeholders. */

/** Takes a value into the statement. @returns its placeholder; without a cast PostgreSQL infers the type */
export type Bind = (value: unknown, cast?: string) => string;

export class Params {
  readonly values: unknown[] = [];

  /** @param partsOf  parts of a text by which an index finds those that contain it; absent: by all of it */
  constructor(readonly partsOf: (text: string) => readonly string[] = () => []) {}

  readonly bind: Bind = (value, cast) => {
    const placeholder = `$${this.values.push(value)}`;
    return cast === undefined ? placeholder : `${placeholder}::${cast}`;
  };
}
