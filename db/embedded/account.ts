/**
 * The system user that the server runs as. PostgreSQL refuses root, so a controller of root runs it as an
 * unprivileged user that exists already; any other controller runs it as itself. Never creates a user.
 */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { EmbeddedDatabaseError } from './error.js';
import { giveTree } from './own-files.js';
import type { Log } from './log.js';

/** Empty: the controller's own user. In the shape that `spawn` takes. */
export type Account = { readonly uid: number; readonly gid: number } | Record<string, never>;

export const isOther = (account: Account): account is { readonly uid: number; readonly gid: number } =>
  'uid' in account;

/** Best first. Any process of the account can take the database over, so one that nothing else uses is best. */
const CANDIDATES = ['edge-controller', 'postgres', 'nobody'];
const SHARED = 'nobody';
const OWN_ACCOUNT = 'useradd --system --user-group --no-create-home --shell /usr/sbin/nologin edge-controller';

/** @param cluster  its directory; one that exists keeps its owner, whatever users appear or vanish later */
export function serverAccount(cluster: string, log: Log): Account {
  const self = process.geteuid?.() ?? 0;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (self !== 0) {
    if (owner && owner.uid !== self) {
      throw new EmbeddedDatabaseError(
        `The database cluster in ${cluster} belongs to the user with id ${owner.uid}, but the controller runs as ` +
          `the user with id ${self}. ` +
          `Hand it over: chown -R ${self} '${cluster}'.`,
      );
    }
    return {};
  }
  if (process.platform !== 'linux') {
    throw new EmbeddedDatabaseError(
      'The embedded PostgreSQL cannot be run by root on this system. Start the controller as an ordinary user, ' +
        'or set DATABASE_URL.',
    );
  }
  const itself = lstatSync(cluster, { throwIfNoEntry: false });
  if (itself?.isSymbolicLink() === true && itself.uid !== 0) {
    throw new EmbeddedDatabaseError(
      `${cluster} is a link that another user made, so it is not followed. Put the cluster or a link of root in its ` +
        'place.',
    );
  }
  const users = systemUsers(readFileSync('/etc/passwd', 'utf8'));
  const account = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : preferredAccount(users);
  // A cluster that root restored from a backup: no server could ever run on it as it is.
  if (owner?.uid === 0) giveTree(cluster, account);
  if (account.uid === users.get(SHARED)?.uid) {
    log.warn(
      { cluster, account: SHARED },
      'the embedded PostgreSQL runs as a user that other programs use as well, and each of them could take the ' +
        'database over: ' +
        `stop the controller, make a user for it (${OWN_ACCOUNT}) and give it the cluster (chown -R ` +
        `edge-controller: '${cluster}')`,
    );
  }
  return account;
}

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** @param passwd  the text of /etc/passwd */
export function systemUsers(passwd: string): ReadonlyMap<string, SystemUser> {
  return new Map(
    passwd.split('\n').map((line) => {
      const [name = '', , uid, gid] = line.split(':');
      return [name, { uid: Number(uid), gid: Number(gid) }];
    }),
  );
}

/** The account of a new cluster. @throws EmbeddedDatabaseError when the system has none that will do */
export function preferredAccount(users: ReadonlyMap<string, SystemUser>): SystemUser {
  for (const name of CANDIDATES) {
    const user = users.get(name);
    if (user && user.uid > 0 && user.gid >= 0) return user;
  }
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL cannot run as root, and there is no user ${CANDIDATES.join(' or ')} in /etc/passwd. ` +
      `Make one (${OWN_ACCOUNT}), start the controller as an ordinary user, or set DATABASE_URL.`,
  );
}
