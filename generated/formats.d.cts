// Generated from specs/ (sha256 c080ac5358f6edc68741011762fbcbbc28356c64f554b621694cf7b02d3d6e05) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
