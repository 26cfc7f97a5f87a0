// Generated from specs/ (sha256 9508c0bcadd71441d2626df8cfe248535b1e2be86e5901836812d20d7ef77cfd) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
