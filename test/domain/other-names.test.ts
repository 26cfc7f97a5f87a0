/** Variables of the field's own images that are taken as settings, and what wins over them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig, readSettings } from '../../server/settings/config-reader.js';
import { ConfigError } from '../../server/settings/config.js';

const read = (env: Readonly<Record<string, string>>) => readConfig({ env });

describe('variables of other images', () => {
  it('are the address and the port of the controller, which listens everywhere', () => {
    expect(read({ ZITI_CTRL_ADVERTISED_ADDRESS: 'Ctrl.Example.com', ZITI_CTRL_ADVERTISED_PORT: '8441' })).to.include({
      advertise: 'ctrl.example.com:8441',
      listen: '0.0.0.0:8441',
      controlListen: null,
    });
    expect(read({ ZITI_CTRL_ADVERTISED_ADDRESS: '2001:db8::1' })).to.include({
      advertise: '[2001:db8::1]:1280',
      listen: '0.0.0.0:1280',
    });
    expect(read({ ZITI_CTRL_ADVERTISED_PORT: '443' })).to.include({
      advertise: 'localhost:443',
      listen: '0.0.0.0:443',
    });
  });

  it('of older images have an address of routers beside that of the API', () => {
    const older = {
      ZITI_CTRL_ADVERTISED_ADDRESS: 'routers.example.com',
      ZITI_CTRL_ADVERTISED_PORT: '6262',
      ZITI_CTRL_EDGE_ADVERTISED_ADDRESS: 'api.example.com',
      ZITI_CTRL_EDGE_ADVERTISED_PORT: '1281',
    };
    expect(read(older)).to.include({
      advertise: 'api.example.com:1281',
      listen: '0.0.0.0:1281',
      controlAdvertise: 'routers.example.com:6262',
      controlListen: '0.0.0.0:6262',
    });
    expect(read({ ...older, ZITI_CTRL_ADVERTISED_PORT: '1281' })).to.include({
      advertise: 'api.example.com:1281',
      controlAdvertise: null,
      controlListen: null,
    });
    expect(read({ ...older, ZITI_CTRL_EDGE_ADVERTISED_PORT: '' })).to.include({
      advertise: 'api.example.com:1280',
      controlListen: '0.0.0.0:6262',
    });
  });

  it('are the first administrator', () => {
    expect(read({ ZITI_USER: 'operator', ZITI_PWD: 'a pass word' })).to.include({
      adminUsername: 'operator',
      adminPassword: 'a pass word',
    });
  });

  it('that are set to nothing are not set', () => {
    const nothing = { ZITI_CTRL_ADVERTISED_ADDRESS: '', ZITI_CTRL_ADVERTISED_PORT: '', ZITI_USER: '', ZITI_PWD: '' };
    expect(read(nothing)).to.deep.equal(read({}));
    expect(readSettings({ env: nothing }).otherNames).to.deep.equal([]);
  });

  it('give way to ours, and to the file, and it is known which were used', () => {
    const place = mkdtempSync(join(tmpdir(), 'edge-names-'));
    try {
      const file = join(place, 'edge.yml');
      writeFileSync(file, 'listen: 127.0.0.1:7\n');
      const { config, otherNames: uses } = readSettings({
        file,
        env: {
          ZITI_CTRL_ADVERTISED_ADDRESS: 'theirs.example.com',
          ZITI_USER: 'theirs',
          ZITI_PWD: 'the pass word',
          EDGE_ADMIN_USERNAME: 'ours',
        },
      });
      expect(config).to.include({
        advertise: 'theirs.example.com:1280',
        listen: '127.0.0.1:7',
        adminUsername: 'ours',
        adminPassword: 'the pass word',
      });
      expect(uses).to.have.deep.members([
        { setting: 'advertise', variables: ['ZITI_CTRL_ADVERTISED_ADDRESS'] },
        { setting: 'listen', variables: ['ZITI_CTRL_ADVERTISED_ADDRESS'], instead: `listen in ${file}` },
        { setting: 'admin.username', variables: ['ZITI_USER'], instead: 'environment variable EDGE_ADMIN_USERNAME' },
        { setting: 'admin.password', variables: ['ZITI_PWD'] },
      ]);
      expect(JSON.stringify(uses)).not.to.include('the pass word');
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  it('are refused like ours, by their own names, and no secret is repeated', () => {
    const wrong = { ZITI_CTRL_ADVERTISED_ADDRESS: 'a b', ZITI_CTRL_ADVERTISED_PORT: '443', ZITI_PWD: 'pw4' };
    expect(() => read(wrong))
      .to.throw(ConfigError)
      .with.property('message')
      .that.matches(/environment variable ZITI_CTRL_ADVERTISED_ADDRESS, ZITI_CTRL_ADVERTISED_PORT: /)
      .and.matches(/environment variable ZITI_PWD: must have 5 to 100 characters/)
      .and.does.not.match(/pw4/);
    expect(() => read({ ZITI_CTRL_ADVERTISED_PORT: '70000' })).to.throw(/ZITI_CTRL_ADVERTISED_PORT: /);
  });
});
