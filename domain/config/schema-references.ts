/**
 * References inside a user-supplied JSON Schema: `#`, `#/a/b` (RFC 6901), `#name`, and the document's own `$id`s
 * (`id` in draft-04). Whatever leads outside the document is refused; nothing is ever fetched.
 */
import { invalidSchema, isNode, type SchemaNode } from './schema-fault.js';

export interface References {
  /** Whether keywords next to `$ref` count: from draft 2019-09 on. */
  readonly siblingsCount: boolean;
  /** The next subschema that something refers to and that was not read yet; the document, named 0, comes first. */
  next(): { readonly name: string; readonly node: unknown } | undefined;
  /** @returns the name of what `$ref` of this subschema leads to. @throws DomainError `invalidField` on `schema` */
  resolve(node: SchemaNode): string;
  /** Notes that evaluating `from` evaluates `to` on the same value. */
  link(from: string, to: string): void;
  /** @throws DomainError `invalidField` on `schema` when evaluation would never end */
  refuseCircles(): void;
}

/** A part of the document with an `$id` of its own. */
interface Resource {
  readonly uri: string;
  readonly root: SchemaNode;
}

/** Stands in for the address of a document that gives none. */
const NO_ADDRESS = 'schema:/';

export function createReferences(document: SchemaNode): References {
  const resources = new Map<string, Resource>();
  const anchors = new Map<string, unknown>();
  const resourceOf = new Map<unknown, Resource>();
  index(document, { uri: NO_ADDRESS, root: document }, { resources, anchors, resourceOf });

  const named = new Map<unknown, string>();
  const queue: { name: string; node: unknown }[] = [];
  const links = new Map<string, Set<string>>();
  const nameOf = (node: unknown): string => {
    // Booleans are equal to each other wherever they stand, and mean the same: one name for each will do.
    const known = named.get(node);
    if (known !== undefined) return known;
    const name = String(named.size);
    named.set(node, name);
    queue.push({ name, node });
    return name;
  };
  nameOf(document);
  const target = (node: SchemaNode): unknown => {
    const ref = node['$ref'];
    if (typeof ref !== 'string') throw invalidSchema("has a keyword '$ref' that must be a string", ref);
    const base = resourceOf.get(node) ?? { uri: NO_ADDRESS, root: document };
    const { address, fragment } = split(ref, base.uri);
    const resource = address === base.uri ? base : resources.get(address);
    if (!resource)
      throw invalidSchema(`refers to ${ref}, which is not in the schema: references outside it are not followed`, ref);
    const found =
      fragment === '' || fragment.startsWith('/')
        ? pointer(resource.root, fragment)
        : anchors.get(`${resource.uri}#${fragment}`);
    if (found === undefined) throw invalidSchema(`refers to ${ref}, which is not there`, ref);
    return found;
  };
  return {
    siblingsCount: /\/draft\/20(19|2\d)-/.test(String(document['$schema'])),
    next: () => queue.shift(),
    resolve: (node) => nameOf(target(node)),
    link: (from, to) => {
      links.set(from, (links.get(from) ?? new Set()).add(to));
    },
    refuseCircles: () => refuseCircles(links),
  };
}

interface Found {
  readonly resources: Map<string, Resource>;
  readonly anchors: Map<string, unknown>;
  readonly resourceOf: Map<unknown, Resource>;
}

/** Walks everything once, so that a reference may also lead to places that are no keyword's. */
function index(value: unknown, base: Resource, found: Found): void {
  if (Array.isArray(value)) for (const item of value) index(item, base, found);
  if (!isNode(value)) return;
  const id = [value['$id'], value['id']].find((candidate) => typeof candidate === 'string');
  const resource = id === undefined || id.startsWith('#') ? base : { uri: split(id, base.uri).address, root: value };
  if (id?.startsWith('#')) found.anchors.set(`${base.uri}${id}`, value);
  if (typeof value['$anchor'] === 'string') found.anchors.set(`${resource.uri}#${value['$anchor']}`, value);
  if (!found.resources.has(resource.uri)) found.resources.set(resource.uri, resource);
  found.resourceOf.set(value, resource);
  for (const item of Object.values(value)) index(item, resource, found);
}

/** Resolves against the base (RFC 3986 section 5); what cannot be resolved stands for itself. */
function split(reference: string, base: string): { address: string; fragment: string } {
  const [relative = '', fragment = ''] = reference.split('#', 2);
  if (relative === '') return { address: base, fragment: decode(fragment) };
  return {
    address: URL.canParse(relative, base) ? new URL(relative, base).href : relative,
    fragment: decode(fragment),
  };
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function pointer(root: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as SchemaNode)[key]
        : undefined;
    }, root);
}

function refuseCircles(links: ReadonlyMap<string, ReadonlySet<string>>): void {
  const done = new Set<string>();
  const visit = (name: string, path: ReadonlySet<string>): void => {
    if (path.has(name)) throw invalidSchema('has references that go in a circle');
    if (done.has(name)) return;
    for (const next of links.get(name) ?? []) visit(next, new Set(path).add(name));
    done.add(name);
  };
  for (const name of links.keys()) visit(name, new Set());
}
