/** The document that an SDK is made of: that of this tree, or what a controller serves. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import 'reflect-metadata';
import { X509Certificates } from '@peculiar/x509';
import { basePaths } from '../../generated/routes.js';
import { apis, folderOf } from '../spec-document.js';
import type { ApiName, JsonObject } from '../spec-document.js';
import { ROOT } from './generator.js';

const MOST_MS = 30_000;

/** @param host  name and port that the SDK calls unless its user sets others: `edge.example.org:1280` */
export function documentOfTree(api: ApiName, host: string): JsonObject {
  const document = JSON.parse(
    readFileSync(join(ROOT, 'dist/generated', `${folderOf(api)}.json`), 'utf8'),
  ) as JsonObject;
  return { ...document, host };
}

export interface Trust {
  /** PEM of the network's authorities. */
  readonly authorities?: string;
  /** SHA-256 of the network's root certificate: what the controller says of itself has to agree. */
  readonly fingerprint?: string;
}

/**
 * APIs that clients are generated for. Of single sign-on nobody needs one: a login is redirects, a page and proof keys,
 * which libraries of OAuth do in every language (docs/authentication.md), and a generated client does not.
 */
export const sdkApis: readonly ApiName[] = apis.filter((api) => api !== 'oidc');

/**
 * From a running controller. Its certificate is verified: by the authorities given, else by those that it publishes,
 * whose root has to have the fingerprint given; without either the first answer is trusted, and the fingerprint shown.
 * @param tell  gets a line for the user
 * @throws Error when there is no answer, or none that can be trusted
 */
export async function served(
  url: string,
  apis: readonly ApiName[],
  trust: Trust,
  tell: (line: string) => void,
): Promise<ReadonlyMap<ApiName, JsonObject>> {
  const origin = new URL(url).origin;
  const ca = trust.authorities ?? (await published(origin, trust.fingerprint, tell));
  const documents = new Map<ApiName, JsonObject>();
  for (const api of apis)
    documents.set(api, JSON.parse(await get(`${origin}${basePaths[api]}/swagger.json`, { ca })) as JsonObject);
  return documents;
}

/** The authorities that the controller publishes, PEM. */
async function published(origin: string, expected: string | undefined, tell: (line: string) => void): Promise<string> {
  const bundle = await get(`${origin}/.well-known/est/cacerts`, { rejectUnauthorized: false });
  const bag = [...new X509Certificates(Buffer.from(bundle, 'base64'))];
  const certificates = bag.map(({ rawData }) => new X509Certificate(Buffer.from(rawData)));
  const roots = certificates.filter((one) => one.issuer === one.subject && one.verify(one.publicKey));
  const fingerprints = roots.map(({ fingerprint256 }) => fingerprint256.replaceAll(':', '').toLowerCase());
  if (expected === undefined) {
    tell(`Trusted as it answers, because neither --ca nor --sha256 was given. Compare the SHA-256 of its root:`);
    for (const fingerprint of fingerprints) tell(`  ${fingerprint}`);
  } else if (!fingerprints.includes(expected.replaceAll(':', '').toLowerCase())) {
    throw new Error(`${origin} publishes the root ${fingerprints.join(', ')}, not ${expected}`);
  }
  return certificates.map(String).join('\n');
}

function get(url: string, options: RequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...options, headers: { accept: '*/*' } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`GET ${url} answered ${answer.statusCode ?? 0}: ${text.slice(0, 200)}`));
      });
    });
    outgoing.setTimeout(MOST_MS, () => outgoing.destroy(new Error(`no answer within ${MOST_MS / 1000} s`)));
    outgoing.on('error', (error) => {
      reject(new Error(`GET ${url}: ${error.message}`, { cause: error }));
    });
    outgoing.end();
  });
}
