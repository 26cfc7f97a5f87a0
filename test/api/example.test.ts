/** The example script runs as its users run it. Against a whole controller, with bash and curl. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectStatus } from '../support/client.js';

const script = fileURLToPath(new URL('../../../examples/first-network.sh', import.meta.url));

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the example as a user would, with no setting of ours in its environment but the given ones. */
function run(env: Readonly<Record<string, string>>, file = script, args: readonly string[] = []): Promise<Run> {
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      [file, ...args],
      { env: { PATH: process.env['PATH'] ?? '', ...env }, timeout: 60_000 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
      },
    );
  });
}

describe('examples/first-network.sh', function example() {
  this.timeout(120_000);
  let controller: TestController;
  let credentials: Readonly<Record<string, string>>;
  /** What a run printed that went well. */
  let printed: string;
  before(async () => {
    controller = await startTestController();
    credentials = { EDGE_URL: controller.url, EDGE_USERNAME: ADMIN.username, EDGE_PASSWORD: ADMIN.password };
  });
  after(() => controller.stop());

  const total = async (collection: string) =>
    expectStatus(await controller.admin.get(`/edge/management/v1/${collection}`), 200).meta.pagination?.totalCount ??
    -1;

  it('builds a network, enrolls a client and lists the one service that it may dial', async () => {
    const before = {
      identities: await total('identities'),
      services: await total('services'),
      sessions: await total('api-sessions'),
    };
    const { code, stdout, stderr } = await run(credentials);
    expect(stderr).to.equal('');
    expect(code).to.equal(0);
    expect(stdout).to.match(/root certificate, SHA-256: [0-9a-f]{64}\n/);
    expect(stdout).to.include('logged in as Default Admin, administrator: true');
    expect(stdout).to.match(/list what it may reach\nwiki-[\d-]+: Dial\n\n/);
    expect(stdout).to.match(/\ndone\n\n== All of it stays\. To remove it\n\S+first-network\.sh --remove \d{6}-\d+\n$/);
    expect(await total('identities')).to.equal(before.identities + 1);
    expect(await total('services')).to.equal(before.services + 1);
    expect(await total('api-sessions'), 'sessions left behind').to.equal(before.sessions);
    printed = stdout;
  });

  it('can run again, and removes what one run made, by its last line, and nothing of another', async () => {
    const collections = ['identities', 'services', 'configs', 'service-policies', 'api-sessions'];
    const totals = () => Promise.all(collections.map(total));
    const name = async () => /--remove ([\d-]+)\n$/.exec((await run(credentials)).stdout)?.[1] ?? '';
    const kept = await name();
    const before = await totals();
    const removed = await name();
    const { code, stdout, stderr } = await run(credentials, script, ['--remove', removed]);
    expect(stderr).to.equal('');
    expect(code).to.equal(0);
    expect(stdout.match(/^removed .*$/gm)).to.have.length(4);
    expect(await totals()).to.deep.equal(before);
    const again = await run(credentials, script, ['--remove', removed]);
    expect(again).to.include({ code: 1, stderr: `first-network: there is nothing of the run ${removed}\n` });
    expect((await run(credentials, script, ['--remove', kept])).code).to.equal(0);
  });

  it('removes nothing by what is no name of a run', async () => {
    for (const args of [['--remove'], ['--remove', ''], ['--remove', '1" or true or name="'], ['--keep']]) {
      const { code, stdout } = await run(credentials, script, args);
      expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 1, stdout: '' });
    }
  });

  it('shows an enrollment JWT that names the identity and was used up', async () => {
    const jwt = /\n(eyJ[\w-]+\.[\w-]+\.[\w-]+)\n/.exec(printed)?.[1] ?? '';
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
      sub: string;
      em: string;
      jti: string;
    };
    expect(claims.em).to.equal('updb');
    expect(printed).to.include(`identity ${claims.sub}\n`);
    expectStatus(
      await controller.anonymous.post(`/edge/client/v1/enroll?method=updb&token=${claims.jti}`, {
        username: 'somebody',
        password: 'pass word 2',
      }),
      404,
    );
  });

  it('stops with the message of the error when the login is refused, and makes nothing', async () => {
    const before = await total('identities');
    const { code, stdout, stderr } = await run({ ...credentials, EDGE_PASSWORD: 'not the password' });
    expect(code).to.equal(1);
    expect(stderr).to.equal(
      'first-network: POST /edge/management/v1/authenticate?method=password answered 403: ' +
        'The authentication request failed\n',
    );
    expect(stdout).not.to.include('Create the identity');
    expect(await total('identities')).to.equal(before);
  });

  it('stops when the caller lacks the right', async () => {
    const caller = await controller.newCaller();
    const { code, stderr } = await run({
      ...credentials,
      EDGE_USERNAME: caller.username,
      EDGE_PASSWORD: caller.password,
    });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^first-network: POST \/edge\/management\/v1\/identities answered 401: /);
  });

  it('stops before it sends the password when the authority is not the expected one', async () => {
    const { code, stdout, stderr } = await run({ ...credentials, EDGE_CA_SHA256: '00'.repeat(32) });
    expect(code).to.equal(1);
    expect(stderr).to.equal('first-network: this is not the expected authority\n');
    expect(stdout).not.to.include('Log in');
  });

  it('accepts the expected authority, in either spelling of its fingerprint', async () => {
    const fingerprint = /SHA-256: ([0-9a-f]{64})/.exec(printed)?.[1] ?? '';
    const spelled = (fingerprint.match(/../g) ?? []).join(':').toUpperCase();
    expect((await run({ ...credentials, EDGE_CA_SHA256: spelled })).code).to.equal(0);
  });

  it('says so when no controller answers', async () => {
    const { code, stderr } = await run({ ...credentials, EDGE_URL: 'https://127.0.0.1:1' });
    expect(code).to.equal(1);
    expect(stderr).to.include('no controller at https://127.0.0.1:1');
  });

  it('reads the password from data/admin-password when none is given', async () => {
    const root = mkdtempSync(join(tmpdir(), 'edge-example-'));
    try {
      mkdirSync(join(root, 'examples'));
      mkdirSync(join(root, 'data'));
      const copy = join(root, 'examples/first-network.sh');
      copyFileSync(script, copy);
      const without = await run({ EDGE_URL: controller.url }, copy);
      expect(without.code).to.equal(1);
      expect(without.stderr).to.include('Set EDGE_PASSWORD');
      writeFileSync(join(root, 'data/admin-password'), `${ADMIN.password}\n`);
      expect((await run({ EDGE_URL: controller.url }, copy)).code).to.equal(0);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
