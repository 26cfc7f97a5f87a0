// Generated from specs/ (sha256 ac2fbd8e8a98f39ba9a0a978b58d9394e77a3f945fde9755b9258582babcd2e6) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
