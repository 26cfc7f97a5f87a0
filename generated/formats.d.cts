// Generated from specs/ (sha256 81fd055c7878c9d60431a790f164d8a113ab13c716e11c6ae04bd8db8ed7f09b) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
