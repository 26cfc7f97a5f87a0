/** docs/operations/events.md: its commands are run, and its check of a signature is given what the controller signs. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { newSecret, secretText, signedHeaders } from '../../domain/webhooks/webhook.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { blocksOf } from '../support/page.js';

const run = promisify(execFile);
const page = fileURLToPath(new URL('../../../docs/operations/events.md', import.meta.url));
type Check = (headers: Readonly<Record<string, string>>, body: string, secret: string) => boolean;

describe('docs/operations/events.md', function eventsPage() {
  this.timeout(120_000);
  const blocks = blocksOf(page);
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  const [script = ''] = blocks.filter(({ language }) => language === 'js').map(({ text }) => text);
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const shell = async (text = ''): Promise<string> => {
    const env = { PATH: process.env['PATH'], TOKEN: controller.admin.token, EDGE_URL: controller.url };
    return (await run('/bin/sh', ['-euc', text], { env, cwd: join(page, '..') })).stdout;
  };

  it('reads events', async () => {
    const { id } = await controller.newCaller();
    const text = await shell(commands[0]);
    expect(text).to.match(/^retry: 2000\nid: [0-9a-f]{8}\.\d+\.0\n\n/);
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as object);
    expect(events.some((event) => 'entityId' in event && event.entityId === id)).to.equal(true);
    expect(events.at(-1)).to.include({ reason: 'caughtUp' });
  });

  it('makes a webhook', async () => {
    const { data } = JSON.parse(await shell(commands[1])) as { data: { secret: string } };
    expect(data.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(commands).to.have.length(2);
  });

  it('checks a signature', async () => {
    const source = `data:text/javascript,${encodeURIComponent(script)}`;
    const { isGenuine } = (await import(source)) as { isGenuine: Check };
    const [secret, message] = [newSecret(), { id: '5f0c2d1e.1.1', body: '{"kind":"login.failed"}' }];
    const headers = signedHeaders(message, secret, Date.now());
    expect(isGenuine(headers, message.body, secretText(secret))).to.equal(true);
    expect(isGenuine(headers, `${message.body} `, secretText(secret))).to.equal(false);
    expect(isGenuine(headers, message.body, secretText(newSecret()))).to.equal(false);
    expect(isGenuine({ ...headers, 'webhook-id': '5f0c2d1e.1.2' }, message.body, secretText(secret))).to.equal(false);
    const old = signedHeaders(message, secret, Date.now() - 3_600_000);
    expect(isGenuine(old, message.body, secretText(secret))).to.equal(false);
  });
});
