/** The two API descriptions as they are served: the generated documents, with this network's own host. */
import { readFileSync } from 'node:fs';
import type { Api } from '../generated/operation.js';
import type { Documents } from '../handlers/context.js';

const read = (api: Api, extension: 'json' | 'yml') =>
  readFileSync(new URL(`../generated/${api}.${extension}`, import.meta.url), 'utf8');

/** @param advertise  `host:port`, put into each document as its `host` */
export function openDocuments(advertise: string, publishedAt: Date): Documents {
  const texts = new Map<string, string>();
  const make = (api: Api, format: 'yaml' | 'json') =>
    format === 'yaml'
      ? read(api, 'yml').replace(/^(basePath:.*)$/m, `host: '${advertise}'\n$1`)
      : JSON.stringify({ ...(JSON.parse(read(api, 'json')) as object), host: advertise });
  return {
    publishedAt,
    text(api, format) {
      const key = `${api} ${format}`;
      const text = texts.get(key) ?? make(api, format);
      texts.set(key, text);
      return text;
    },
  };
}
