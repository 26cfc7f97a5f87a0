// Generated from specs/ (sha256 e611108682c0da0db8780356fb63f91a43a5b679b3a9e0aa89feb4d400130e9e) by scripts/generate. Do not edit.
/** The checked formats of strings, for parameters as well as for validators. */
declare const formats: Readonly<Record<string, RegExp>>;
export = formats;
