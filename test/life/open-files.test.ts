/** The limit of open files: one warning with figures, and a sentence instead of a stack. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { EmbeddedDatabaseError } from '../../db/embedded/error.js';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { examineOpenFiles, openFileFault } from '../../server/start/open-files.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import { MAIN, ProcessShop } from '../support/process.js';
import { itUnless } from '../support/unless.js';

describe('the limit of open files', function () {
  this.timeout(600_000);

  it('is read from the system, where it says one', () => {
    const config = readConfig({ env: {} });
    const limits = join(mkdtempSync(join(tmpdir(), 'edge-limits-')), 'limits');
    try {
      writeFileSync(limits, 'Max open files            20                   20                   files\n');
      expect(examineOpenFiles(config, limits).message).to.match(/^It may open 20 files, and needs up to \d+:/);
    } finally {
      rmSync(dirname(limits), { recursive: true });
    }
    expect(examineOpenFiles(config, '/nowhere/at/all').level).to.equal('ok');
  });

  it('is named when a start fails on it, however deep', () => {
    const low = Object.assign(new Error('EMFILE: too many open files, open /x'), { code: 'EMFILE' });
    for (const error of [
      low,
      new EmbeddedDatabaseError('it cannot be started', { cause: low }),
      new Error('a', { cause: new Error('b', { cause: low }) }),
    ]) {
      expect(openFileFault(error)).to.match(
        /^It may not open more than \w+ files \(EMFILE: .*\)\. Raise the limit: ulimit -n/,
      );
    }
    expect(openFileFault(Object.assign(new Error('ENFILE: x'), { code: 'ENFILE' }))).to.include('fs.file-max');
    for (const error of [new Error('x'), undefined, 'EMFILE', Object.assign(new Error('x'), { code: 'ENOENT' })])
      expect(openFileFault(error)).to.equal(undefined);
  });

  const NO_LINUX = process.platform === 'linux' ? undefined : 'only Linux tells the limit';
  itUnless(NO_LINUX, 'is warned about when it is too low for all connections, and only then', async () => {
    const [shop, database] = [new ProcessShop(), await openTestDatabase()];
    try {
      const env = { DATABASE_URL: database.url, EDGE_MASTER_KEY: newMasterKey(), EDGE_ADMIN_PASSWORD: ADMIN.password };
      for (const [connections, warnings] of [
        ['300', 1],
        ['150', 0],
      ] as const) {
        const limited = shop.start(join(shop.place(), 'data'), {
          env: { ...env, EDGE_LIMIT_CONNECTIONS: connections },
          node: '/bin/sh',
          main: '-c',
          args: ['ulimit -n 300 && exec "$0" "$1" start', process.execPath, MAIN],
        });
        await limited.ready();
        const lines = limited.log().filter(({ level }) => level === 'warn');
        expect(lines.map(({ limit, needed }) => [limit, needed])).to.deep.equal(warnings === 0 ? [] : [[300, 420]]);
        await limited.stop();
      }
    } finally {
      await shop.end();
      await database.close();
    }
  });
});
