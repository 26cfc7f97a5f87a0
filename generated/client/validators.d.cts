// Generated from specs/ (sha256 1e0209928f5ab31d9283b19fe3f360dc39523a0026123f1e4b46d1f7c9979019) by scripts/generate. Do not edit.
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
