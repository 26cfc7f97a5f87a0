// Generated from specs/ (sha256 f68d36e2f29aad4130a9525260dff2a167cbdd49fe698361b3d8659cc59ff69a) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
