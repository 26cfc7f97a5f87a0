/**
 * `admin`, `backup`, `restore` and `migrate` against a database of its own, while a controller runs on it: what they
 * refuse, and what the controller makes of what they did.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrate, migrationNames } from '../../db/schema/migrate.js';
import { expectStatus } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import { make } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { withoutNews } from '../support/page.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { HEARD_MS, until } from '../support/poll.js';
import { MAIN } from '../support/process.js';
import { itUnless } from '../support/unless.js';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Readonly<Record<string, string>>;

/** A command with this on its standard input. */
const runCommand = (args: readonly string[], env: Env, input = ''): Promise<Ended> =>
  runProgram(process.execPath, [MAIN, ...args], env, input);

function runProgram(program: string, args: readonly string[], env: Env, input: string): Promise<Ended> {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'] ?? '', ...env } });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      resolve({ code, ...output });
    });
  });
}

describe('what an operator does beside a running controller', function operating() {
  this.timeout(300_000);
  let controller: TestController;
  let place: string;
  let env: Env;

  before(async () => {
    controller = await startTestController();
    place = mkdtempSync(join(tmpdir(), 'edge-operator-'));
    env = { DATABASE_URL: controller.database.url, EDGE_DATA_DIR: controller.dataDir };
  });
  after(async () => {
    await controller.stop();
    rmSync(place, { recursive: true, force: true });
  });

  const command = (args: readonly string[], input?: string) => runCommand(args, env, input);
  const login = async ({ username }: Pick<Caller, 'username'>, password: string): Promise<number> => {
    const answer = await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, { username, password });
    return answer.status;
  };
  const isRefused = (caller: Caller) =>
    until(
      'its session is refused',
      async () => (await caller.client.get(`${CLIENT}/current-identity`)).status === 401,
      HEARD_MS,
    );
  const recordIn = ({ stderr }: Ended) =>
    stderr
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('sets the password that comes on standard input, and ends the sessions', async () => {
    const caller = await controller.newCaller();
    const done = await command(['admin', 'reset-password', caller.username, '--password-file', '-'], 'pass word 2\n');
    expect(done.code, done.stderr).to.equal(0);
    expect(done.stdout).to.not.include('pass word 2');
    await isRefused(caller);
    expect([await login(caller, caller.password), await login(caller, 'pass word 2')]).to.deep.equal([403, 200]);
    const [record, ...more] = recordIn(done);
    expect(more).to.deep.equal([]);
    expect(record).to.include({ level: 'info', identityId: caller.id });
    expect(record?.['operator']).to.be.a('string').with.length.greaterThan(0);
    expect(JSON.stringify(record)).to.not.include('pass word 2');
    const filter = encodeURIComponent('kind = "authenticator.updated"');
    const audited = expectStatus(await controller.admin.get(`${MANAGEMENT}/audit?limit=1&filter=${filter}`), 200);
    const [{ actor, after } = {}] = audited.data as { readonly actor?: unknown; readonly after?: unknown }[];
    expect(actor).to.deep.equal({ kind: 'operator', id: null, name: record?.['operator'] });
    expect(after).to.deep.equal({ passwordChanged: true });
  });

  const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');
  const NO_TERMINAL = hasScript ? undefined : 'this system has no script(1) of util-linux';
  itUnless(NO_TERMINAL, 'asks for the password on a terminal, twice, and shows nothing of it', async () => {
    const caller = await controller.newCaller();
    const answer = (input: string) => {
      const line = `'${process.execPath}' '${MAIN}' admin reset-password ${caller.username}`;
      return runProgram('/usr/bin/script', ['-qec', line, '/dev/null'], env, input);
    };
    const differ = await answer('pass word 3\rpass word 4\r');
    expect([differ.code, await login(caller, caller.password)]).to.deep.equal([1, 200]);
    expect(differ.stdout).to.include('New password (empty: a random one): ').and.include('The two passwords differ;');
    const done = await answer('pass word 3\rpass word 3\r');
    expect([done.code, await login(caller, 'pass word 3')]).to.deep.equal([0, 200]);
    expect(done.stdout.slice(done.stdout.indexOf('Again:'))).to.not.include('pass word 3');
    const made = await answer('\r');
    const [, password = ''] = /password {2}(\S{24})\r\n/.exec(made.stdout) ?? [];
    expect([made.code, await login(caller, password)]).to.deep.equal([0, 200]);
  });

  it('refuses a password that the policy refuses, an unknown username, and one without a password', async () => {
    const caller = await controller.newCaller();
    const file = join(place, 'short');
    writeFileSync(file, 'abc\n');
    const device = await makeIdentity(controller, { name: 'a\n\u001b[2Jdevice', type: 'Device' });
    const [short, unknown, missing, without, strange] = await Promise.all([
      command(['admin', 'reset-password', caller.username, '--password-file', file]),
      command(['admin', 'reset-password', 'no-such-user']),
      command(['admin', 'reset-password', '--password-file', join(place, 'none')]),
      command(['admin', 'reset-password', '--id', device]),
      command(['admin', 'unlock', '--id', 'nobody']),
    ]);
    const all = [short, unknown, missing, without, strange];
    expect(all.map(({ code, stdout }) => [code, stdout])).to.deep.equal(all.map(() => [1, '']));
    expect(short.stderr).to.match(/^edge-controller: password must have at least 5 characters/);
    expect(unknown.stderr).to.equal(
      'edge-controller: No identity has the username no-such-user. Administrators who log in with a password: ' +
        `${ADMIN.username}.\n`,
    );
    expect(missing.stderr).to.match(/^edge-controller: The password file cannot be read: ENOENT/);
    expect(without.stderr).to.match(
      /^edge-controller: The identity a\\u000a\\u001b\[2Jdevice does not log in with a password/,
    );
    expect(strange.stderr).to.match(/^edge-controller: There is no identity with the id nobody\./);
    expect(await login(caller, caller.password)).to.equal(200);
  });

  it('unlocks what wrong passwords and wrong codes have locked', async () => {
    const caller = await controller.newCaller();
    const policy = await make(controller, 'auth-policies', {
      name: 'strict',
      primary: {
        cert: { allowed: true, allowExpiredCerts: true },
        extJwt: { allowed: true, allowedSigners: [] },
        updb: {
          allowed: true,
          lockoutDurationMinutes: 0,
          maxAttempts: 2,
          minPasswordLength: 5,
          requireMixedCase: false,
          requireNumberChar: false,
          requireSpecialChar: false,
        },
      },
      secondary: { requireTotp: false },
    });
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${caller.id}`, { authPolicyId: policy }), 200);
    for (let attempt = 0; attempt < 2; attempt += 1) expect(await login(caller, 'wrong')).to.equal(403);
    expect(await login(caller, caller.password)).to.equal(403);
    const reset = await command(['admin', 'reset-password', caller.username, '--generate']);
    const [, password = ''] = /^ {2}password {2}(\S{24})$/m.exec(reset.stdout) ?? [];
    expect(reset.stdout).to.match(/It is disabled and cannot log in yet: edge-controller admin unlock /);
    expect(await login(caller, password)).to.equal(403);

    await controller.database.query(
      `INSERT INTO mfas (id, identity_id, sealed_secret, sealed_codes, failed_at, blocked_until)
      VALUES ('blocked', $1, '', '{}', '{}', now() + interval '1 hour')`,
      [caller.id],
    );
    const unlocked = await command(['admin', 'unlock', caller.username]);
    expect(unlocked.stdout).to.match(/can log in \(it was disabled, wrong codes of its second factor counted\)/);
    expect(recordIn(unlocked)[0]).to.include({ identityId: caller.id, wasDisabled: true, wasBlocked: true });
    expect(await login(caller, password)).to.equal(200);
    const { rows } = await controller.database.query('SELECT blocked_until FROM mfas WHERE identity_id = $1', [
      caller.id,
    ]);
    expect(rows).to.deep.equal([{ blocked_until: null }]);
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${caller.id}`, { name: 'two\nlines' }), 200);
    const again = await command(['admin', 'unlock', '--id', caller.id]);
    expect(again.stdout).to.match(/^two\\u000alines can log in \(nothing kept it out\)/);
  });

  it('backs up into a file of its user alone, and restores it into another database', async () => {
    const file = join(place, 'whole.snapshot.gz');
    const made = await command(['backup', file]);
    expect([made.code, withoutNews(made.stderr)]).to.deep.equal([0, '']);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const database = await openTestDatabase({ isEmpty: true });
    try {
      const elsewhere = { ...env, DATABASE_URL: database.url };
      const restored = await runCommand(['restore', file], elsewhere);
      expect([restored.code, withoutNews(restored.stderr)]).to.deep.equal([0, '']);
      const count = async ({ query }: Pick<typeof database, 'query'>) =>
        (await query('SELECT count(*) AS n FROM identities')).rows;
      expect(await count(database)).to.deep.equal(await count(controller.database));
      const again = await runCommand(['restore', file], elsewhere);
      expect(again.code).to.equal(1);
      expect(again.stderr).to.match(/^edge-controller: The database is not empty, so nothing was restored/);
    } finally {
      await database.close();
    }
  });

  it('says what a migration would do, and does it; other commands wait for it', async () => {
    const database = await openTestDatabase({ isEmpty: true });
    try {
      const last = migrationNames.at(-1) ?? '';
      await migrate({ ...database.connection, ssl: false }, migrationNames.slice(0, -1));
      const on = { ...env, DATABASE_URL: database.url };
      const backup = await runCommand(['backup', join(place, 'early.snapshot.gz')], on);
      expect(backup.code).to.equal(1);
      expect(backup.stderr).to.match(/has not the schema of this release: it lacks \S+\. .*edge-controller migrate/);
      const plan = await runCommand(['migrate', '--plan'], on);
      expect([plan.code, plan.stderr]).to.deep.equal([0, '']);
      expect(plan.stdout).to.match(new RegExp(`^Would be applied, .*:\\n  ${last}\\n`));
      for (const line of plan.stdout.split('\n')) expect(line.length, line).to.be.at.most(100);
      const applied = async () => (await database.query('SELECT name FROM schema_migrations ORDER BY id')).rows;
      expect((await applied()).at(-1)).to.not.deep.equal({ name: last });
      const done = await runCommand(['migrate'], on);
      expect(done.stdout).to.match(new RegExp(`^The schema is up to date\\. Applied:\\n  ${last}\\n`));
      expect((await applied()).at(-1)).to.deep.equal({ name: last });
      const none = await runCommand(['backup', join(place, 'empty.snapshot.gz')], on);
      expect(none.stderr).to.equal(
        'edge-controller: There is no network in this database: use the settings that its controller is ' +
          'started with.\n',
      );
    } finally {
      await database.close();
    }
  });
});
