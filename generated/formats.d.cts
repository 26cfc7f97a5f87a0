// Generated from specs/ (sha256 97919708c8f68a151576839513e33f335cb47a95937d6fc584bfc2fa03483c47) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
