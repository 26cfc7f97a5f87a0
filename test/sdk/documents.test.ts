/** The documents that SDKs are made of: where they come from, and what is changed in them for a generator. */
import { rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { correctedFor } from '../../scripts/sdk/corrections.js';
import { documentOfTree, served } from '../../scripts/sdk/documents.js';
import { apis } from '../../scripts/spec-document.js';
import type { JsonObject, JsonValue } from '../../scripts/spec-document.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';

const at = (value: JsonValue | undefined, ...path: string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((found, key) => (found as JsonObject | undefined)?.[key], value);
const count = (document: JsonObject, text: string) => JSON.stringify(document).split(text).length - 1;

describe('the document of an SDK', () => {
  it('says where the controller is', () => {
    expect(documentOfTree('client', 'edge.example.org:443')).to.include({ host: 'edge.example.org:443' });
  });

  it('has for Go one type for all kinds, with the members of each that mean the same', () => {
    const management = correctedFor('go', documentOfTree('management', 'localhost'));
    expect(count(management, '"discriminator"')).to.equal(0);
    const properties = at(management, 'definitions', 'postureCheckCreate', 'properties') as JsonObject;
    expect(properties).to.include.keys('name', 'typeId', 'domains', 'macAddresses', 'process', 'processes', 'semantic');
    expect(at(management, 'definitions', 'postureCheckCreate', 'required')).to.deep.equal(['name', 'typeId']);
    expect(at(management, 'definitions')).to.not.have.property('postureCheckDomainCreate');
    // A text, a list and an object, by kind.
    expect(at(management, 'definitions', 'postureCheckFailure', 'properties')).to.not.have.property('actualValue');
  });

  it('has for Go and Python no enumeration without a name', () => {
    for (const api of apis)
      for (const generator of ['go', 'python']) {
        const definitions = at(correctedFor(generator, documentOfTree(api, 'localhost')), 'definitions') as JsonObject;
        const inside = Object.values(definitions).flatMap((one) => Object.entries(one as JsonObject));
        const unnamed = inside.filter(([key, part]) => key !== 'enum' && JSON.stringify(part).includes('"enum":['));
        expect(unnamed).to.deep.equal([]);
      }
  });

  it('is the true one for the others, but for a shorter description and names of constants', () => {
    const document = documentOfTree('management', 'localhost');
    expect(count(document, '"x-enum-varnames"')).to.be.greaterThan(0);
    const corrected = correctedFor('typescript-fetch', document);
    const expected = JSON.parse(
      JSON.stringify({ ...document, info: null }, (key, value: unknown) =>
        key === 'x-enum-varnames' ? undefined : value,
      ),
    ) as JsonObject;
    expect({ ...corrected, info: null }).to.deep.equal(expected);
    expect(document).to.deep.equal(documentOfTree('management', 'localhost'));
  });
});

describe('the document of an SDK, from a controller', () => {
  let controller: TestController;
  let root = '';
  const told: string[] = [];
  const tell = (line: string) => void told.push(line.trim());

  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  it('is trusted as it comes when nothing is known of the network, and the root is told', async () => {
    const documents = await served(controller.url, apis, {}, tell);
    expect([...documents.keys()]).to.deep.equal([...apis]);
    expect(documents.get('management')).to.include({ host: 'localhost:1280', basePath: '/edge/management/v1' });
    root = told.at(-1) ?? '';
    expect(root).to.match(/^[0-9a-f]{64}$/);
  });

  it('is taken from the network with the given root, and from no other', async () => {
    const colons = root.toUpperCase().replace(/..(?!$)/g, '$&:');
    expect((await served(controller.url, ['client'], { fingerprint: colons }, tell)).size).to.equal(1);
    const refused = await served(controller.url, ['client'], { fingerprint: 'ab'.repeat(32) }, tell).catch(String);
    expect(refused).to.include(`publishes the root ${root}, not abab`);
  });

  it('is not taken from whom the given authorities do not know', async () => {
    const { rows } = await controller.database.query("SELECT cert_pem FROM pki_entities WHERE purpose = 'root'");
    const authorities = String(rows[0]?.['cert_pem']);
    expect((await served(controller.url, ['client'], { authorities }, tell)).size).to.equal(1);
    const others = { authorities: rootCertificates[0] ?? '' };
    const refused = await served(controller.url, ['client'], others, tell).catch(String);
    expect(refused).to.match(/swagger\.json: .*certificate/);
  });
});
