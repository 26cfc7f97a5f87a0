/** What `convert` makes of an export of the existing controller. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { fileText, readStockExport } from '../../commands/network/files.js';
import { readEntries } from '../../commands/network/import-network.js';
import { convertedExport, isStockExport } from '../../domain/network-files/stock-export.js';
import type { Json, JsonObject } from '../../domain/model.js';

const file = fileURLToPath(new URL('../../../test/fixtures/stock-export/export.json', import.meta.url));
const read = () => readStockExport(file);
const of = (kind: string, content: ReadonlyMap<string, Json[]>): JsonObject[] =>
  (content.get(kind) ?? []) as JsonObject[];
const namesOf = (items: readonly JsonObject[]) => items.map(({ name }) => name);

describe('an export of the existing controller', () => {
  it('gives no policy more than it gave: without its posture checks none can be imported', () => {
    const { content, notes } = read();
    expect(of('servicePolicies', content)[0]?.['postureCheckRoles']).to.deep.equal(['@WHICH POSTURE CHECKS?']);
    expect(notes.join('\n')).to.match(/1 service policies have @WHICH POSTURE CHECKS\?/);
  });

  it('leaves policies as they are where there are no checks', () => {
    const exported = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
    const { content } = convertedExport({ ...exported, postureChecks: [] });
    expect(of('servicePolicies', content)[0]).to.deep.equal({
      name: 'staff-dials',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#staff', '@ann'],
      serviceRoles: ['@wiki'],
    });
  });

  it('says what is lost, and whom an import would enable', () => {
    const notes = read().notes.join('\n');
    expect(notes).to.match(/never has: posture checks of service policies/);
    expect(notes).to.match(/identity "ann" is disabled there/);
    expect(notes).to.match(/signer "company login" has its enrollAuthPolicy as an id/);
  });

  it('has names where it has names with an @', () => {
    const { content } = read();
    expect(of('configs', content)[0]).to.deep.include({ name: 'wiki-host', configType: 'host.v1' });
    expect(of('services', content)[1]).to.deep.include({ name: 'wiki', configs: ['wiki-host', 'wiki-monitor'] });
    expect(of('identities', content)[1]).to.deep.include({ name: 'ann', type: 'Default', authPolicy: 'staff' });
    expect(of('identities', content)[0]).to.deep.equal({
      name: 'admin',
      type: 'Default',
      isAdmin: true,
      isDefaultAdmin: true,
    });
    const primary = of('authPolicies', content)[0]?.['primary'] as JsonObject;
    expect(primary['extJwt']).to.deep.equal({ allowed: true, allowedSigners: ['company login'] });
  });

  it('has nothing that the network makes by itself', () => {
    const { content } = read();
    expect(namesOf(of('configTypes', content))).to.deep.equal(['monitor.v1']);
    expect(namesOf(of('edgeRouterPolicies', content))).to.deep.equal(['routers']);
    expect(namesOf(of('identities', content))).to.deep.equal(['admin', 'ann']);
  });

  it('passes the check of network files', () => {
    const place = mkdtempSync(join(tmpdir(), 'edge-export-'));
    try {
      const written = join(place, 'network.yaml');
      writeFileSync(written, fileText(read().content));
      expect(readEntries({ files: [written], only: undefined }).all).to.have.length(15);
    } finally {
      rmSync(place, { recursive: true });
    }
  });

  it('is told from a network file', () => {
    expect(isStockExport({ configs: [{ name: 'a', configType: 'host.v1' }] })).to.equal(false);
    expect(() => readStockExport(fileURLToPath(new URL('../../../docs/first-network.md', import.meta.url)))).to.throw();
    expect(() => readStockExport('/nowhere')).to.throw('there is no such file');
  });
});
