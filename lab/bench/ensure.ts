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
  const ids = new Map(
    (await admin.listAll<T>(`${MANAGEMENT}/${path}`, `${key} contains "${prefix}"`)).map((item) => [
      keyOf(item),
      item.id,
    ]),
  );
  const bodies = Array.from({ length: count }, (_, index) => body(index));
  const missing = bodies.filter((item) => !ids.has(keyOf(item)));
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
  return bodies.map((item) => ({ id: ids.get(keyOf(item)) ?? '', [key]: keyOf(item) }) as unknown as T);
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
