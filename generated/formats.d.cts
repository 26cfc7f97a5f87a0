// Generated from specs/ (sha256 e17d67c096c151cadadfec23f97d5e4f1d9f6ee642099cf6eccb77e61282b6e0) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
