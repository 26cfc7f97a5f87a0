// Generated from specs/ (sha256 ed0dd5942c4746c7e112fd0ece861d014b3f7323f5e13292cd9b9f9b55f49be2) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
