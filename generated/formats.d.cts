// Generated from specs/ (sha256 e2302285aa211dc878d818c706ec1853cee65cf0e474c510201ddf35d090d694) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
