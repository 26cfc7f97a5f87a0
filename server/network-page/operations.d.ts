/** Made at build from the table that the server answers by: method, path, permission, and rights that open it. */
declare module 'operations' {
  const table: Readonly<
    Record<'management' | 'fabric', Readonly<Record<string, readonly [string, string, ...string[]]>>>
  >;
  export default table;
}
declare module '*.css';
