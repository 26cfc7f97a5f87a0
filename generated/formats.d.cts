// Generated from specs/ (sha256 850346a9fea5aa6c4d5eed83ac9c703969509781a8943b154da3e4be2177a87d) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
