/**
 * Whole answers made of the examples of their parts: each value is written once, at the property or definition that it
 * belongs to, and what follows from elsewhere (ids, links, references, what was sent to create the entity) is not
 * written at all.
 */
import { isObject } from '../spec-document.js';
import type { JsonObject, JsonValue, OpenApiDocument, Schema } from '../spec-document.js';
import { definitionName, dereference, subTypesOf } from '../spec-lookup.js';
import { looksLikeId, madeOf } from './entities.js';
import type { Entities } from './entities.js';

const A_TIME = '2026-01-15T09:30:00.000Z';

/** Paths that end in no collection or in another, and what their answers are about. */
const ABOUT: Readonly<Record<string, string>> = {
  '/authenticate': 'api-sessions',
  '/authenticators/{id}/re-enroll': 'enrollments',
  '/current-api-session': 'api-sessions',
  '/current-identity': 'identities',
  '/enrollments/{id}/refresh': 'enrollments',
  '/routers': 'transit-routers',
  '/routers/{id}': 'transit-routers',
};

/** Definitions of entities that other entities contain. */
const CONTAINED: Readonly<Record<string, string>> = { postureQuery: 'posture-checks' };

/** What a value is composed for. */
interface Place {
  /** The entity that the answer is about, where it is about one. */
  readonly id: string;
  readonly links: JsonObject;
  /** The body that the entity was created with; undefined inside of its properties. */
  readonly created: JsonObject | undefined;
  readonly isPaged: boolean;
  /** Whether it is the envelope of an answer. */
  readonly isEnvelope: boolean;
  /** The property whose value this is, or whose elements are. */
  readonly property: string;
  /** Definition and properties that lead here, for what is missing. */
  readonly where: string;
}

export interface Composed {
  readonly value: JsonValue;
  /** Properties without an example that no value follows for, as `definition.property`. */
  readonly missing: readonly string[];
}

export class Composer {
  constructor(
    readonly document: OpenApiDocument,
    readonly entities: Entities,
  ) {}

  /** An answer of an operation. @param isPaged  whether it is a list that comes in pages */
  answer(path: string, schema: Schema, isPaged: boolean): Composed {
    const missing: string[] = [];
    const isEnvelope = dereference(this.document, schema)?.properties?.['meta'] !== undefined;
    const place = { ...this.#placeOf(path), isPaged, isEnvelope, property: '', where: path };
    const value = this.#compose(schema, place, missing);
    return { value, missing };
  }

  /** A body without an entity around it. @param name  of the parameter */
  body(name: string, schema: Schema): Composed {
    const missing: string[] = [];
    const place = { ...this.#placeOf('/'), isPaged: false, isEnvelope: false, property: name, where: name };
    return { value: this.#certificateText(name, schema) ?? this.#compose(schema, place, missing), missing };
  }

  #placeOf(path: string): Pick<Place, 'id' | 'links' | 'created'> {
    const [last = ''] = path
      .split('/')
      .filter((segment) => segment !== '' && !segment.startsWith('{'))
      .slice(-1);
    const collection = ABOUT[path] ?? (this.entities.has(last) ? last : undefined);
    if (collection !== undefined)
      return {
        id: this.entities.idOf(collection),
        links: this.entities.links(collection),
        created: this.entities.created(collection),
      };
    const id = madeOf(last);
    const href = `.${`${path}/{id}` in this.document.paths ? `${path}/{id}` : path}`.replace('{id}', id);
    return { id, links: { self: { href } }, created: undefined };
  }

  #compose(schema: Schema, place: Place, missing: string[]): JsonValue {
    const name = definitionName(schema);
    if (name !== undefined) return this.#composeDefinition(name, place, missing);
    if (schema.example !== undefined) return schema.example;
    if (schema['x-nullable'] === true) return null;
    if (schema.allOf !== undefined || schema.properties !== undefined)
      return this.#composeObject(schema, place, missing);
    if (schema.type === 'array') return schema.items === undefined ? [] : [this.#compose(schema.items, place, missing)];
    const value = evidentValue(schema);
    if (value === undefined) missing.push(place.where);
    return value ?? null;
  }

  #composeDefinition(name: string, place: Place, missing: string[]): JsonValue {
    if (name === 'links') return place.where.startsWith('createLocation') ? pickSelf(place.links) : place.links;
    if (name === 'entityRef') {
      const collection = this.entities.referredBy(place.property);
      if (collection === undefined) missing.push(place.where);
      return collection === undefined ? null : this.entities.reference(collection);
    }
    const definition = this.document.definitions[name] ?? {};
    const subType = definition.discriminator === undefined ? undefined : this.#subTypeOf(name, definition, place);
    const contained = CONTAINED[name];
    const own = contained === undefined ? {} : this.#placeOf(`/${contained}`);
    return this.#compose(subType ?? definition, { ...place, ...own, where: name }, missing);
  }

  /** The sub-type that the entity was created as, else the first. */
  #subTypeOf(base: string, { discriminator = '' }: Schema, place: Place): Schema | undefined {
    const subTypes = subTypesOf(this.document, base).map(([, schema]) => schema);
    const wanted = place.created?.[discriminator];
    return subTypes.find((one) => one['x-discriminator-value'] === wanted) ?? subTypes[0];
  }

  #composeObject(schema: Schema, place: Place, missing: string[]): JsonObject {
    const result: JsonObject = {};
    for (const part of schema.allOf ?? []) {
      const name = definitionName(part);
      if (name === 'entityRef') {
        Object.assign(result, this.#composeDefinition(name, place, missing));
        continue;
      }
      const own = name === undefined ? part : (this.document.definitions[name] ?? {});
      Object.assign(result, this.#composeObject(own, { ...place, where: name ?? place.where }, missing));
      const value = schema['x-discriminator-value'];
      if (own.discriminator !== undefined && value !== undefined) result[own.discriminator] = value;
    }
    if (schema.allOf === undefined && schema.properties === undefined && isObject(schema.example))
      Object.assign(result, schema.example);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (!place.isPaged && (name === 'pagination' || name === 'filterableFields') && place.where === 'meta') continue;
      if (this.#isLeftOut(name, property, schema, place)) continue;
      // Whatever has links is an entity, or where one is.
      const isOwnId = name === 'id' && schema.properties?.['_links'] !== undefined;
      result[name] = isOwnId ? place.id : this.#composeProperty(name, property, place, missing);
    }
    return result;
  }

  /** What may be null and may be absent, and has no example, is absent. */
  #isLeftOut(name: string, property: Schema, { required = [] }: Schema, { created }: Place): boolean {
    return (
      property['x-nullable'] === true &&
      property.example === undefined &&
      !required.includes(name) &&
      created?.[name] === undefined
    );
  }

  #composeProperty(name: string, property: Schema, place: Place, missing: string[]): JsonValue {
    const inner = { ...place, property: name, where: `${place.where}.${name}`, isEnvelope: false };
    // An envelope is around the entity; inside of the entity's properties its own values have no place.
    if (place.isEnvelope) return this.#compose(property, inner, missing);
    const sent = place.created?.[name];
    if (sent !== undefined && this.#fits(sent, property)) return sent;
    const shown = name.endsWith('Display') ? place.created?.[name.replace(/Display$/, '')] : undefined;
    if (Array.isArray(shown)) return shown.map((role) => ({ name: role, role }));
    const text = this.#referredId(name, property) ?? this.#certificateText(name, property);
    if (text !== undefined) return text;
    return this.#compose(property, { ...inner, created: undefined }, missing);
  }

  #fits(value: JsonValue, property: Schema): boolean {
    const schema = dereference(this.document, property);
    if (schema?.allOf !== undefined || schema?.discriminator !== undefined) return false;
    if (schema?.enum !== undefined) return schema.enum.includes(value);
    if (Array.isArray(value))
      return schema?.type === 'array' && value.every((item) => this.#fits(item, schema.items ?? {}));
    if (isObject(value)) return schema?.type === 'object' && schema.properties === undefined;
    return schema?.type === typeof value || (schema?.type === 'integer' && Number.isInteger(value));
  }

  /** Of what `serviceId` names; the example of the property shows what ids look like. */
  #referredId(name: string, { type, example }: Schema): string | undefined {
    if (type !== 'string' || !/Id$/.test(name)) return undefined;
    if (example !== undefined && !looksLikeId(example)) return undefined;
    const collection = this.entities.referredBy(name);
    return collection === undefined ? undefined : this.entities.referredId(collection);
  }

  #certificateText(name: string, { type, example }: Schema): string | undefined {
    return type === 'string' && example === undefined ? this.entities.certificateText(name) : undefined;
  }
}

/** An answer to a creation has no other link than the entity's own. */
const pickSelf = ({ self = {} }: JsonObject): JsonObject => ({ self });

function evidentValue({
  type,
  format,
  enum: values,
  default: fallback,
  additionalProperties,
}: Schema): JsonValue | undefined {
  if (values !== undefined) return values[0];
  if (fallback !== undefined) return fallback;
  if (format === 'date-time') return A_TIME;
  if (type === 'boolean') return false;
  if (type === 'object' && typeof additionalProperties !== 'object') return {};
  return undefined;
}
