/** Makes entities by number through the API, unless they are there already. */
import { forEachParallel } from './api-client.js';
import type { ApiClient } from './api-client.js';
import { say, showProgress } from './progress.js';
import { MANAGEMENT } from './world.js';
import type { Known, Named } from './world.js';

export const number = (index: number): string => String(index).padStart(6, '0');

export interface Entities {
  readonly path: string;
  readonly prefix: string;
  readonly count: number;
  /** The field that identifies them; `prefix` and their number are in it. */
  readonly key?: 'name' | 'address';
  readonly body: (index: number) => Readonly<Record<string, unknown>>;
}

/** @returns `count` of them in the order of their numbers */
export async function ensureAll<T extends Known>(
  admin: ApiClient,
  label: string,
  { path, prefix, count, key = 'name', body }: Entities,
): Promise<T[]> {
  const keyOf = (item: unknown) => String((item as Readonly<Record<string, unknown>>)[key]);
  const known = (item: unknown, id: string) => ({ id, [key]: keyOf(item) }) as unknown as T;
  const there = await admin.listAll<T>(`${MANAGEMENT}/${path}`, `${key} contains "${prefix}"`, (item) =>
    known(item, item.id),
  );
  const ids = new Map(there.map((item) => [keyOf(item), item.id]));
  const missing: object[] = [];
  for (let index = 0; index < count; index += 1) {
    const item = body(index);
    if (!ids.has(keyOf(item))) missing.push(item);
  }
  const startedAt = Date.now();
  const rate = (done: number) =>
    `${Math.round((done * 1000) / Math.max(1, Date.now() - startedAt)).toLocaleString('en')}/s`;
  let done = 0;
  await forEachParallel(missing, async (item) => {
    ids.set(keyOf(item), await admin.create(`${MANAGEMENT}/${path}`, item));
    done += 1;
    if (done % 50 === 0)
      showProgress(
        `${label}: ${path} ${done.toLocaleString('en')} of ${missing.length.toLocaleString('en')}, ${rate(done)}`,
      );
  });
  if (missing.length > 0) say(`${label}: made ${missing.length.toLocaleString('en')} ${path}, ${rate(missing.length)}`);
  return Array.from({ length: count }, (_, index) => {
    const item = body(index);
    return known(item, ids.get(keyOf(item)) ?? '');
  });
}

/** The same, of the network itself: each named by its prefix and its number. */
export const ensureNamed =
  (admin: ApiClient) =>
  (path: string, prefix: string, count: number, body: (index: number) => object): Promise<Named[]> =>
    ensureAll<Named>(admin, 'own', {
      path,
      prefix,
      count,
      body: (index) => ({ name: `${prefix}${number(index)}`, ...body(index) }),
    });
