/**
 * deploy/systemd: the unit is read by what it is for, as far as that can be had, and what it starts is started as it
 * stands. docs/deploy.md says what no machine here can try.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SETTINGS } from '../../server/settings/config.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop, nobody } from '../support/process.js';
import { NO_OTHER_USER, itUnless } from '../support/unless.js';
import { deploy, lackOf, programAt, run, textOf } from './deploy-files.js';
import { installationFor } from './installation.js';

const analyze = programAt('SYSTEMD_ANALYZE', 'systemd-analyze');

/** The lines of a section of a unit, by their names; a name may come several times. */
function unitOf(text: string): (name: string) => string[] {
  const lines = text.split('\n').map((line) => /^([A-Za-z]+)=(.*)$/.exec(line));
  return (name) => lines.flatMap((match) => (match?.[1] === name ? [match[2] ?? ''] : []));
}

describe('deploy/systemd', function systemd() {
  this.timeout(300_000);
  const unit = textOf('systemd/edge-controller.service');
  const linesOf = unitOf(unit);
  const shop = new ProcessShop();
  after(() => shop.end());

  itUnless(lackOf(analyze, 'systemd-analyze', 'SYSTEMD_ANALYZE'), 'has a unit that systemd takes', async () => {
    const file = join(shop.place(), 'edge-controller.service');
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath).replace(/^User=.*\n^Group=.*\n/m, ''));
    expect(await run(analyze ?? '', ['verify', file])).to.deep.equal({ stdout: '', stderr: '' });
  });

  it('leaves the service no rights, and enough files and time', () => {
    for (const [name, value] of [
      ['CapabilityBoundingSet', ''],
      ['NoNewPrivileges', 'yes'],
      ['ProtectSystem', 'strict'],
      ['StateDirectory', 'edge-controller'],
      ['StateDirectoryMode', '0700'],
      ['SystemCallFilter', '@system-service'],
    ] as const)
      expect(linesOf(name), name).to.deep.equal([value]);
    const { maxConnections, databasePoolSize, lameDuck, drainTimeout } = SETTINGS;
    expect(Number(linesOf('LimitNOFILE')[0])).to.be.greaterThan(
      maxConnections.fallback + databasePoolSize.fallback + 100,
    );
    expect(Number(linesOf('TimeoutStopSec')[0])).to.be.greaterThan(lameDuck.fallback + drainTimeout.fallback + 10);
    expect(unit).not.to.match(/^MemoryDenyWriteExecute/m);
  });

  itUnless(
    NO_OTHER_USER,
    'has a command line that starts as it stands, as another user, and answers its health check',
    async () => {
      const place = shop.place();
      const owner = nobody() as NonNullable<ReturnType<typeof nobody>>;
      const { node, main } = await installationFor(owner, place);
      const state = join(place, 'state');
      mkdirSync(state);
      await run('chown', [`${owner.uid}:${owner.gid}`, state]);
      await run('chmod', ['755', place]);
      const [command = ''] = linesOf('ExecStart');
      const [program, file, ...args] = command.split(' ');
      expect(program).to.equal('/usr/bin/node');
      expect(file).to.equal('/opt/edge-controller/dist/commands/main.js');
      const env = Object.fromEntries(
        linesOf('Environment').map((line) => {
          const [, name = '', value = ''] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
          return [name, value.replace('/var/lib/edge-controller', state)];
        }),
      );
      expect(env).to.have.keys('EDGE_DATA_DIR', 'NODE_ENV');
      const port = await freePort();
      const controller = shop.start(state, { node, main, args, owner, env: { ...env, ...addressAt(port) } });
      await controller.ready();
      const check = (more: Readonly<Record<string, string>>) =>
        run(process.execPath, [join(deploy, 'docker/healthcheck.mjs')], { env: more }).then(
          () => 'healthy',
          (error: unknown) => (error as { stderr: string }).stderr.trim(),
        );
      for (const settings of [
        { EDGE_LISTEN: `127.0.0.1:${port}` },
        { EDGE_LISTEN: `0.0.0.0:${port}`, HEALTH_PATH: '/livez' },
        { ZITI_CTRL_ADVERTISED_PORT: String(port) },
      ])
        expect(await check(settings)).to.equal('healthy');
      expect(await check({ EDGE_LISTEN: `0.0.0.0:${port}`, HEALTH_PATH: '/nowhere' })).to.match(/^404: /);
      expect(await controller.stop()).to.deep.equal({ code: 0, signal: null });
      expect(await check({ EDGE_LISTEN: `0.0.0.0:${port}` })).to.include('ECONNREFUSED');
    },
  );
});
