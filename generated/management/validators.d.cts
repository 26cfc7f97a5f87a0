// Generated from specs/ (sha256 5fffe0ddfd39d78d891a3b90d1b21ce93c9d290815f0532ca6108c3aa87c2186) by scripts/generate. Do not edit.
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
