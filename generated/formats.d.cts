// Generated from specs/ (sha256 f5894936e36381e4913b33a3d15a8e878508a4415e784fb263e4c1176f50ab07) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
