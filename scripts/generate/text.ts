// Small pieces of emitted text.

/**
 * The first line of each generated file; nothing in it moves with the specs, so that a change of them touches only the
 * files that come out otherwise, and two branches meet only where both changed the same.
 */
export const HEADER = '// Generated from specs/ by scripts/generate. Do not edit.\n';

/** A doc comment of the first sentence of a description; nothing when there is none. */
export function comment(description: string | null, indent = ''): string {
  if (description === null) return '';
  const text = description.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  const [sentence = text] = /^.*?[.!?](?= |$)(?<!\b(?:e\.g|i\.e)\.)/.exec(text) ?? [];
  const short = sentence.length <= 140 ? sentence : `${sentence.slice(0, 139).trimEnd()}…`;
  return short === '' ? '' : `${indent}/** ${short} */\n`;
}

export function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A property name, quoted only if it has to be. */
export function key(name: string): string {
  return /^([A-Za-z_$][A-Za-z0-9_$]*|0|[1-9]\d{0,8})$/.test(name) ? name : quote(name);
}

/** A value as a JavaScript literal on one line. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${key(name)}: ${literal(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return String(value);
}

export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
