/** Facts about this controller itself, for who looks at the network: what `doctor` finds, as far as it is cheap. */
import type { KeyRing } from '../../domain/pki/master-key.js';
import type { OwnState } from '../../handlers/context.js';
import { unknownVariables, unknownVariableText } from '../settings/unknown-variables.js';
import type { Settings } from '../settings/config.js';
import { examineDisk, latestSnapshotAt } from './examine-disk.js';
import { examinePermissions } from './examine-files.js';
import { examineCertificates, examineClock, examineKey, examineWaits } from './examine-network.js';
import { examineRuntime } from './examine-runtime.js';
import { failed, warning } from './finding.js';
import type { Finding } from './finding.js';

export interface OwnParts {
  readonly config: Settings;
  readonly keyRing: KeyRing;
  /** Whether enough files may be open. */
  readonly openFiles: () => Finding;
}

type ReadStores = Parameters<OwnState['findings']>[0];
type Told = Awaited<ReturnType<OwnState['findings']>>[number];

const ORDER = ['fault', 'warning', 'ok'] as const;
/** However many look at the page, the files and the database are looked at as often as this. */
const KEPT_MS = 30_000;

export function ownStateOf(parts: OwnParts): OwnState {
  let kept: { readonly sinceMs: number; readonly findings: Promise<Told[]> } | undefined;
  const { config } = parts;
  return {
    findings(stores) {
      if (kept === undefined || performance.now() - kept.sinceMs > KEPT_MS) {
        const findings = examine(parts, stores);
        kept = { sinceMs: performance.now(), findings };
        findings.catch(() => {
          kept = undefined;
        });
      }
      return kept.findings;
    },
    backups: () => ({ isScheduled: config.backupEvery > 0, latestAt: latestSnapshotAt(config.dataDir) }),
  };
}

async function examine({ config, keyRing, openFiles }: OwnParts, stores: ReadStores): Promise<Told[]> {
  const unknown = unknownVariables(process.env).map((variable) =>
    warning(
      'configuration',
      unknownVariableText(variable),
      'Correct its name, or unset it, and restart the controller.',
    ),
  );
  const record = await stores.network.find();
  return sorted([
    ...unknown,
    examineRuntime(process.version, new Date()),
    ...examinePermissions(config, undefined),
    examineDisk(config),
    openFiles(),
    await examineClock(() => stores.networkOverview.clockMs()),
    examineWaits(await stores.networkOverview.lockWaits()),
    record === undefined
      ? failed('network', 'The database has no network any more.', 'Restore a backup.')
      : examineKey(record, keyRing),
    ...examineCertificates(await stores.network.allPki()),
  ]);
}

const sorted = (findings: readonly Finding[]): Told[] =>
  ORDER.flatMap((level) => findings.flatMap((finding) => (finding.level === level ? { ...finding, level } : [])));
