/** The examination: what hinders a look at other things comes first, and they are skipped then. */
import type { X509Certificate } from 'node:crypto';
import type { Db } from '../../db/postgres/contracts.js';
import { READ_ALL, withLane } from '../../db/postgres/maintenance-connection.js';
import { networkStore } from '../../db/stores/network.js';
import { networkOverviewStore } from '../../db/stores/network-overview.js';
import type { Seals } from '../../db/stores/integrity-check.js';
import { outageOf } from '../../db/postgres/outages.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import { closeAll } from '../../server/base/closers.js';
import type { Closers } from '../../server/base/closers.js';
import type { Settings } from '../../server/settings/config.js';
import { locateServer } from '../../server/data/database.js';
import { createLogger } from '../../server/base/log.js';
import { examineOpenFiles } from '../../server/start/open-files.js';
import { sealsOf } from '../../server/keys/seals.js';
import { explain } from '../shared/explain.js';
import { examineContent, examineLock, examineServer, hindranceOf } from './database.js';
import type { FoundHolder } from './database.js';
import { examineDisk } from '../../server/maintenance/examine-disk.js';
import { examineDataDir, examinePermissions } from '../../server/maintenance/examine-files.js';
import { examineMasterKey } from './files.js';
import { failed, faultOf, skipped, warning } from '../../server/maintenance/finding.js';
import type { Finding } from '../../server/maintenance/finding.js';
import {
  examineCertificates,
  examineClock,
  examineKey,
  examineWaits,
} from '../../server/maintenance/examine-network.js';
import { examinePorts } from './ports.js';
import { examineReplicas } from './replicas.js';
import { examineRuntime } from '../../server/maintenance/examine-runtime.js';
import { unprepared } from '../../db/postgres/statement.js';

export interface ExamineOptions {
  readonly config: Settings;
  /** Configuration file, if there is one. */
  readonly file: string | undefined;
  /** Version of the Node.js that controllers run with here: that of this process. */
  readonly runtime: string;
  /** Run the checks that scan whole tables, too. */
  readonly isThorough: boolean;
}

export async function examine({ config, file, runtime, isThorough }: ExamineOptions): Promise<Finding[]> {
  const found: Finding[] = [examineRuntime(runtime, new Date())];
  const directory = examineDataDir(config);
  const hasDirectory = directory.level === 'ok';
  const isEmbedded = config.databaseUrl === null;
  const hasKeyElsewhere = config.masterKey !== null || config.masterKeyFile !== null;
  // With an external database the folder holds only backups, and maybe the key.
  found.push(!hasDirectory && !isEmbedded && hasKeyElsewhere ? asWarning(directory) : directory);
  found.push(...examinePermissions(config, file));
  const key = examineMasterKey(config);
  found.push(key.finding);
  if (hasDirectory) found.push(examineDisk(config));
  found.push(examineOpenFiles(config));
  let holder: FoundHolder | undefined;
  if (hasDirectory && isEmbedded) {
    holder = examineLock(config);
    found.push(holder.finding);
  }
  const hindrance = isEmbedded && hasDirectory ? hindranceOf(config) : undefined;
  let isOurs: ((certificate: X509Certificate) => boolean) | undefined;
  if (isEmbedded && (!hasDirectory || hindrance !== undefined)) {
    found.push(hindrance ?? skipped('database', 'Not looked at: mend the data directory first.'));
  } else {
    const content = await examineDatabase({ config, holder, keyRing: key.keyRing, isThorough });
    found.push(...content.findings);
    isOurs = content.isOurs;
  }
  found.push(...(await examinePorts(config, isOurs)));
  return found;
}

const asWarning = ({ check, message, fix = '' }: Finding): Finding => warning(check, message, fix);

interface Examined {
  readonly findings: readonly Finding[];
  readonly isOurs?: (certificate: X509Certificate) => boolean;
}

interface DatabaseOptions {
  readonly config: Settings;
  readonly holder: FoundHolder | undefined;
  readonly keyRing: KeyRing | undefined;
  readonly isThorough: boolean;
}

async function examineDatabase({ config, holder, keyRing, isThorough }: DatabaseOptions): Promise<Examined> {
  const closers: Closers = [];
  const log = createLogger({ level: 'silent', format: 'json', output: 'stderr' });
  try {
    const abort = new AbortController().signal;
    const connection = await locateServer({ config, log, closers, abort, besideRunning: true });
    // Only one that was started for this has something to close.
    const { findings, isOfRelease } = await examineServer(
      config,
      connection,
      wayTo(config, holder, closers.length > 0),
    );
    if (!isOfRelease) return { findings };
    const replicas = await examineReplicas(config, connection);
    const inside = await examineNetwork(connection, keyRing, isThorough);
    return { ...inside, findings: [...findings, ...replicas, ...inside.findings] };
  } catch (error) {
    return { findings: [faultOf('database', explain(error))] };
  } finally {
    await closeAll(closers, log);
  }
}

function wayTo({ databaseUrl }: Settings, holder: FoundHolder | undefined, isStarted: boolean): string {
  if (databaseUrl !== null) return 'by DATABASE_URL';
  return isStarted
    ? 'embedded; started for this examination, and stopped again'
    : `embedded; that of the running controller, process ${holder?.pid ?? 'unknown'}`;
}

async function examineNetwork(
  connection: ServerConfig,
  keyRing: KeyRing | undefined,
  isThorough: boolean,
): Promise<Examined> {
  const look = async (tx: Db): Promise<Looked> => {
    const overview = networkOverviewStore(tx);
    const clock = await examineClock(() => overview.clockMs());
    const findings: Finding[] = [clock, examineWaits(await overview.lockWaits())];
    const network = networkStore(tx);
    const record = await network.find();
    if (record === undefined)
      return {
        findings: [
          ...findings,
          failed('network', 'The database has the schema, but no network.', 'Start a controller, which makes one.'),
        ],
        seals: undefined,
      };
    const matching = keyRing === undefined ? [] : [examineKey(record, keyRing)];
    const opens = keyRing !== undefined && matching.every(({ level }) => level !== 'fault');
    const records = await network.allPki();
    const fingerprints = new Set(
      records.filter(({ purpose }) => purpose === 'server').map(({ fingerprint }) => fingerprint),
    );
    return {
      findings: [...findings, ...matching, ...examineCertificates(records)],
      seals: opens ? sealsOf(keyRing) : undefined,
      isOurs: (certificate) => fingerprints.has(certificate.fingerprint.replaceAll(':', '').toLowerCase()),
    };
  };
  return withLane(connection, new AbortController().signal, async (lane) => {
    const { seals, ...looked } = await lane.transaction(look, READ_ALL);
    const content = await lane
      .transaction(async (tx) => {
        await tx.execute(unprepared('SET', `SET LOCAL lock_timeout = '${PATIENCE}'`));
        return examineContent(tx, seals, isThorough);
      }, READ_ALL)
      .catch((error: unknown) => {
        if (outageOf(error) !== 'locked') throw error;
        return [skipped('schema', 'Not looked at: somebody holds a lock on a table (see locks).')];
      });
    return { ...looked, findings: [...looked.findings, ...content] };
  });
}

/** A table that somebody else locks for longer is not waited for. */
const PATIENCE = '1s';

interface Looked extends Examined {
  readonly seals: Seals | undefined;
}
