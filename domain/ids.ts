/**
 * Ids that must not be taken for each other. Whoever knows what a string names says so once; from there on the compiler
 * refuses the id of anything else.
 */
declare const kind: unique symbol;
type Id<K extends string> = string & { readonly [kind]: K };

export type IdentityId = Id<'identity'>;
export type ApiSessionId = Id<'apiSession'>;

export const identityIdOf = (id: string): IdentityId => id as IdentityId;
export const apiSessionIdOf = (id: string): ApiSessionId => id as ApiSessionId;

/**
 * Whether a text from outside could be an id of ours. What could not be needs no question, and makes none fail: the
 * database refuses a statement with a NUL in a value, whoever else is asked about in it.
 */
export const couldBeId = (text: string): boolean => /^[\w.-]{1,64}$/.test(text);

/**
 * Whether the database could hold the text, such as an id that a router or a client chose. Texts of frames have U+FFFD
 * in place of what it could not hold (fabric/channel/text.ts).
 */
export const couldBeStored = (text: string): boolean => !/[\0\uFFFD]/.test(text);
