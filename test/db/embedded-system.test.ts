/** The user, the places and the locks of the embedded server. Against the real binaries; as root where it says so. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { lockDirectory } from '../../db/embedded/lock.js';
import { processIdentity } from '../../db/embedded/processes.js';
import { socketPath } from '../../db/embedded/socket-path.js';
import {
  dataDirOf,
  failureOf,
  installInto,
  IS_ROOT,
  query,
  serverPid,
  withoutLinks,
  Workshop,
} from './embedded-support.js';
import { NO_ROOT, describeUnless } from '../support/unless.js';

const ORDINARY = 65_534;

const userOf = (pid: number): number => statSync(`/proc/${pid}`).uid;

describe('embedded PostgreSQL: users, places and locks', function () {
  this.timeout(600_000);
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.end());

  // Run by an ordinary user, the other files test the supervisor as just that.
  describeUnless(NO_ROOT, 'started by root', () => {
    it('runs as another user below a directory that only root may enter', async () => {
      const place = workshop.place();
      expect(statSync(place).mode & 0o777).to.equal(0o700);
      const dataDir = path.join(place, 'data');
      const { connection } = await workshop.start(dataDir);
      expect(userOf(serverPid(dataDir))).not.to.equal(0);
      expect(statSync(dataDir)).to.include({ uid: 0 });
      expect(statSync(dataDir).mode & 0o777).to.equal(0o700);
      expect(await query(connection, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    });

    /** A data directory in the home of an ordinary user, used by a controller of that user. */
    const ofOrdinary = async () => {
      const place = workshop.place();
      const dataDir = dataDirOf(place, ORDINARY);
      const { supervisor, node } = installInto(workshop.place());
      const byOwner = () => workshop.controller(dataDir, { uid: ORDINARY, installation: supervisor, node });
      const controller = await byOwner();
      expect((await controller.result()).created).to.equal(true);
      expect(userOf(serverPid(dataDir))).to.equal(ORDINARY);
      controller.say('stop');
      await controller.ended();
      return { dataDir, home: path.dirname(dataDir), byOwner };
    };

    it('does not start in the directory of another user, nor below one, and changes nothing there', async () => {
      const { dataDir, home, byOwner } = await ofOrdinary();
      const look = () => readdirSync(dataDir).map((name) => [name, lstatSync(path.join(dataDir, name)).uid]);
      const before = look();
      expect((await failureOf(workshop.start(dataDir))).message).to.match(
        /home, on the way to it, belongs to the user with id 65534.*start .* as the user with id 65534\.$/,
      );
      chownSync(home, 0, 0);
      expect((await failureOf(workshop.start(dataDir))).message)
        .to.include('it belongs to the user with id 65534, but the controller runs as root')
        .and.to.match(/hand the directory over with all that is in it: chown -R root '.*data'\.$/);
      expect(look()).to.deep.equal(before);
      chmodSync(home, 0o777);
      expect((await failureOf(workshop.start(dataDir))).message).to.include("close that one (chmod go-w '");
      chmodSync(home, 0o755);
      const again = await byOwner();
      expect((await again.result()).error).to.equal(undefined);
      again.say('stop');
      await again.ended();
    });

    it('keeps the owner that a cluster has', async () => {
      const { dataDir, home } = await ofOrdinary();
      chownSync(home, 0, 0);
      for (const name of ['', ...readdirSync(dataDir)])
        if (name !== 'postgres') lchownSync(path.join(dataDir, name), 0, 0);
      const byRoot = await workshop.start(dataDir);
      expect(byRoot.created).to.equal(false);
      expect(userOf(serverPid(dataDir))).to.equal(ORDINARY);
      await byRoot.stop();
    });

    it('gives no file away, whatever another user has put into the data directory', async () => {
      const [dataDir, victim] = [workshop.dataDir(), path.join(workshop.place(), 'victim')];
      writeFileSync(victim, 'secret of root', { mode: 0o600 });
      const untouched = () => {
        expect(lstatSync(victim)).to.include({ uid: 0, gid: 0, mode: 0o100600 });
        expect(readFileSync(victim, 'utf8')).to.equal('secret of root');
      };
      mkdirSync(dataDir, { mode: 0o700 });
      chownSync(dataDir, ORDINARY, ORDINARY);
      symlinkSync(victim, path.join(dataDir, 'postgres.log'));
      await failureOf(workshop.start(dataDir));
      untouched();
      chownSync(dataDir, 0, 0);
      expect((await failureOf(workshop.start(dataDir))).message).to.match(
        /postgres\.log is a link or no file at all, .*Put a plain file of root in its place, or move it away\.$/,
      );
      untouched();
      rmSync(path.join(dataDir, 'postgres.log'));
      linkSync(victim, path.join(dataDir, 'postgres.log'));
      expect((await failureOf(workshop.start(dataDir))).message).to.include('has other names (hard links)');
      rmSync(path.join(dataDir, 'postgres.log'));
      symlinkSync(victim, path.join(dataDir, 'postgres.log.1'));
      writeFileSync(path.join(dataDir, 'postgres.log'), 'line of a long life\n'.repeat(450_000), { mode: 0o600 });
      await (await workshop.start(dataDir)).stop();
      untouched();
      expect(lstatSync(path.join(dataDir, 'postgres.log.1'))).to.include({ uid: 0, mode: 0o100600 });
      expect(readFileSync(path.join(dataDir, 'postgres.log.1'), 'utf8')).to.match(/^line of a long life\n/);
    });

    it('removes an unfinished cluster without following what its account has put there', async () => {
      const [dataDir, treasure] = [workshop.dataDir(), workshop.place()];
      writeFileSync(path.join(treasure, 'file'), 'kept');
      mkdirSync(path.join(dataDir, 'postgres.new', 'base'), { recursive: true, mode: 0o700 });
      symlinkSync(treasure, path.join(dataDir, 'postgres.new', 'global'));
      for (const name of ['', 'base']) chownSync(path.join(dataDir, 'postgres.new', name), ORDINARY, ORDINARY);
      expect((await workshop.start(dataDir)).created).to.equal(true);
      expect(readFileSync(path.join(treasure, 'file'), 'utf8')).to.equal('kept');
      expect(existsSync(path.join(dataDir, 'postgres.new'))).to.equal(false);
    });

    it('runs a cluster that root restored from a backup', async () => {
      const dataDir = workshop.dataDir();
      await (await workshop.start(dataDir)).stop();
      const cluster = path.join(dataDir, 'postgres');
      for (const name of ['', ...(readdirSync(cluster, { recursive: true }) as string[])])
        chownSync(path.join(cluster, name), 0, 0);
      const restored = await workshop.start(dataDir);
      expect(restored.created).to.equal(false);
      expect(statSync(cluster).uid).not.to.equal(0);
    });

    it('tells an ordinary user that the cluster belongs to another', async () => {
      const { dataDir, byOwner } = await ofOrdinary();
      const cluster = path.join(dataDir, 'postgres');
      chownSync(cluster, 1, 1);
      expect((await (await byOwner()).result()).error).to.include(
        `EmbeddedDatabaseError: The database cluster in ${cluster} belongs to the user with id 1, ` +
          `but the controller runs as the user with id ${ORDINARY}`,
      );
    });

    /** The binaries lie where only root may enter, so that they are copied to a reachable place. */
    const outOfReach = () => {
      const place = workshop.place();
      const { supervisor, binaries } = installInto(place);
      chmodSync(place, 0o700);
      const version = withoutLinks({ supervisor, binaries, node: '' });
      const copy = `/var/lib/edge-controller/postgres-${version}`;
      const isNew = !existsSync(path.dirname(copy));
      workshop.inTheEnd(() => {
        rmSync(copy, { recursive: true, force: true });
        if (isNew && readdirSync(path.dirname(copy)).length === 0) rmdirSync(path.dirname(copy));
      });
      /** Of a controller that was started in a place of its own. */
      const used = async () => {
        const dataDir = workshop.dataDir();
        const controller = await workshop.controller(dataDir, { installation: supervisor });
        expect((await controller.result()).error).to.equal(undefined);
        const program = readFileSync(path.join(dataDir, 'postgres', 'postmaster.opts'), 'utf8').split(' ')[0];
        controller.say('stop');
        await controller.ended();
        return program;
      };
      return { copy, used };
    };

    it('copies the binaries to a reachable place when they lie where only root may enter', async () => {
      const { copy, used } = outOfReach();
      expect(await used()).to.equal(path.join(copy, 'bin', 'postgres'));
      expect(statSync(copy)).to.include({ uid: 0, mode: 0o40755 });
    });

    it('puts a whole copy in the place of one that is damaged, though several find it at the same time', async () => {
      const { copy, used } = outOfReach();
      mkdirSync(path.join(copy, 'bin'), { recursive: true, mode: 0o755 });
      const program = path.join(copy, 'bin', 'postgres');
      writeFileSync(program, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      expect(await Promise.all([used(), used(), used()])).to.deep.equal([program, program, program]);
      expect(
        readdirSync(path.dirname(copy)).filter((name) => name.startsWith(`${path.basename(copy)}.`)),
      ).to.deep.equal([]);
    });
  });

  it('runs binaries without their library links for an ordinary user, who cannot write to the package', async () => {
    const uid = IS_ROOT ? ORDINARY : undefined;
    const installation = installInto(workshop.place());
    const version = withoutLinks(installation);
    const dataDir = dataDirOf(workshop.place(), uid);
    const controller = await workshop.controller(dataDir, {
      uid,
      installation: installation.supervisor,
      node: installation.node,
    });
    expect(await controller.result()).to.include({ created: true });
    expect(existsSync(path.join(dataDir, 'binaries', `postgres-${version}`, 'lib', 'libpq.so.5'))).to.equal(true);
    controller.say('stop');
    await controller.ended();
  });

  describe('the socket path', () => {
    const wanted = (cluster: string): string => {
      const socket = socketPath(cluster);
      socket.remove();
      return path.dirname(socket.directory);
    };

    it('does not use a directory that another prepared', () => {
      const cluster = path.join(workshop.place(), 'x'.repeat(120));
      const parent = wanted(cluster);
      const trap = workshop.place();
      symlinkSync(trap, parent);
      const socket = socketPath(cluster);
      expect(path.dirname(socket.directory)).not.to.equal(parent);
      expect(lstatSync(path.dirname(socket.directory)).mode & 0o777).to.equal(0o700);
      expect(readdirSync(trap)).to.deep.equal([]);
      socket.remove();
      rmSync(parent);
    });

    it('comes back when a cleaner of temporary files removed it', () => {
      const cluster = path.join(workshop.place(), 'x'.repeat(120));
      mkdirSync(cluster);
      const socket = socketPath(cluster);
      rmSync(path.dirname(socket.directory), { recursive: true });
      socket.refresh();
      expect(readdirSync(socket.directory)).to.deep.equal([]);
      socket.remove();
      expect(existsSync(cluster)).to.equal(true);
      expect(existsSync(path.dirname(socket.directory))).to.equal(false);
    });
  });

  describe('the lock', () => {
    it('is free again after its release', () => {
      const place = workshop.place();
      lockDirectory(place).release();
      lockDirectory(place).release();
      expect(() => {
        lockDirectory(place);
        lockDirectory(place);
      }).to.throw('in use by another controller');
    });

    for (const [what, target] of [
      ['a dead process', '4194999:1@boot'],
      [
        'a process whose pid another got since',
        `${process.pid}:1@${(processIdentity(process.pid) ?? '').split('@')[1]}`,
      ],
      ['the boot before', `${process.pid}:${(processIdentity(process.pid) ?? '').split('@')[0]}@other`],
    ] as const) {
      it(`is taken over from ${what}`, () => {
        const place = workshop.place();
        symlinkSync(target, path.join(place, 'controller.lock.41'));
        lockDirectory(place);
        expect(readdirSync(place)).to.deep.equal(['controller.lock.42']);
      });
    }

    it('goes to exactly one of many who find it stale', async () => {
      for (let round = 0; round < 5; round += 1) {
        const dataDir = workshop.place();
        symlinkSync('4194999:1@boot', path.join(dataDir, 'controller.lock.3'));
        const outcomes = await workshop.contenders(dataDir, 4);
        expect(outcomes.filter((won) => won)).to.have.length(1);
      }
    });
  });
});
