/**
 * The one module that makes and changes files: no link is followed, and nothing that another user has put there is
 * used.
 */
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  giveTree,
  openOwnLog,
  OwnFileError,
  ownDirectory,
  readOwnFile,
  replaceOwnFile,
} from '../../db/embedded/own-files.js';
import { NO_ROOT, describeUnless } from '../support/unless.js';

const OTHER = 65_534;

describe('files of our own', () => {
  let place: string;
  beforeEach(() => {
    place = realpathSync(mkdtempSync(join(tmpdir(), 'edge-test-')));
  });
  afterEach(() => {
    rmSync(place, { recursive: true });
  });

  const at = (...names: string[]) => join(place, ...names);
  const plant = (name: string, kind: 'link' | 'hard link' | 'pipe' | 'directory' | 'dangling link'): string => {
    writeFileSync(at('victim'), 'precious', { mode: 0o640 });
    if (kind === 'link') symlinkSync(at('victim'), at(name));
    if (kind === 'dangling link') symlinkSync(at('none'), at(name));
    if (kind === 'hard link') linkSync(at('victim'), at(name));
    if (kind === 'pipe') execFileSync('mkfifo', [at(name)]);
    if (kind === 'directory') mkdirSync(at(name));
    return at(name);
  };
  const expectUntouched = () => {
    expect(readFileSync(at('victim'), 'utf8')).to.equal('precious');
    expect(lstatSync(at('victim')).mode & 0o777).to.equal(0o640);
    expect(readdirSync(place)).not.to.include('none');
  };

  for (const kind of ['link', 'dangling link', 'hard link', 'pipe'] as const) {
    it(`reads and opens no ${kind}`, () => {
      const file = plant('file', kind);
      expect(() => readOwnFile(file)).to.throw(OwnFileError, `${file} `);
      expect(() => openOwnLog(file)).to.throw(OwnFileError, `${file} `);
      expectUntouched();
    });

    it(`replaces a ${kind} and leaves alone what it led to`, () => {
      const file = plant('file', kind);
      replaceOwnFile(file, 'new');
      expect(lstatSync(file).isFile()).to.equal(true);
      expect(lstatSync(file).mode & 0o777).to.equal(0o600);
      expect(readOwnFile(file)).to.equal('new');
      expectUntouched();
    });
  }

  it('leaves no draft when a file cannot be replaced', () => {
    expect(() => {
      replaceOwnFile(plant('file', 'directory'), 'new');
    }).to.throw(/EISDIR/);
    expect(readdirSync(place).sort()).to.deep.equal(['file', 'victim']);
  });

  it('makes a directory with its parents, closed, and finds one through links of ours', () => {
    expect(ownDirectory(at('a', 'b', '..', 'c'))).to.equal(at('a', 'c'));
    expect(lstatSync(at('a', 'c')).mode & 0o777).to.equal(0o700);
    symlinkSync('a/../a', at('link'));
    expect(ownDirectory(at('link', 'c'))).to.equal(at('a', 'c'));
    expect(ownDirectory(at('link', 'd'))).to.equal(at('a', 'd'));
  });

  it('makes nothing where a link leads nowhere, and ends on links in a circle', () => {
    symlinkSync(at('unmounted', 'data'), at('data'));
    expect(() => ownDirectory(at('data'))).to.throw(OwnFileError, /unmounted does not exist, but a link leads there/);
    symlinkSync('round', at('round'));
    expect(() => ownDirectory(at('round'))).to.throw(OwnFileError, /too many links/);
    expect(readdirSync(place).sort()).to.deep.equal(['data', 'round']);
  });

  it('refuses a directory that any user could exchange, unless only its owner may', () => {
    mkdirSync(at('open'));
    chmodSync(at('open'), 0o777);
    expect(() => ownDirectory(at('open', 'data'))).to.throw(
      OwnFileError,
      /open, on the way to it, can be changed by other users.*chmod go-w/,
    );
    expect(readdirSync(at('open'))).to.deep.equal([]);
    chmodSync(at('open'), 0o1777);
    expect(ownDirectory(at('open', 'data'))).to.equal(at('open', 'data'));
  });

  describeUnless(NO_ROOT, 'of root', () => {
    it('refuses a directory of another user, one below it, and one that a group may change', () => {
      for (const name of ['theirs', 'group']) mkdirSync(at(name), { mode: 0o755 });
      chownSync(at('theirs'), OTHER, OTHER);
      chmodSync(at('group'), 0o775);
      expect(() => ownDirectory(at('theirs'))).to.throw(
        OwnFileError,
        /belongs to the user with id 65534, but the controller runs as root/,
      );
      expect(() => ownDirectory(at('theirs', 'data'))).to.throw(
        OwnFileError,
        /theirs, on the way to it, belongs to the user with id 65534/,
      );
      expect(() => ownDirectory(at('group', 'data'))).to.throw(
        OwnFileError,
        /group, on the way to it, can be changed by other users/,
      );
    });

    it('refuses a path through a directory of another user, and a link of another user in a place open to all', () => {
      mkdirSync(at('real'), { mode: 0o700 });
      mkdirSync(at('theirs'));
      symlinkSync(at('real'), at('theirs', 'link'));
      chownSync(at('theirs'), OTHER, OTHER);
      symlinkSync(at('theirs', 'link'), at('ours'));
      expect(() => ownDirectory(at('ours'))).to.throw(OwnFileError, /theirs, on the way to it, belongs to/);
      mkdirSync(at('shared'));
      chmodSync(at('shared'), 0o1777);
      symlinkSync(at('real'), at('shared', 'link'));
      execFileSync('chown', ['-h', String(OTHER), at('shared', 'link')]);
      expect(() => ownDirectory(at('shared', 'link'))).to.throw(
        OwnFileError,
        /link is a link of the user with id 65534/,
      );
    });

    it('refuses a file of another user', () => {
      writeFileSync(at('file'), 'theirs');
      chownSync(at('file'), OTHER, OTHER);
      expect(() => readOwnFile(at('file'))).to.throw(
        OwnFileError,
        /belongs to the user with id 65534, so it is not used/,
      );
    });

    it('hands a tree over, but no file with a name elsewhere, and nothing below a directory of another user', () => {
      const victim = plant('ignored', 'directory').replace('ignored', 'victim');
      mkdirSync(at('tree', 'own', 'deep'), { recursive: true });
      mkdirSync(at('tree', 'theirs', 'inner'), { recursive: true });
      linkSync(victim, at('tree', 'own', 'hard'));
      symlinkSync(victim, at('tree', 'own', 'soft'));
      chownSync(at('tree', 'theirs'), 1, 1);
      giveTree(at('tree'), { uid: OTHER, gid: OTHER });
      const owners = Object.fromEntries(
        ['', 'own', 'own/deep', 'own/soft', 'own/hard', 'theirs', 'theirs/inner'].map((name) => [
          name,
          lstatSync(at('tree', name)).uid,
        ]),
      );
      expect(owners).to.deep.equal({
        '': OTHER,
        own: OTHER,
        'own/deep': OTHER,
        'own/soft': OTHER,
        'own/hard': 0,
        theirs: 1,
        'theirs/inner': 0,
      });
      expect(lstatSync(victim).uid).to.equal(0);
    });
  });
});
