// Generated from specs/ (sha256 af6a080f5fe0f29db2c79907f5a81c9e27b549a1578ddb8dcb7c73d80876b6a1) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
