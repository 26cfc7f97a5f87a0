// Generated from specs/ by scripts/generate. Do not edit.

export type Api = 'client' | 'fabric' | 'management' | 'oidc';
export type Permission = 'public' | 'partial' | 'own' | 'admin';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * An array is a list of strings, one for each time that the parameter occurs; `enum` is then that of its elements.
 */
export interface ParameterSpec {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array';
  readonly format: string | null;
  readonly required: boolean;
  readonly enum: readonly string[] | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
}

export interface BodySpec {
  readonly name: string;
  readonly required: boolean;
  readonly consumes: readonly string[];
  /** Those of `consumes` whose body is handed on as the text that it is, and is not validated. */
  readonly textTypes: readonly string[];
  /**
   * `json`: JSON is accepted, perhaps beside text; `text`: only text is; `form`: a form is, perhaps beside JSON
   * with the same members.
   */
  readonly kind: 'form' | 'json' | 'text';
  /** Members of a form, each with whether it may come several times; absent where none is taken. */
  readonly members?: Readonly<Record<string, 'list' | 'text'>>;
  readonly validator: string | null;
  /** The entry of its names; null when it has none that the spec knows. */
  readonly names: string | null;
}

/** The properties of an object, each with the entry of its value, or of that list's elements, when it has one. */
export type NameTable = Readonly<Record<string, string | null>>;

export interface ResponseSpec {
  readonly validator: string | null;
  readonly kind: 'json' | 'text' | 'binary' | 'empty';
  /** The media types that carry it as text; for `json` they stand beside it, and that text is not validated. */
  readonly textTypes: readonly string[];
  /** Validator of one element of `data`, when `data` is an array. */
  readonly itemValidator: string | null;
}

export interface OperationSpec {
  readonly api: Api;
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  /** Names of the path's parameters, from left to right. */
  readonly pathParameters: readonly string[];
  readonly permission: Permission;
  /** Of an operation for administrators: a caller with one of these permissions may call it as well. */
  readonly grantedBy: readonly string[];
  /** What a caller with a session but without the right gets. */
  readonly refusalStatus: 401 | 403;
  readonly parameters: readonly ParameterSpec[];
  readonly body: BodySpec | null;
  /** Most bytes of its body; null: as the setting limits.bodyBytes says, which may also be lower than this. */
  readonly maxBodyBytes: number | null;
  readonly produces: readonly string[];
  /** By status, or `default`. */
  readonly responses: Readonly<Record<string, ResponseSpec>>;
  /** Its success carries an entity tag: of the answer to a read, of the version that a change has left. */
  readonly isTagged: boolean;
  /** A read that answers with a credential: a token of a session, a one-time token or code, a seed. */
  readonly handsOutCredential: boolean;
}

export interface RouteNode {
  readonly literals: Readonly<Record<string, RouteNode>>;
  /** Where any other segment leads; it is named by position, in `OperationSpec.pathParameters`. */
  readonly parameter: RouteNode | null;
  /** The operationId of each method. */
  readonly operations: Readonly<Partial<Record<Method, string>>>;
}
