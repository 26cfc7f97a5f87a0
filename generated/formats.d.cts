// Generated from specs/ (sha256 2566fd65e1842affae3ac7aeb98536e4c2abc69fca44f32b98f259f6b76a3ab9) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
