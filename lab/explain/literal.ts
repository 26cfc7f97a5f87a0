/** A value as node-pg would send it, as a literal that PostgreSQL reads as whatever type is wanted. */
const quoted = (text: string): string =>
  text.includes('\\')
    ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`;

export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return quoted(textOf(value));
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return `"${textOf(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
