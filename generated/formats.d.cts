// Generated from specs/ (sha256 3433757631094df24df66c0075ae505d87cbec91a35889c70c1330d454325917) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
