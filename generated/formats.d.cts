// Generated from specs/ (sha256 28a03f36f080cd822a3bed696d5236aa74d764cebb6bb7655ba6a1a848ef70db) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
