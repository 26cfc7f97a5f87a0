/** What the generator writes for the specs of test/fixtures. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { CHECKSUMS, checksums } from '../../scripts/documents.js';
import { differences, generate, generateFrom } from '../../scripts/generate.js';
import { at, generateZoo, projectDir, runModule, zoo } from '../fixtures/specs/zoo.js';

describe('generated files', () => {
  const files = generateZoo();
  const text = (path: string): string => files.get(path) ?? '';
  /** One top-level declaration of an emitted module. */
  const declaration = (path: string, name: string): string =>
    text(path)
      .split(/\n{2,}/)
      .find((block) => new RegExp(`^export (interface|type) ${name}\\b`, 'm').test(block)) ?? '';

  it('are these', () => {
    expect([...files.keys()]).to.deep.equal([
      'client.yml',
      'client/all-faults.cjs',
      'client/all-faults.d.cts',
      'client/names.ts',
      'client/operations.ts',
      'client/request.ts',
      'client/response.ts',
      'client/validators.cjs',
      'client/validators.d.cts',
      'documents.sha256',
      'fabric-api.yml',
      'fabric-api/all-faults.cjs',
      'fabric-api/all-faults.d.cts',
      'fabric-api/names.ts',
      'fabric-api/operations.ts',
      'fabric-api/request.ts',
      'fabric-api/response.ts',
      'fabric-api/validators.cjs',
      'fabric-api/validators.d.cts',
      'formats.cjs',
      'formats.d.cts',
      'management.yml',
      'management/all-faults.cjs',
      'management/all-faults.d.cts',
      'management/names.ts',
      'management/operations.ts',
      'management/request.ts',
      'management/response.ts',
      'management/validators.cjs',
      'management/validators.d.cts',
      'oidc.yml',
      'oidc/all-faults.cjs',
      'oidc/all-faults.d.cts',
      'oidc/names.ts',
      'oidc/operations.ts',
      'oidc/request.ts',
      'oidc/response.ts',
      'oidc/validators.cjs',
      'oidc/validators.d.cts',
      'operation.ts',
      'operations.ts',
      'routes.ts',
    ]);
  });

  it('have a form as an object, and in the document as parameters', () => {
    expect(text('oidc/operations.ts')).to.include('body: Request.TicketForm;').and.include('302: undefined;');
    expect(text('operations.ts')).to.include("kind: 'form'").and.include("members: { day: 'text', extras: 'list' }");
    expect(text('oidc.yml')).to.include('in: formData').and.not.include('ticketForm').and.not.include('guestForm');
  });

  it('are the same every time', () => {
    expect([...generateZoo()]).to.deep.equal([...files]);
  });

  it('do not depend on the order in the documents', () => {
    const reverse = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, member]) => [key, reverse(member)]),
      );
    };
    const { client, fabric, management, oidc } = zoo();
    const reversed = generateFrom({
      client: reverse(client),
      fabric: reverse(fabric),
      management: reverse(management),
      oidc: reverse(oidc),
    });
    for (const [path, content] of reversed) {
      if (/\.(ts|cjs)$/.test(path)) expect(content, path).to.equal(text(path));
    }
  });

  it('name their origin in the first line', () => {
    for (const [path, content] of files) {
      if (/\.(sha256|yml)$/.test(path)) continue;
      expect(content, path).to.match(/^\/\/ Generated from specs\/ by scripts\/generate\. Do not edit\.\n/);
    }
  });

  it('of one API change only with its document', () => {
    const documents = zoo();
    at(documents.client, 'definitions', 'meal', 'properties', 'food')['minLength'] = 2;
    const changed = generateFrom(documents);
    for (const [path, content] of files) {
      if (path.startsWith('management')) expect(changed.get(path), path).to.equal(content);
    }
    expect(changed.get('client/validators.cjs')).to.not.equal(text('client/validators.cjs'));
  });

  describe('types', () => {
    it('let null stand for an absent property of whatever a request may hold', () => {
      expect(declaration('client/request.ts', 'Meal'))
        .to.contain('food: string;')
        .and.contain('grams?: number | null;');
      expect(declaration('client/response.ts', 'Meal'))
        .to.contain('food: string;')
        .and.contain('grams?: number | null | undefined;');
    });

    it('extend, and replace what a sub-type changes', () => {
      expect(declaration('management/request.ts', 'KeeperCreate'))
        .to.contain("extends Omit<Person, 'nickname'> {")
        .and.contain('  nickname: string;')
        .and.contain('size: Size | null;')
        .and.contain('shifts?: number | null;');
    });

    it('are unions where there is a discriminator', () => {
      expect(declaration('management/request.ts', 'AnimalCreate')).to.equal(
        'export type AnimalCreate =\n  | BirdCreate\n  | FishCreate;',
      );
      expect(declaration('management/request.ts', 'AnimalCreateBase')).to.contain('  kind: string;');
      expect(declaration('management/request.ts', 'BirdCreate'))
        .to.contain('extends AnimalCreateBase {')
        .and.contain("  kind: 'BIRD' | 'birdCreate';");
      expect(declaration('management/response.ts', 'BirdDetail'))
        .to.contain("  kind: 'BIRD';")
        .and.contain('mate?: AnimalDetail | null | undefined;');
    });

    it('know maps, enums, lists and nullable definitions', () => {
      expect(declaration('management/response.ts', 'Links')).to.equal('export type Links = Record<string, string>;');
      expect(declaration('management/request.ts', 'Tags')).to.equal(
        'export type Tags = Record<string, unknown> | null;',
      );
      expect(declaration('management/request.ts', 'Size')).to.equal("export type Size = 'small' | 'large';");
      expect(declaration('management/request.ts', 'FishCreate'))
        .to.contain('waters?: Water[] | null;')
        .and.contain('tags: Tags;');
      expect(declaration('management/response.ts', 'ListAnimalsEnvelope')).to.contain('data: readonly AnimalDetail[];');
    });

    it('carry the first sentence of a description, which cannot end the comment', () => {
      expect(text('management/response.ts')).to.contain('/** What everything has. */\nexport interface Entity');
      expect(text('management/response.ts')).to.contain('  /** Its id, e.g. `a1`. */\n');
      expect(text('management/request.ts')).to.contain('  /** Ends a comment * / early. */\n');
    });
  });

  it('list the names of what requests send: of sub-types together, of maps none', () => {
    const names = text('management/names.ts');
    expect(names).to.contain(
      '  animalCreate: { canFly: null, kind: null, name: null, tags: null, waters: null, wings: null },\n',
    );
    expect(names).to.contain("address: 'address'").and.contain('  address: { city: null },\n');
    expect(names).not.to.contain('  tags: {');
  });

  describe('operations', () => {
    it('type what a handler takes and gives', () => {
      const operations = text('client/operations.ts');
      expect(operations).to.contain("headers: { 'portion-size'?: number };");
      expect(operations).to.contain('body: Request.Meal | string | undefined;');
      expect(operations).to.contain('201: Response.Meal | string;');
      expect(operations).to.contain('default: Response.Failure;');
      expect(operations).to.contain("query: { filter?: string[]; limit?: number; size?: 'small' | 'large' };");
      expect(operations).to.contain('200: Buffer;\n      204: undefined;');
      expect(text('management/operations.ts')).to.contain('body: Request.AnimalCreate;');
      expect(text('management/operations.ts')).to.contain("createKeeper: {\n    permission: 'admin';\n");
    });

    it('stand in a table with all that the server has to know', () => {
      const { operations } = run('operations.ts') as { operations: Record<string, Record<string, unknown>> };
      const { client = {}, management = {} } = operations;
      expect(client['createMeal']).to.deep.include({
        api: 'client',
        operationId: 'createMeal',
        method: 'POST',
        path: '/animals/{id}/meals',
        pathParameters: ['id'],
        permission: 'own',
        grantedBy: [],
        refusalStatus: 401,
        produces: ['application/json', 'application/x-pem-file'],
        body: {
          name: 'meal',
          required: false,
          consumes: ['application/json', 'text/plain'],
          textTypes: ['text/plain'],
          kind: 'json',
          validator: 'request_meal',
          names: 'meal',
        },
        responses: {
          201: { validator: 'response_meal', kind: 'json', textTypes: ['application/x-pem-file'], itemValidator: null },
          default: { validator: 'response_failure', kind: 'json', textTypes: [], itemValidator: null },
        },
      });
      const granted = Object.entries(management).map(([id, operation]) => [
        id,
        (operation as { grantedBy: unknown }).grantedBy,
      ]);
      expect(Object.fromEntries(granted)).to.deep.equal({
        createAnimal: ['animal', 'animal.create'],
        createKeeper: [],
        listAnimals: ['admin_readonly', 'animal', 'animal.read'],
      });
      expect(client['showPhoto']).to.deep.include({ pathParameters: ['animalId'], body: null });
      const bounds = { minimum: null, maximum: null, minLength: null, maxLength: null };
      expect(client['showPhoto']).to.have.deep.property('parameters', [
        { name: 'animalId', in: 'path', type: 'string', format: null, required: true, enum: null, ...bounds },
        { name: 'filter', in: 'query', type: 'array', format: null, required: false, enum: null, ...bounds },
        {
          name: 'limit',
          in: 'query',
          type: 'integer',
          format: 'int64',
          required: false,
          enum: null,
          ...bounds,
          minimum: -1,
        },
        {
          name: 'size',
          in: 'query',
          type: 'string',
          format: null,
          required: false,
          enum: ['small', 'large'],
          ...bounds,
        },
      ]);
      const answer = (id: string, status: number): unknown =>
        at(management[id] as Record<string, unknown>, 'responses', status);
      expect(answer('listAnimals', 200)).to.have.property('itemValidator', 'response_animalDetail');
      expect(answer('createKeeper', 201)).to.have.property('itemValidator', 'response_createKeeperResponse201_item');
    });

    it('are found by path', () => {
      const { routes } = run('routes.ts') as { routes: Record<string, Route> };
      const { client } = routes;
      expect(client?.operations).to.deep.equal({ GET: 'showRoot' });
      const animal = client?.literals['animals']?.parameter;
      expect(animal?.literals['meals']?.operations).to.deep.equal({ POST: 'createMeal' });
      expect(animal?.literals['photo']?.operations).to.deep.equal({ GET: 'showPhoto' });
      for (const name of ['constructor', '__proto__', 'toString'])
        expect(client?.literals[name], name).to.equal(undefined);
    });
  });

  it('compile under the strictest settings', function () {
    this.timeout(120_000);
    expect(
      compile({
        ...Object.fromEntries([...files].filter(([path]) => /\.(ts|cts)$/.test(path))),
        'use.ts':
          `
        import validators from './client/validators.cjs';
        import formats from './formats.cjs';
        import { operations, type OperationId } from './operations.js';
        import type { Operations } from './management/operations.js';
        import type { AnimalCreate } from './management/request.js';
        export const valid: boolean | undefined = validators['request_meal']?.({});
        export const fault: string | undefined = validators['request_meal']?.errors?.[0]?.keyword;
        export const matches: boolean | undefined = formats['uuid']?.test('');
        export const id: OperationId<'client'> = 'createMeal';
        export const path: string = operations.management.listAnimals.path;
        export const fish: AnimalCreate = { kind: 'FISH', name: 'x', tags: null };
        export const wings = (animal: AnimalCreate): number | null => (animal.kind === 'BIRD' || animal.kind === ` +
          `'birdCreate' ? animal.wings ?? null : null);
        // @ts-expect-error a sub-type's own property is missing
        export const bird: Operations['createAnimal']['body'] = { kind: 'BIRD', name: 'x' };
        // @ts-expect-error no such operation
        export const other: OperationId<'management'> = 'createMeal';
        // @ts-expect-error a response has no null for an optional property
        export const cause: Operations['createKeeper']['responses']['default'] = { code: 'x', cause: null };
      `,
      }),
    ).to.deep.equal([]);
  });

  it('contain no any', () => {
    for (const [path, content] of files) {
      if (/\.(ts|cts)$/.test(path)) expect(content, path).to.not.match(/[:<|&]\s*any\b/);
    }
  });

  describe('on disk', () => {
    let folder = '';
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'generated-'));
    });
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    it('are compared file by file', () => {
      writeFileSync(join(folder, 'a.ts'), 'one\ntwo\n');
      writeFileSync(join(folder, 'b.ts'), 'same');
      writeFileSync(join(folder, 'c.ts'), 'extra');
      const expected = new Map([
        ['a.ts', 'one\n2\n'],
        ['b.ts', 'same'],
        ['d.ts', ''],
      ]);
      expect(differences(folder, expected)).to.deep.equal([
        'a.ts:2: differs',
        'd.ts: missing',
        'c.ts: does not belong here',
      ]);
    });

    it('are what the specs ask for: otherwise run `npm run generate`', function () {
      this.timeout(120_000);
      expect(differences(join(projectDir, 'generated'), generate(projectDir))).to.deep.equal([]);
    });

    it('have the hashes of the documents that the build made', () => {
      const expected = readFileSync(join(projectDir, 'generated', CHECKSUMS), 'utf8');
      const names = [...expected.matchAll(/ {2}(.+)$/gm)].map(([, name = '']) => name);
      expect(names).to.have.length(12);
      const read = (name: string) => readFileSync(join(projectDir, 'dist/generated', name), 'utf8');
      expect(checksums(new Map(names.map((name) => [name, read(name)])))).to.equal(expected);
    });
  });

  interface Route {
    readonly literals: Readonly<Record<string, Route>>;
    readonly parameter: Route | null;
    readonly operations: Readonly<Record<string, string>>;
  }

  /** The exports of an emitted module, which imports only types. */
  function run(path: string): unknown {
    return runModule(ts.transpile(text(path), { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 }));
  }

  function compile(sources: Readonly<Record<string, string>>): string[] {
    const root = join(projectDir, 'generated/.zoo');
    const virtual = new Map(Object.entries(sources).map(([path, content]) => [join(root, path), content]));
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      typeRoots: [join(projectDir, 'node_modules/@types')],
      noEmit: true,
      skipLibCheck: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noPropertyAccessFromIndexSignature: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      verbatimModuleSyntax: true,
      isolatedModules: true,
    };
    const disk = ts.createCompilerHost(options);
    const host: ts.CompilerHost = {
      ...disk,
      fileExists: (path) => virtual.has(path) || disk.fileExists(path),
      directoryExists: (path) => path.startsWith(root) || (disk.directoryExists?.(path) ?? true),
      readFile: (path) => virtual.get(path) ?? disk.readFile(path),
      getSourceFile: (path, languageOptions, ...rest) => {
        const content = virtual.get(path);
        if (content === undefined) return disk.getSourceFile(path, languageOptions, ...rest);
        return ts.createSourceFile(path, content, languageOptions);
      },
    };
    const program = ts.createProgram([...virtual.keys()], options, host);
    return ts
      .getPreEmitDiagnostics(program)
      .map(
        (one) =>
          `${one.file?.fileName.slice(root.length) ?? ''}: ${ts.flattenDiagnosticMessageText(one.messageText, '\n')}`,
      );
  }
});
