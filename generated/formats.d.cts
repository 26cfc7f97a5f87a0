// Generated from specs/ (sha256 a00c72c0d31adce33f6f5fce8f357fe681a2ff685df8074f24c42f960792f91a) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
