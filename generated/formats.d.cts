// Generated from specs/ (sha256 94c776be5d3d7d1ebb8258c8ab6015a628873eaf41cb99761202256b9a77d7db) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
