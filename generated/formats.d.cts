// Generated from specs/ (sha256 d8e907c85d6ef9125265c6e971065218fa90389bec0ee2d2ef279e60f6036ea4) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
