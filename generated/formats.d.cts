// Generated from specs/ (sha256 a4441a439a1c5ee3a1d59b230342670afa2239dfd10975a083660df1b7b82a85) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
