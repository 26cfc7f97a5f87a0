/** Place of the reader in the page: the part of the address after `#`, which browsers send to nobody. */
import { signal } from '@preact/signals';

export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function routeOf(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: new URLSearchParams(search),
  };
}

export const route = signal(routeOf(location.hash));
window.addEventListener('hashchange', () => {
  route.value = routeOf(location.hash);
});

/** An address within the page. */
export function linkTo(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
  return `#/${path.map(encodeURIComponent).join('/')}${search}`;
}

/** Changes what follows `?`, without a step in the history. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = route.value;
  const all = { ...Object.fromEntries(query), ...changes };
  history.replaceState(null, '', linkTo(path, all));
  route.value = routeOf(location.hash);
}
