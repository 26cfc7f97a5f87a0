/**
 * Who may connect to the embedded server: the controller and root, not even other processes of the server's account.
 */
import { spawn } from 'node:child_process';
import { lchownSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { preferredAccount, systemUsers } from '../../db/embedded/account.js';
import type { SystemUser } from '../../db/embedded/account.js';
import {
  collectingLog,
  dataDirOf,
  installInto,
  isAlive,
  query,
  serverPid,
  until,
  Workshop,
} from './embedded-support.js';
import type { Installation } from './embedded-support.js';
import { NO_ROOT, describeUnless } from '../support/unless.js';

const ORDINARY = 65_534;
const [ROOT, NOBODY] = [
  { uid: 0, gid: 0 },
  { uid: ORDINARY, gid: ORDINARY },
];
const CALLER =
  `
  const { default: pg } = await import('pg');
  const client = new pg.Client({ host: process.argv[1], port: 5432, user: 'edge', database: 'edge', password: ` +
  `'none', ssl: false });
  client.on('error', () => undefined);
  const outcome = await client.connect().then(() => 'connected', (error) => error.message);
  process.stdout.write(outcome);
  process.exit();
`;

describe('embedded PostgreSQL: its callers', function () {
  this.timeout(600_000);
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.end());

  it('prefers an account that nothing else uses, then postgres, then nobody', () => {
    const passwd = 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65533:nobody:/:/bin/false\n';
    const postgres = 'postgres:x:101:104::/:/bin/sh\n';
    const own = 'edge-controller:x:998:997::/:/bin/false\n';
    expect(preferredAccount(systemUsers(passwd + postgres + own))).to.deep.equal({ uid: 998, gid: 997 });
    expect(preferredAccount(systemUsers(passwd + postgres))).to.deep.equal({ uid: 101, gid: 104 });
    expect(preferredAccount(systemUsers(passwd))).to.deep.equal({ uid: 65_534, gid: 65_533 });
    expect(() => preferredAccount(systemUsers('root:x:0:0::/:/bin/sh\nedge-controller:x:0:0::/:/bin/sh\n'))).to.throw(
      /Make one \(useradd --system .* edge-controller\)/,
    );
  });

  describeUnless(NO_ROOT, 'started by root', () => {
    /** What another process gets that connects as this user, past the closed data directory. */
    const callAs = async (
      { uid, gid }: SystemUser,
      dataDir: string,
      { node, supervisor }: Installation,
    ): Promise<string> => {
      const child = spawn(node, ['--input-type=module', '-e', CALLER, `/proc/${serverPid(dataDir)}/cwd`], {
        cwd: path.resolve(supervisor, '../..'),
        uid,
        gid,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return text(child.stdout);
    };

    it('refuses processes of its own account: at first, after a crash, in a trusting cluster', async () => {
      const [dataDir, installation] = [workshop.dataDir(), installInto(workshop.place())];
      const log = collectingLog();
      const database = await workshop.start(dataDir, log);
      const account = statSync(path.join(dataDir, 'postgres'));
      expect(account.uid).not.to.equal(0);
      const refused = async () => {
        expect(await callAs(account, dataDir, installation)).to.equal('Peer authentication failed for user "edge"');
        expect(await callAs(ROOT, dataDir, installation)).to.equal('connected');
        expect(await query(database.connection, 'SELECT current_user AS me')).to.deep.equal([{ me: 'edge' }]);
      };
      await refused();
      if (account.uid !== ORDINARY) {
        expect(log.messages.join()).not.to.include('other programs use');
        expect(await callAs(NOBODY, dataDir, installation)).to.match(/EACCES/);
      }

      const killed = serverPid(dataDir);
      process.kill(killed, 'SIGKILL');
      await until('the killed server is gone', () => !isAlive(killed));
      await until('the server is back', () => log.messages.includes('the embedded PostgreSQL is back'));
      await refused();
      await database.stop();

      const rules = path.join(dataDir, 'postgres', 'pg_hba.conf');
      const { ino } = lstatSync(rules);
      expect((await workshop.start(dataDir)).created).to.equal(false);
      expect(lstatSync(rules).ino).to.equal(ino);
    });

    it('brings a cluster forward that trusted every caller', async () => {
      const [dataDir, installation] = [workshop.dataDir(), installInto(workshop.place())];
      await (await workshop.start(dataDir)).stop();
      const file = (name: string) => path.join(dataDir, 'postgres', name);
      for (const name of ['pg_hba.conf', 'pg_ident.conf'])
        writeFileSync(file(name), name === 'pg_hba.conf' ? 'local all all trust\n' : '');
      const { connection } = await workshop.start(dataDir);
      expect(await callAs(statSync(file('')), dataDir, installation)).to.include('Peer authentication failed');
      expect(await query(connection, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      expect(readFileSync(file('pg_hba.conf'), 'utf8')).not.to.include('trust');
      for (const name of ['pg_hba.conf', 'pg_ident.conf'])
        expect(lstatSync(file(name))).to.include({ uid: statSync(file('')).uid, mode: 0o100600 });
    });

    it('says what to do when the server has the account of many programs', async () => {
      const dataDir = workshop.dataDir();
      await (await workshop.start(dataDir)).stop();
      const cluster = path.join(dataDir, 'postgres');
      for (const name of ['', ...(readdirSync(cluster, { recursive: true }) as string[])])
        lchownSync(path.join(cluster, name), ORDINARY, ORDINARY);
      const log = collectingLog();
      await workshop.start(dataDir, log);
      expect(log.messages[0]).to.match(
        /as a user that other programs use.*stop .*useradd --system.*chown -R edge-controller: '.*postgres'/,
      );
    });

    it('lets root and the user of the controller connect when that is an ordinary user', async () => {
      const [dataDir, installation] = [dataDirOf(workshop.place(), ORDINARY), installInto(workshop.place())];
      const controller = await workshop.controller(dataDir, {
        uid: ORDINARY,
        installation: installation.supervisor,
        node: installation.node,
      });
      expect((await controller.result()).error).to.equal(undefined);
      expect(await callAs(NOBODY, dataDir, installation)).to.equal('connected');
      expect(await callAs(ROOT, dataDir, installation)).to.equal('connected');
      controller.say('stop');
      await controller.ended();
    });
  });
});
