/** examples/real-traffic.sh as a user runs it, with the field's own program. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../support/ports.js';
import { describeStock } from '../support/unless.js';

const script = fileURLToPath(new URL('../../../examples/real-traffic.sh', import.meta.url));
const run = promisify(execFile);

describeStock('examples/real-traffic.sh', (ziti) => {
  it('prints what comes back through the overlay', async () => {
    const [port, routerPort] = [String(await freePort()), String(await freePort())];
    const env = { PATH: process.env['PATH'] ?? '', ZITI: ziti, EDGE_PORT: port, EDGE_ROUTER_PORT: routerPort };
    const { stdout } = await run('sh', [script, 'there and back'], { env });
    expect(stdout.trimEnd().split('\n').at(-1)).to.equal('What came back: there and back');
  });
});

describe('examples/real-traffic.sh without such a program', () => {
  it('says what is missing', async () => {
    const env = { PATH: process.env['PATH'] ?? '', ZITI: '/nonexistent' };
    const { stderr, code } = await run('sh', [script], { env }).then(
      () => ({ stderr: '', code: 0 }),
      (error: { stderr: string; code: number }) => error,
    );
    expect([code, stderr]).to.deep.equal([1, 'real-traffic: no ziti program: put it on the path, or set ZITI to it\n']);
  });
});
