/** examples/web-login.mjs: a web application whose users log in at a controller, as a browser goes through it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startReachable } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { PASSWORD, newUser } from '../support/users.js';

const EXAMPLE = fileURLToPath(new URL('../../../examples/web-login.mjs', import.meta.url));

async function authoritiesOf({ database }: TestController): Promise<string> {
  const { rows } = await database.query("SELECT cert_pem FROM pki_entities WHERE purpose = 'root'");
  return rows.map((row) => String((row as { cert_pem: unknown }).cert_pem)).join('\n');
}

describe('the example of a web application', function webLogin() {
  this.timeout(60_000);
  let controller: TestController;
  let application: ChildProcess;
  let origin: string;
  let place: string;
  let said = '';
  before(async () => {
    controller = await startReachable();
    place = mkdtempSync(join(tmpdir(), 'edge-web-login-'));
    const ca = join(place, 'ca.pem');
    writeFileSync(ca, await authoritiesOf(controller));
    const port = String(await freePort());
    origin = `http://127.0.0.1:${port}`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca };
    application = spawn(process.execPath, [EXAMPLE, controller.url, port], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [application.stdout, application.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
    await until('the application is there', () => said.includes(`open ${origin}/`), 30_000);
  });
  after(async () => {
    application.kill();
    rmSync(place, { recursive: true, force: true });
    await controller.stop();
  });

  /** One step of a browser at the application. */
  const visit = async (path: string, cookie = '') => {
    const answer = await fetch(new URL(path, origin), { redirect: 'manual', headers: { cookie } });
    const set = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return { status: answer.status, to: answer.headers.get('location') ?? '', cookie: set, text: await answer.text() };
  };
  const atController = async (method: string, url: string, form?: Record<string, string>) => {
    const { pathname, search } = new URL(url, controller.url);
    const sent = {
      rawBody: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    const answer = await controller.anonymous.send(method, pathname + search, undefined, form && sent);
    return expectStatus(answer, 302).headers.location ?? '';
  };
  const logIn = async (name: string) => {
    const begun = await visit('/');
    const page = await atController('GET', begun.to);
    const id = new URL(page, controller.url).searchParams.get('authRequestID') ?? '';
    const back = await atController('POST', page, { id, username: name, password: PASSWORD });
    return { cookie: begun.cookie, back: await atController('GET', back) };
  };

  it('logs a user in, and out', async () => {
    const user = await newUser(controller.admin);
    const { cookie, back } = await logIn(user.name);
    const done = await visit(back, cookie);
    expect([done.status, done.to]).to.deep.equal([302, '/']);
    expect(done.cookie, 'a session has a cookie of its own').to.not.equal(cookie);
    const home = await visit('/', done.cookie);
    expect(home.text).to.include(`Signed in as ${user.name} (${user.id})`);
    expect((await visit('/logout', done.cookie)).text).to.include('Signed out.');
    expect((await visit('/', done.cookie)).status, 'the login begins again').to.equal(302);
  });

  it('takes no answer that another browser brings, or that came before', async () => {
    const user = await newUser(controller.admin);
    const { cookie, back } = await logIn(user.name);
    expect((await visit(back)).status).to.equal(400);
    expect((await visit(back, (await visit('/')).cookie)).status).to.equal(401);
    expect((await visit(back, cookie)).status).to.equal(302);
    expect((await visit(back, cookie)).status).to.equal(400);
    expect(said, 'nothing of it is logged').to.not.include('code=');
  });
});
