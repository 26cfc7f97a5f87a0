/**
 * Which system user the server runs as. PostgreSQL refuses root, so a controller of root runs it as an
 * unprivileged user that exists already; any other controller runs it as itself. Never creates a user.
 */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { EmbeddedDatabaseError } from './error.js';
import { giveTree } from './own-files.js';

/** Empty: the controller's own user. In the shape that `spawn` takes. */
export type Account = { readonly uid: number; readonly gid: number } | Record<string, never>;

export const isOther = (account: Account): account is { readonly uid: number; readonly gid: number } => 'uid' in account;

const CANDIDATES = ['postgres', 'nobody'];

/** @param cluster  its directory; one that exists keeps its owner, whatever users appear or vanish later */
export function serverAccount(cluster: string): Account {
  const self = process.geteuid?.() ?? 0;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (self !== 0) {
    if (owner && owner.uid !== self) {
      throw new EmbeddedDatabaseError(`The database cluster in ${cluster} belongs to the user with id ${owner.uid}, but the controller runs as the user with id ${self}. `
        + `Start the controller as the owner or as root, or hand the cluster over: chown -R ${self} '${cluster}'.`);
    }
    return {};
  }
  if (process.platform !== 'linux') {
    throw new EmbeddedDatabaseError('The embedded PostgreSQL cannot be run by root on this system. Start the controller as an ordinary user, or set DATABASE_URL.');
  }
  const itself = lstatSync(cluster, { throwIfNoEntry: false });
  if (itself?.isSymbolicLink() === true && itself.uid !== 0) {
    throw new EmbeddedDatabaseError(`${cluster} is a link that another user made, so it is not followed. Put the cluster or a link of root in its place.`);
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = unprivileged();
  // A cluster that root restored from a backup: no server could ever run on it as it is.
  if (owner) giveTree(cluster, account);
  return account;
}

function unprivileged(): { uid: number; gid: number } {
  const users = new Map(readFileSync('/etc/passwd', 'utf8').split('\n').map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return [name, { uid: Number(uid), gid: Number(gid) }];
  }));
  for (const name of CANDIDATES) {
    const user = users.get(name);
    if (user && user.uid > 0 && user.gid >= 0) return user;
  }
  throw new EmbeddedDatabaseError(`The embedded PostgreSQL cannot run as root, and there is no user ${CANDIDATES.join(' or ')} in /etc/passwd. `
    + 'Make one (useradd --system postgres), start the controller as an ordinary user, or set DATABASE_URL.');
}
