/** The API descriptions as they are served: the generated documents, with this network's own address. */
import { readFileSync } from 'node:fs';
import type { Api } from '../../generated/operation.js';
import { basePaths } from '../../generated/routes.js';
import type { DocumentForm, Documents } from '../../handlers/context.js';

const FILES: Readonly<Record<DocumentForm, string>> = { swagger: '', openapi: '.openapi' };

/** Names of the files, by API. */
const NAMES: Readonly<Record<Api, string>> = {
  client: 'client',
  fabric: 'fabric-api',
  management: 'management',
  oidc: 'oidc',
};

const read = (api: Api, form: DocumentForm, extension: 'json' | 'yml') =>
  readFileSync(new URL(`../../generated/${NAMES[api]}${FILES[form]}.${extension}`, import.meta.url), 'utf8');

/**
 * Each is made at its first request, and kept.
 * @param advertise  `host:port`, put into OpenAPI 2.0 as `host`, and into OpenAPI 3.1 as the server
 */
export function openDocuments(advertise: string, publishedAt: Date): Documents {
  const kept = new Map<string, Buffer>();
  const json = (api: Api, form: DocumentForm): string => {
    const document = JSON.parse(read(api, form, 'json')) as object;
    const server = { url: `https://${advertise}${basePaths[api]}` };
    const address = form === 'swagger' ? { host: advertise } : { servers: [server] };
    return JSON.stringify({ ...document, ...address });
  };
  const yaml = (api: Api, form: DocumentForm): string =>
    form === 'swagger'
      ? read(api, form, 'yml').replace(/^(basePath:.*)$/m, `host: '${advertise}'\n$1`)
      : read(api, form, 'yml').replace(/^( +- url: ).*$/m, `$1https://${advertise}${basePaths[api]}`);
  return {
    publishedAt,
    bytes(api, syntax, form = 'swagger') {
      const key = `${api} ${form} ${syntax}`;
      const bytes = kept.get(key) ?? Buffer.from((syntax === 'json' ? json : yaml)(api, form));
      kept.set(key, bytes);
      return bytes;
    },
  };
}
