/** The base of entities and the words that they share; everything else of the domain may build on it. */

/** User-defined names to scalar values; nested values are dropped when tags are set. */
export type Tags = Record<string, string | number | boolean | null>;

export interface BaseEntity {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly tags: Tags;
}

/** Points to another entity by id; `name` is that entity's present name. */
export interface NamedRef {
  readonly id: string;
  readonly name: string;
}

/** An identity, as far as its links need it. */
export interface IdentityRef extends NamedRef {
  readonly authPolicyId: string;
}

export type HostingPrecedence = 'default' | 'required' | 'failed';
export type PolicyType = 'Dial' | 'Bind';
export type Semantic = 'AllOf' | 'AnyOf';
