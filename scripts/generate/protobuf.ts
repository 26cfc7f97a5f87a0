/**
 * Messages of routers: specs/fabric/*.proto become TypeScript in generated/fabric/. The parser is protobufjs and the
 * emitter protoc-gen-es, both plain JavaScript, so that no compiler for this machine has to be there.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt';
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import protobuf from 'protobufjs';
import { describeFile } from './protobuf-descriptor.js';
import { HEADER } from './text.js';

const WELL_KNOWN = 'google/protobuf/timestamp.proto';

/** Everything in generated/fabric/, by path. `rootDir` is the folder that holds specs/. */
export function emitProtobuf(rootDir: string): Map<string, string> {
  const folder = join(rootDir, 'specs/fabric');
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.proto'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  const emitted = emit(describe(sources));
  return new Map(emitted.map(({ name, content }) => [`fabric/${name}`, HEADER + content]));
}

interface Source {
  readonly name: string;
  readonly text: string;
}

function describe(sources: readonly Source[]): FileDescriptorProto[] {
  const root = new protobuf.Root();
  const timestamp = protobuf.common.get(WELL_KNOWN);
  if (timestamp?.nested === undefined) throw new Error(`${WELL_KNOWN} is not known to the parser`);
  root.addJSON(timestamp.nested);
  const parsed = sources.map((source) => {
    const own = new protobuf.Root();
    const options = { keepCase: true, alternateCommentMode: true };
    protobuf.parse(source.text, root, options);
    return { source, ...protobuf.parse(source.text, own, options) };
  });
  root.resolveAll();
  return parsed.map(({ source, package: packageName, imports, root: own }) => {
    if (packageName === undefined) throw new Error(`specs/fabric/${source.name}: no package`);
    const names = own.lookup(packageName);
    if (!(names instanceof protobuf.Namespace)) throw new Error(`specs/fabric/${source.name}: nothing is defined`);
    return describeFile(
      { name: source.name, packageName, imports: imports ?? [] },
      names.nestedArray.map(({ name }) => root.lookup(`${packageName}.${name}`)),
    );
  });
}

function emit(files: readonly FileDescriptorProto[]): { name: string; content: string }[] {
  const require = createRequire(import.meta.url);
  const plugin = join(dirname(require.resolve('@bufbuild/protoc-gen-es/package.json')), 'bin/protoc-gen-es');
  const wellKnown = create(FileDescriptorProtoSchema, file_google_protobuf_timestamp.proto);
  const request = create(CodeGeneratorRequestSchema, {
    parameter: 'target=ts,import_extension=js',
    fileToGenerate: files.map(({ name }) => name),
    protoFile: inOrder([wellKnown, ...files]),
  });
  const input = toBinary(CodeGeneratorRequestSchema, request);
  const output = execFileSync(process.execPath, [plugin], { input, maxBuffer: 64 << 20 });
  const { error, file } = fromBinary(CodeGeneratorResponseSchema, output);
  if (error !== '') throw new Error(`specs/fabric: ${error}`);
  return file.map(({ name, content }) => ({ name, content }));
}

/** Each file after those that it imports. */
function inOrder(files: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  const ordered: FileDescriptorProto[] = [];
  const add = (file: FileDescriptorProto) => {
    if (ordered.includes(file)) return;
    for (const name of file.dependency) {
      const imported = files.find((candidate) => candidate.name === name);
      if (imported === undefined) throw new Error(`specs/fabric/${file.name}: ${name} is not there`);
      add(imported);
    }
    ordered.push(file);
  };
  for (const file of files) add(file);
  return create(FileDescriptorSetSchema, { file: ordered }).file;
}
