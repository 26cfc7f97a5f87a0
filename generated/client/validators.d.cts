// Generated from specs/ (sha256 5ba42a02324310724535ad4d14025aaec3c15ef750377b5f8e4c4a86fc9b9406) by scripts/generate. Do not edit.
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
