// Generated from specs/ (sha256 74769e6f0c586febc6326bd9d8baa08305b6ac8f40755ad6c5c033031331b29f) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
