// Generated from specs/ (sha256 ebdc12de50700acb442bc66744cf0baeb735e7f64d6313e0160ef970020f32e1) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
