// Generated from specs/ (sha256 059b285b114ec16b1a195c16a6c01e8cda95ab0d715574e987068ec9a087947c) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
