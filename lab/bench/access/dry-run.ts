/** Time of `import --dry-run --access` in a network: a program that starts, reads it all and compares two worlds. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runningConnection } from '../../../db/embedded/supervisor.js';
import { median } from '../median.js';
import type { OwnController } from '../own-controller.js';

const PROGRAM = fileURLToPath(new URL('../../../commands/main.js', import.meta.url));
const ROUNDS = 3;

/** One policy for everybody, and one that selects another team than before. */
const CHANGE = `servicePolicies:
  - { name: everybody, type: Dial, semantic: AnyOf, identityRoles: ['#all'], serviceRoles: ['#apps-1', '#apps-2'] }
  - { name: policy-0, type: Dial, semantic: AnyOf, identityRoles: ['#team-3'], serviceRoles: ['#apps-0'] }
`;

/** @throws Error when the program fails */
export function measureDryRun({ dir }: OwnController): { readonly ms: number; readonly slowestMs: number } {
  const file = join(dir, 'change.yaml');
  writeFileSync(file, CHANGE);
  const { user, host, port, database } = runningConnection(join(dir, 'data'));
  const url = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  const times = Array.from({ length: ROUNDS }, () => {
    const from = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'import', file, '--dry-run', '--access'], {
      env: { PATH: process.env['PATH'], EDGE_DATA_DIR: join(dir, 'data'), DATABASE_URL: url },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    if (status !== 0) throw new Error(`import --dry-run --access ended with ${String(status)}: ${stderr}`);
    return performance.now() - from;
  });
  return { ms: median(times), slowestMs: Math.max(...times) };
}
