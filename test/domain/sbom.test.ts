/** The bill of materials: what an installation runs, and nothing of development. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly group?: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}
interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

describe('the bill of materials', function bill() {
  this.timeout(120_000);
  let text: string;
  let made: Bill;
  before(async () => {
    ({ stdout: text } = await promisify(execFile)(process.execPath, ['scripts/sbom.mjs'], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    }));
    made = JSON.parse(text) as Bill;
  });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const nameOf = ({ group, name }: Component) =>
    group === undefined || name.startsWith('@') ? name : `${group}/${name}`;

  it('is CycloneDX, of this release', () => {
    expect(made).to.include({ bomFormat: 'CycloneDX' });
    expect(made.specVersion).to.match(/^1\.[5-9]$/);
    expect(made.serialNumber).to.match(/^urn:uuid:[0-9a-f-]{36}$/);
    expect(Number.isNaN(Date.parse(made.metadata.timestamp))).to.equal(false);
    expect(made.metadata.component).to.include({ name: 'edge-controller', version: manifest.version });
  });

  it('has every package that the program names, and none that is for development', () => {
    const names = made.components.map(nameOf);
    expect(names).to.include.members(Object.keys(manifest.dependencies));
    expect(names).to.include.members(['pg', 'koa', 'knex', 'pino', 'lru-cache']);
    expect(Object.keys(manifest.devDependencies).filter((name) => names.includes(name))).to.deep.equal([]);
  });

  it('says of each what it is, which version, and its content', () => {
    for (const component of made.components) {
      const what = component['bom-ref'];
      expect(component.type, what).to.equal('library');
      expect(component.purl, what).to.match(/^pkg:npm\/.+@\d/);
      expect(component.version, what).to.match(/^\d+\.\d+\.\d+/);
      expect(component.hashes?.[0], what).to.include({ alg: 'SHA-512' });
    }
  });

  it('tells which needs which, each of them in the list', () => {
    const known = new Set([made.metadata.component['bom-ref'], ...made.components.map((each) => each['bom-ref'])]);
    expect(made.dependencies).to.have.length.greaterThan(made.components.length / 2);
    for (const { ref, dependsOn } of made.dependencies)
      expect(
        [ref, ...dependsOn].filter((each) => !known.has(each)),
        ref,
      ).to.deep.equal([]);
  });

  it('names no place that packages were fetched from', () => {
    expect(text).not.to.match(/"distribution"/);
  });
});
