// Generated from specs/ (sha256 30687aa3b8c3039b06d2e236a28b633204d02f1bf61c4654899911da0ee95733) by scripts/generate. Do not edit.
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
