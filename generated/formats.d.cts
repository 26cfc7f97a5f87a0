// Generated from specs/ (sha256 5bb678efbf70736cd059463b1d64f66c6c9fa4f1421c2f4d0732a179458076ef) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
