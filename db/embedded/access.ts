/**
 * Rules of who may connect to the embedded server: the user of the controller, and root. The kernel says who is at the
 * other end of the socket (`peer`), so there is no password to keep, to lose or to see. Other users do not get as far
 * as the socket; but another process of the server's own account does, since it may enter the cluster.
 */
import { userInfo } from 'node:os';
import type { Account } from './account.js';
import { messageOf, EmbeddedDatabaseError } from './error.js';
import { runTool } from './tool.js';

const HEADER = '# Written by edge-controller whenever it starts this server.';
const HBA = `${HEADER}
local all         all peer map=controller
local replication all peer map=controller
`;

/** Leaves alone what is right already, so that a full disk does not stop a start. */
const PUT_BOTH = `umask 077
put() { [ "$(cat "$1"; echo x)" = "$2x" ] || { printf %s "$2" > "$1.new" && mv -f "$1.new" "$1"; }; }
put pg_ident.conf "$2" && put pg_hba.conf "$1"`;

/** Puts both files in place, whole, whatever was there before: a cluster of an earlier release trusted every caller. */
export async function writeAccessRules(cluster: string, account: Account): Promise<void> {
  const users = [...new Set(['root', ownName()])];
  const ident = `${HEADER}\n${users.map((name) => `controller "${name.replaceAll('"', '""')}" all\n`).join('')}`;
  // The account writes them itself: it could put a link in their place, which must not lead further than its own rights
  // do.
  await runTool('/bin/sh', ['-c', PUT_BOTH, 'sh', HBA, ident], {
    cwd: cluster,
    account,
    purpose: `The access rules in ${cluster} cannot be written`,
  });
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `The user with id ${process.geteuid?.() ?? 0} has no name (${messageOf(error)}), and PostgreSQL knows its ` +
        'callers by name. ' +
        'Add the user to /etc/passwd, or set DATABASE_URL.',
      { cause: error },
    );
  }
}
