/** The `Link` header of lists (RFC 8288) to the next page and the first. Paths, so that any proxy may be before us. */
import type { OperationSpec } from '../../generated/operation.js';
import type { PageInfo } from '../../handlers/reply.js';
import { canonicalPath, splitTarget } from './paths.js';

/** A longer header would be too long for many clients: a filter is in it twice. */
const MAX_BYTES = 4_096;

/** A filter with a `skip` of its own wins over the parameter: no link would lead anywhere. */
const OWN_SKIP = /(?<![\w.-])skip(?![\w.-])/i;
/** A letter may be written as its code. */
const MAY_SKIP = /skip|%[4-7]/i;
const LITERAL = /"(?:[^"\\]|\\.)*"?/g;

/** @param target  of the request line. @returns undefined for a list without pages */
export function linkOf(
  operation: OperationSpec,
  target: string,
  { limit, offset, totalCount }: Pick<PageInfo, 'limit' | 'offset' | 'totalCount'>,
): string | undefined {
  if (limit === null || !operation.parameters.some(({ name }) => name === 'offset')) return undefined;
  const { path, search } = splitTarget(target);
  if (search !== '' && hasOwnSkip(search)) return undefined;
  const kept = search === '' ? '' : keptOf(search);
  // Two slashes in front would name another server.
  const place = escaped(canonicalPath(path));
  const pageAt = (at: number) => `<${place}?${kept}limit=${limit}&offset=${at}>`;
  const next = offset + limit;
  const first = `${pageAt(0)}; rel="first"`;
  const link = next < totalCount ? `${pageAt(next)}; rel="next", ${first}` : first;
  return link.length > MAX_BYTES ? undefined : link;
}

function hasOwnSkip(search: string): boolean {
  if (!MAY_SKIP.test(search)) return false;
  const filter = new URLSearchParams(search).get('filter');
  return filter !== null && OWN_SKIP.test(filter.replaceAll(LITERAL, ' '));
}

/** The other parameters as they were sent, each with a `&` behind it. */
function keptOf(search: string): string {
  return search
    .split('&')
    .filter((part) => part !== '' && !['limit', 'offset'].includes(nameIn(part)))
    .map((part) => `${escaped(part)}&`)
    .join('');
}

/** Names are compared as they are read: `%6cimit` is `limit`. */
const nameIn = (part: string): string => {
  const name = part.split('=', 1)[0] ?? '';
  return name.includes('%') ? ([...new URLSearchParams(part).keys()][0] ?? '') : name;
};

/** Characters that a URI has not, but that a request line may have: they could end the link. */
const escaped = (part: string): string =>
  part.replace(
    /[^\w\-.~%!$&'()*+,;=:@/?[\]]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
