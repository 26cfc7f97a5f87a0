/** The entities that examples are about: one of each collection, with the same id and name wherever it is shown. */
import { createHash, X509Certificate } from 'node:crypto';
import { linksOf } from '../../handlers/fields.js';
import { isObject } from '../spec-document.js';
import type { JsonObject, JsonValue, OpenApiDocument, Operation } from '../spec-document.js';
import { bodyOf, dereference } from '../spec-lookup.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 22;

/** Ids that specs/ write in the examples of parameters and bodies. */
const WRITTEN: Readonly<Record<string, string>> = {
  'identities': '4tYQGmJ1cXbN8eRw2KpL0s',
  'services': '7vKqPz3LsWd9HfYx5TnB2m',
  'transit-routers': '5gHx0QvTn2ZrWk8LbYc3Ms',
  'configs': '2fXc8VjDq5RtY1nKwPz6Lb',
  'controller-settings': 'global',
};

/** What every network has, and other entities refer to. */
const BUILT_IN: Readonly<Record<string, { readonly id: string; readonly name: string }>> = {
  'auth-policies': { id: 'default', name: 'Default' },
  'config-types': { id: 'g7cIWbcGg', name: 'intercept.v1' },
  'identity-types': { id: 'User', name: 'User' },
  'posture-check-types': { id: 'DOMAIN', name: 'DOMAIN' },
  'specs': { id: 'edge-client', name: 'edge-client' },
};

const CERTIFICATES: readonly string[] = [
  'ca',
  'caPool',
  'cas',
  'cert',
  'certPem',
  'certificate',
  'clientCert',
  'serverCert',
];
const FINGERPRINTS: readonly string[] = ['fingerprint', 'kid'];

/** Properties that refer to an entity, and are not named after its collection. */
const REFERRERS: Readonly<Record<string, string>> = {
  commonRouters: 'edge-routers',
  router: 'transit-routers',
  routerId: 'transit-routers',
  type: 'identity-types',
  typeId: 'identity-types',
};

/** An id of the right form, always the same for a collection. */
export function madeOf(collection: string): string {
  let number = BigInt(`0x${createHash('sha256').update(collection).digest('hex')}`);
  let id = '';
  while (id.length < ID_LENGTH) {
    id += ALPHABET[Number(number % 62n)] ?? '';
    number /= 62n;
  }
  return id;
}

export const looksLikeId = (value: JsonValue): boolean => typeof value === 'string' && /^[0-9A-Za-z]{22}$/.test(value);

/** What is known of the entities, from the examples that create them. */
export class Entities {
  readonly #created = new Map<string, JsonObject>();
  readonly #collections: ReadonlySet<string>;

  constructor(documents: readonly OpenApiDocument[]) {
    const paths = documents.flatMap((document) =>
      Object.entries(document.paths).map(([path, item]) => [document, path, item] as const),
    );
    this.#collections = new Set(paths.flatMap(([, path]) => /^\/([a-z-]+)\/\{id\}$/.exec(path)?.[1] ?? []));
    for (const [document, path, item] of paths) {
      const example = item.post === undefined ? undefined : bodyExample(document, item.post);
      if (isObject(example)) this.#created.set(path.slice(1), example);
    }
  }

  has(collection: string): boolean {
    return this.#collections.has(collection);
  }

  /** The id of a collection's entity. */
  idOf(collection: string): string {
    const builtIn = this.#created.has(collection) ? undefined : BUILT_IN[collection]?.id;
    return builtIn ?? WRITTEN[collection] ?? madeOf(collection);
  }

  /** The id by which others refer to an entity of the collection. */
  referredId(collection: string): string {
    return BUILT_IN[collection]?.id ?? this.idOf(collection);
  }

  /** Of the collection's entity. */
  links(collection: string): JsonObject {
    return { ...linksOf(collection, this.idOf(collection)) };
  }

  /** The body that creates the entity; undefined when it is not created by one. */
  created(collection: string): JsonObject | undefined {
    return this.#created.get(collection);
  }

  /** The collection that a property refers to: `authPolicy`, `authPolicyId` and `authPolicies` to `auth-policies`. */
  referredBy(property: string): string | undefined {
    const known = REFERRERS[property];
    if (known !== undefined) return known;
    const kebab = property.replace(/Ids?$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [kebab, `${kebab}s`, kebab.replace(/y$/, 'ies')].find((name) => this.#collections.has(name));
  }

  /** What a property of a certificate holds: the one that specs/ write, or its fingerprint; undefined for all else. */
  certificateText(property: string): string | undefined {
    const pem = this.created('cas')?.['certPem'];
    if (typeof pem !== 'string') return undefined;
    if (CERTIFICATES.includes(property)) return pem;
    if (!FINGERPRINTS.includes(property)) return undefined;
    return createHash('sha1').update(new X509Certificate(pem).raw).digest('hex');
  }

  /** A reference as answers have it (`entityRef`). */
  reference(collection: string): JsonObject {
    const id = this.referredId(collection);
    const name = BUILT_IN[collection]?.name ?? this.created(collection)?.['name'];
    const _links = { ...linksOf(collection, id) };
    return { _links, entity: collection, id, ...(name === undefined ? {} : { name }) };
  }
}

/** The example body of an operation, its own or that of its schema. */
export function bodyExample(document: OpenApiDocument, operation: Operation): JsonValue | undefined {
  const body = bodyOf(document, operation);
  return body?.['x-example'] ?? dereference(document, body?.schema)?.example;
}
