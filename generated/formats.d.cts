// Generated from specs/ (sha256 5f469f6e20848e10a806773f87f2fe655245431c49276a1d38d82ce80843f7cd) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
