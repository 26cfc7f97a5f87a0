/**
 * The database cluster on disk: whether there is one, whether this release can run it, and making a new one. A new
 * cluster is made next to its place and moved there when it is complete, so a start that was cut short leaves nothing
 * that a later one could mistake for data. An existing cluster is never deleted or replaced.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isOther } from './account.js';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { EmbeddedDatabaseError, messageOf } from './error.js';
import { giveTree, makeDirectory, syncDirectory } from './own-files.js';
import { masterKeyIn } from './paths.js';
import { clusterProcesses, holdsWithin, signalProcess } from './processes.js';
import { runTool } from './tool.js';

export const USER = 'edge';
export const DATABASE = 'edge';
const BEGIN_ANEW = 'To begin again with an empty database, move master.key and postgres out of that directory';

/**
 * Value of `-D` for a program whose working directory is the cluster. A server that runs as another user may not
 * be able to enter the directories above the cluster; the controller of root can, and the working directory stays.
 */
export function dataArgument(cluster: string, account: Account): string {
  return isOther(account) ? '/proc/self/cwd' : cluster;
}

/** @throws EmbeddedDatabaseError when a cluster is missing where one should be, or this cannot be found out */
export function clusterExists(dataDir: string, cluster: string, isRestore = false): boolean {
  try {
    if (lstatSync(cluster, { throwIfNoEntry: false }) && readdirSync(cluster).length > 0) return true;
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `The database cluster in ${cluster} cannot be read (${messageOf(error)}). ` +
        'Mount or restore it, or give the user of the controller access to it.',
      { cause: error },
    );
  }
  if (!isRestore && existsSync(masterKeyIn(dataDir))) {
    throw new EmbeddedDatabaseError(
      `The database cluster in ${cluster} is missing, though ${dataDir} has the master.key of an existing ` +
        'controller. ' +
        `Restore the directory from a backup, or a snapshot with \`edge-controller restore\`. ${BEGIN_ANEW}.`,
    );
  }
  return false;
}

/** @throws EmbeddedDatabaseError when the cluster is plainly damaged, or of another PostgreSQL */
export function checkCluster(cluster: string, binaries: Binaries, logLines: string): void {
  const damaged = (what: string, cause?: unknown): EmbeddedDatabaseError =>
    new EmbeddedDatabaseError(
      `The database cluster in ${cluster} is damaged: ${what}. Nothing was changed. Restore the directory from a ` +
        'backup. ' +
        `${BEGIN_ANEW}.`,
      { logLines, cause },
    );
  let version: string;
  try {
    version = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    throw damaged(`its file PG_VERSION cannot be read (${messageOf(error)})`, error);
  }
  if (!/^\d+(\.\d+)?$/.test(version)) throw damaged('its file PG_VERSION holds no version');
  if (version !== String(binaries.major)) {
    throw new EmbeddedDatabaseError(
      `The database cluster in ${cluster} was made by PostgreSQL ${version}, but this release runs PostgreSQL ` +
        `${binaries.major}. Nothing was changed. ` +
        `Use a release of the controller that runs PostgreSQL ${version}, or move the data with pg_dump and psql of ` +
        `PostgreSQL ${version} to a server of your own and set DATABASE_URL.`,
    );
  }
  if (!existsSync(path.join(cluster, 'global', 'pg_control'))) throw damaged('its file global/pg_control is missing');
}

/** Makes a cluster with the user and the database of the controller. */
export async function createCluster(
  dataDir: string,
  cluster: string,
  binaries: Binaries,
  account: Account,
): Promise<void> {
  const fresh = `${cluster}.new`;
  await removeUnfinished(fresh);
  makeDirectory(fresh, 0o700);
  if (isOther(account)) giveTree(fresh, account);

  const data = dataArgument(fresh, account);
  const run = { cwd: fresh, account, purpose: `A new database cluster cannot be made in ${dataDir}` };
  // C.UTF-8 of the builtin provider: sorts by code point, knows upper case of all Unicode, needs no locale of the
  // system.
  await runTool(
    binaries.initdb,
    [
      '-D',
      data,
      `--username=${USER}`,
      '--auth-local=peer',
      '--auth-host=reject',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ],
    run,
  );
  await runTool(binaries.postgres, ['--single', '-D', data, '-c', 'exit_on_error=on', 'postgres'], {
    ...run,
    input: `CREATE DATABASE ${DATABASE}\n`,
  });

  renameSync(fresh, cluster);
  syncDirectory(dataDir);
}

/** A first start that was killed; its initdb may even be running still. */
async function removeUnfinished(fresh: string): Promise<void> {
  for (const pid of clusterProcesses(fresh)) signalProcess(pid, 'SIGKILL');
  if (!(await holdsWithin(10_000, () => clusterProcesses(fresh).length === 0))) {
    throw new EmbeddedDatabaseError(
      `Processes of an earlier start are still busy in ${fresh}: ${clusterProcesses(fresh).join(', ')}. End them, ` +
        'then start again.',
    );
  }
  const left = lstatSync(fresh, { throwIfNoEntry: false });
  if (left?.isDirectory() !== true || left.uid === process.geteuid?.()) {
    rmSync(fresh, { recursive: true, force: true });
    return;
  }
  // Another account could exchange what is in it for links while root removes it: that account removes it itself.
  await runTool('/bin/sh', ['-c', 'rm -rf -- ./* ./.[!.]*'], {
    cwd: fresh,
    account: { uid: left.uid, gid: left.gid },
    purpose: `The unfinished cluster in ${fresh} cannot be removed`,
  });
  rmdirSync(fresh);
}
