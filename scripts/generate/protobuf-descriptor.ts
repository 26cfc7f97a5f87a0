/** From what protobufjs has parsed to the descriptors that generators of protobuf read. Proto3, no services. */
import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  DescriptorProtoSchema,
  EnumDescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as FieldType,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import type {
  DescriptorProto,
  EnumDescriptorProto,
  FieldDescriptorProto,
  FileDescriptorProto,
  SourceCodeInfo_LocationSchema,
} from '@bufbuild/protobuf/wkt';
import protobuf from 'protobufjs';
import { pascalCase } from './text.js';

const { Enum, MapField, Type } = protobuf;
type Parsed = protobuf.ReflectionObject | null;

const SCALARS: ReadonlyMap<string, FieldType> = new Map([
  ['double', FieldType.DOUBLE],
  ['int64', FieldType.INT64],
  ['uint64', FieldType.UINT64],
  ['int32', FieldType.INT32],
  ['uint32', FieldType.UINT32],
  ['bool', FieldType.BOOL],
  ['string', FieldType.STRING],
  ['bytes', FieldType.BYTES],
]);

/** Numbers of the fields of descriptors: where a comment belongs is said by a path of these and of indexes. */
const MESSAGES = 4;
const ENUMS = 5;
const FIELDS = 2;
const NESTED = 3;
const NESTED_ENUMS = 4;
const VALUES = 2;

/** Comments by the place that they belong to. */
type Locations = MessageInitShape<typeof SourceCodeInfo_LocationSchema>[];

interface File {
  readonly name: string;
  readonly packageName: string;
  readonly imports: readonly string[];
}

/** @param parts  the messages and enums of the file, resolved */
export function describeFile(file: File, parts: readonly Parsed[]): FileDescriptorProto {
  const location: Locations = [];
  const messages = parts.filter((part) => part instanceof Type);
  const enums = parts.filter((part) => part instanceof Enum);
  if (messages.length + enums.length !== parts.length)
    throw new Error(`specs/fabric/${file.name}: only messages and enums are known here`);
  return create(FileDescriptorProtoSchema, {
    name: file.name,
    package: file.packageName,
    syntax: 'proto3',
    dependency: [...file.imports],
    messageType: messages.map((type, index) => describeMessage(type, [MESSAGES, index], location)),
    enumType: enums.map((type, index) => describeEnum(type, [ENUMS, index], location)),
    sourceCodeInfo: { location },
  });
}

function describeMessage(type: protobuf.Type, path: number[], location: Locations): DescriptorProto {
  note(type.comment, path, location);
  const oneofs = type.oneofsArray.map(({ name }) => name);
  const entries: DescriptorProto[] = [];
  const field = type.fieldsArray.map((each, index) => {
    note(each.comment, [...path, FIELDS, index], location);
    const oneofIndex = each.partOf === null ? {} : { oneofIndex: oneofs.indexOf(each.partOf.name) };
    if (!(each instanceof MapField)) return describeField(each, oneofIndex);
    const entry = describeEntry(each);
    entries.push(entry);
    return create(FieldDescriptorProtoSchema, {
      name: each.name,
      jsonName: camelCase(each.name),
      number: each.id,
      label: Label.REPEATED,
      type: FieldType.MESSAGE,
      typeName: `${type.fullName}.${entry.name}`,
    });
  });
  const nested = type.nestedArray.filter((part) => part instanceof Type);
  const enums = type.nestedArray.filter((part) => part instanceof Enum);
  return create(DescriptorProtoSchema, {
    name: type.name,
    field,
    nestedType: [...nested.map((part, index) => describeMessage(part, [...path, NESTED, index], location)), ...entries],
    enumType: enums.map((part, index) => describeEnum(part, [...path, NESTED_ENUMS, index], location)),
    oneofDecl: oneofs.map((name) => ({ name })),
  });
}

function describeField(field: protobuf.Field, more: { oneofIndex?: number }): FieldDescriptorProto {
  return create(FieldDescriptorProtoSchema, {
    name: field.name,
    jsonName: camelCase(field.name),
    number: field.id,
    label: field.repeated ? Label.REPEATED : Label.OPTIONAL,
    ...typeOf(field),
    ...more,
  });
}

/** A map is a list of entries on the wire. */
function describeEntry(field: protobuf.MapField): DescriptorProto {
  const name = pascalCase(camelCase(field.name));
  const key = SCALARS.get(field.keyType);
  if (key === undefined) throw new Error(`${field.fullName}: keys of maps are scalars, not ${field.keyType}`);
  return create(DescriptorProtoSchema, {
    name: `${name}Entry`,
    options: { mapEntry: true },
    field: [
      { name: 'key', jsonName: 'key', number: 1, label: Label.OPTIONAL, type: key },
      { name: 'value', jsonName: 'value', number: 2, label: Label.OPTIONAL, ...typeOf(field) },
    ],
  });
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function typeOf(field: protobuf.FieldBase): { type: FieldType; typeName?: string } {
  const scalar = SCALARS.get(field.type);
  if (scalar !== undefined) return { type: scalar };
  const { resolvedType } = field;
  if (resolvedType === null) throw new Error(`${field.fullName}: ${field.type} is not known here`);
  const type = resolvedType instanceof Enum ? FieldType.ENUM : FieldType.MESSAGE;
  return { type, typeName: resolvedType.fullName };
}

function describeEnum(type: protobuf.Enum, path: number[], location: Locations): EnumDescriptorProto {
  note(type.comment, path, location);
  return create(EnumDescriptorProtoSchema, {
    name: type.name,
    value: Object.entries(type.values).map(([name, number], index) => {
      note(type.comments[name] ?? null, [...path, VALUES, index], location);
      return { name, number };
    }),
  });
}

function note(comment: string | null, path: number[], location: Locations): void {
  if (comment === null) return;
  const leadingComments = comment
    .split('\n')
    .map((line) => ` ${line}\n`)
    .join('');
  location.push({ path, span: [0, 0, 0], leadingComments });
}
