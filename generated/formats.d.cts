// Generated from specs/ (sha256 81912880852515c67ffb73e15f4e94b0ff44ec775e6e5355ec412f7b4589201d) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
