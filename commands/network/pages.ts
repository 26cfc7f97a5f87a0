/** All elements of a list of the management API. */
import type { JsonObject } from '../../domain/model.js';

/** Query parameters of a page of a list. */
export interface PageQuery {
  readonly limit: number;
  readonly sort: 'id';
  readonly filter?: string;
}

/** No statement may take long. */
const PAGE = 500;

/**
 * Page by page in the order of ids, each from the last id of the one before: what comes or goes moves no other.
 * @param kept  what of each element is kept, the id with it
 */
export async function allPages(
  read: (query: PageQuery) => Promise<readonly JsonObject[]>,
  kept: (element: JsonObject) => JsonObject,
): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for (;;) {
    const last = items.at(-1);
    const after = last === undefined ? {} : { filter: `id > ${JSON.stringify(last['id'])}` };
    const page = await read({ limit: PAGE, sort: 'id', ...after });
    if (page.length === 0) return items;
    for (const element of page) items.push(kept(element));
  }
}
