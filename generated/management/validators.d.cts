// Generated from specs/ (sha256 4cd452ce7c7188e9d6187159551e6da4812c432fbe267eb48a94b00c593ed596) by scripts/generate. Do not edit.
declare namespace validators {
  interface ValidationFault {
    /** JSON pointer into what was validated. */
    readonly instancePath: string;
    readonly schemaPath: string;
    readonly keyword: string;
    readonly params: Record<string, unknown>;
    readonly message?: string;
  }
  /** After a call that answered false, `errors` holds the faults of that call. */
  interface ValidateFunction {
    (data: unknown): boolean;
    errors?: readonly ValidationFault[] | null;
  }
}
/** By `request_<definition>` and `response_<definition>`. */
declare const validators: Readonly<Record<string, validators.ValidateFunction>>;
export = validators;
