/**
 * The content security policy of a single-page application: everything comes from this controller, and what is in
 * its index page itself may run, known by its hash. Styles may be inline, because frameworks write them.
 */
import { createHash } from 'node:crypto';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/** Page without its comments. */
const withoutComments = (page: string): string => page.replace(/<!--[\s\S]*?-->/g, '');

/** The scripts of a page that have no address. */
function scriptsOf(page: string): string[] {
  return [...page.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi)].flatMap(([, attributes = '', text = '']) =>
    /\ssrc\s*=/i.test(attributes) || text === '' ? [] : [text.replaceAll('\r\n', '\n')],
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#34': '"',
};
const decoded = (value: string): string =>
  value.replace(/&(amp|lt|gt|quot|apos|#39|#34);/g, (whole, name: string) => ENTITIES[name] ?? whole);

/** Returns the event handlers in a page's elements: `onload="this.media='all'"` of a style sheet that loads late. */
function handlersOf(page: string): string[] {
  const tags = page.replace(/(<script\b[^>]*>)[\s\S]*?<\/script\s*>/gi, '$1').match(/<[a-z][^>]*>/gi) ?? [];
  return tags.flatMap((tag) =>
    [...tag.matchAll(/\son[a-z]+\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(([, double, single]) =>
      decoded(double ?? single ?? ''),
    ),
  );
}

/**
 * @param page  the text of the index
 * @param elsewhere  what else it may load, by directive
 */
export function policyFor(page: string, elsewhere: Readonly<Record<string, readonly string[]>> = {}): string {
  const plain = withoutComments(page);
  const handlers = handlersOf(plain).map(hashOf);
  const inline = [...scriptsOf(plain).map(hashOf), ...(handlers.length === 0 ? [] : ["'unsafe-hashes'", ...handlers])];
  return [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(inline)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self' blob:",
    "frame-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
    .map((directive) => [directive, ...(elsewhere[directive.split(' ', 1)[0] ?? ''] ?? [])].join(' '))
    .join('; ');
}
