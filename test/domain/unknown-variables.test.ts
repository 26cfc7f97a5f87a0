/** Variables that look like settings and are none. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { nearestWord } from '../../domain/nearest-word.js';
import { readSettings } from '../../server/settings/config-reader.js';
import { SETTINGS } from '../../server/settings/config.js';
import { unknownVariables, unknownVariableText } from '../../server/settings/unknown-variables.js';

const of = (...names: string[]) => unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])));

describe('variables that are no settings', () => {
  it('are named, with the setting that may have been meant', () => {
    const [found, ...others] = of('EDGE_BACKUP_EVRY', 'PATH', 'ZITI_X');
    expect(others).to.deep.equal([]);
    expect(found).to.deep.equal({ name: 'EDGE_BACKUP_EVRY', meant: 'EDGE_BACKUP_EVERY' });
    expect(found && unknownVariableText(found)).to.equal(
      'The variable EDGE_BACKUP_EVRY is no setting and has no effect (did you mean EDGE_BACKUP_EVERY?).',
    );
    expect(of('EDGE_NOTHING_LIKE_IT')[0]).to.deep.equal({ name: 'EDGE_NOTHING_LIKE_IT', meant: undefined });
  });

  it('are found where the settings are read, which they do not stop', () => {
    const { unknown, config } = readSettings({ env: { EDGE_NAMES: 'a', EDGE_NAME: 'b' } });
    expect(unknown).to.deep.equal([{ name: 'EDGE_NAMES', meant: 'EDGE_NAME' }]);
    expect(config.name).to.equal('b');
  });

  it('are no settings themselves, and none that Kubernetes sets for a service named edge', () => {
    expect(of(...Object.values(SETTINGS).map(({ env }) => env))).to.deep.equal([]);
    const service = ['EDGE_SERVICE_HOST', 'EDGE_SERVICE_PORT', 'EDGE_SERVICE_PORT_HTTPS', 'EDGE_PORT'];
    const port = ['', '_PROTO', '_PORT', '_ADDR'].map((end) => `EDGE_PORT_1280_TCP${end}`);
    const other = ['EDGE_CONTROLLER_SERVICE_HOST', 'EDGE_CONTROLLER_PORT_6262_TCP_ADDR'];
    expect(of(...service, ...port, ...other)).to.deep.equal([]);
  });

  it('are none that our own pages and examples use', () => {
    const texts = ['docs', 'docs/operations', 'examples', '.'].flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true })
        .filter((file) => file.isFile() && /\.(md|sh)$/.test(file.name) && file.name !== 'CHANGELOG.md')
        .map((file) => readFileSync(join(folder, file.name), 'utf8')),
    );
    const used = new Set(texts.flatMap((text) => [...text.matchAll(/(?<![A-Z_])EDGE_[A-Z0-9_]*[A-Z0-9]\b/g)].flat()));
    expect(used.size).to.be.greaterThan(20);
    expect(of(...used)).to.deep.equal([]);
  });
});

describe('the nearest word', () => {
  it('is the one with the fewest slips, and none beyond two', () => {
    expect(nearestWord('nam', ['id', 'name', 'names'])).to.equal('name');
    expect(nearestWord('NAME', ['name'])).to.equal('name');
    expect(nearestWord('colour', ['name', 'id'])).to.equal(undefined);
  });
});
