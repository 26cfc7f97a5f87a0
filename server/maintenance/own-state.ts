/** Facts about this controller itself, for who looks at the network: findings of `doctor` that are cheap. */
import type { Finding } from './finding.js';
import type { OwnState } from '../../handlers/context.js';
import type { Settings } from '../settings/config.js';
import { examineDisk, latestSnapshotAt } from './examine-disk.js';
import { examineRuntime } from './examine-runtime.js';

type Told = ReturnType<OwnState['findings']>[number];

const ORDER = ['fault', 'warning', 'ok'] as const;

export function ownStateOf(config: Pick<Settings, 'dataDir' | 'backupEvery'>): OwnState {
  return {
    findings: () => sorted([examineDisk(config), examineRuntime(process.version, new Date())]),
    backups: () => ({ isScheduled: config.backupEvery > 0, latestAt: latestSnapshotAt(config.dataDir) }),
  };
}

const sorted = (findings: readonly Finding[]): Told[] =>
  ORDER.flatMap((level) => findings.flatMap((finding) => (finding.level === level ? { ...finding, level } : [])));
