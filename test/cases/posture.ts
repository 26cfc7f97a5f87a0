/**
 * Posture checks and devices that pass or fail them, as data. The pure rule and the way through the database run the
 * same table.
 */
import type { Criteria, CriteriaByType } from '../../domain/posture/criteria.js';
import { NOTHING_KNOWN } from '../../domain/posture/state.js';
import type { PostureState } from '../../domain/posture/state.js';

/** The check that every case is about. */
export const CHECK_ID = 'the-check';

export interface PostureCheckCase {
  readonly name: string;
  readonly check: Criteria;
  readonly state: PostureState;
  readonly isPassing: boolean;
  /** Seconds: -1 where the case does not say. */
  readonly timeoutRemaining?: number;
}

const os = (...operatingSystems: CriteriaByType['OS']['operatingSystems'][number][]): Criteria => ({
  typeId: 'OS',
  criteria: { operatingSystems },
});
const mac = (...macAddresses: string[]): Criteria => ({ typeId: 'MAC', criteria: { macAddresses } });
const domain = (...domains: string[]): Criteria => ({ typeId: 'DOMAIN', criteria: { domains } });
const SCANNER = '/usr/bin/scanner';
const BACKUP = '/usr/bin/backup';
type Process = CriteriaByType['PROCESS']['process'];
const one = (fields: Partial<Process> = {}): Criteria => ({
  typeId: 'PROCESS',
  criteria: { process: { osType: 'Linux', path: SCANNER, hashes: [], ...fields } },
});
type Multi = CriteriaByType['PROCESS_MULTI'];
const several = (semantic: Multi['semantic'], ...fields: Partial<Multi['processes'][number]>[]): Criteria => ({
  typeId: 'PROCESS_MULTI',
  criteria: {
    semantic,
    processes: (fields.length === 0 ? [{ path: SCANNER }, { path: BACKUP }] : fields).map((each) => ({
      osType: 'Linux',
      path: SCANNER,
      hashes: [],
      signerFingerprints: [],
      ...each,
    })),
  },
});
const mfa = (fields: Partial<CriteriaByType['MFA']> = {}): Criteria => ({
  typeId: 'MFA',
  criteria: { timeoutSeconds: -1, promptOnWake: false, promptOnUnlock: false, ignoreLegacyEndpoints: false, ...fields },
});

/** At `now`: everything was reported a minute before. */
export function postureCheckCases(now: Date): readonly PostureCheckCase[] {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const told = { checkId: CHECK_ID, at: ago(60) };
  const runs = (type: string, version: string, build: string | null = null) => ({
    os: { ...told, type, version, build },
  });
  const has = (...addresses: string[]) => ({ mac: { ...told, addresses } });
  const isIn = (name: string) => ({ domain: { ...told, domain: name } });
  type Reported = PostureState['processes'][number];
  const process = (fields: Partial<Reported> = {}): Reported => ({
    ...told,
    path: SCANNER,
    isRunning: true,
    hash: '',
    signerFingerprints: [],
    ...fields,
  });
  const with_ = (...processes: Partial<Reported>[]) => ({ processes: processes.map(process) });

  const given = (check: Criteria, state: Partial<PostureState>, timeoutRemaining?: number) => ({
    check,
    state: { ...NOTHING_KNOWN, ...state },
    ...(timeoutRemaining === undefined ? {} : { timeoutRemaining }),
  });
  const passes = (name: string, ...what: Parameters<typeof given>) => ({ name, isPassing: true, ...given(...what) });
  const fails = (name: string, ...what: Parameters<typeof given>) => ({ name, isPassing: false, ...given(...what) });

  const windows = { type: 'Windows', versions: ['>=10.0.19041 <11', '>=12'] } as const;
  const woken = { passedMfaAt: ago(1000), wokenAt: ago(100) };
  const unlocked = { passedMfaAt: ago(1000), unlockedAt: ago(290) };
  return [
    fails('OS: nothing was reported', os({ type: 'Linux', versions: [] }), {}),
    passes('OS: any version of a system', os({ type: 'Linux', versions: [] }), runs('Linux', '5.15.0')),
    passes(
      'OS: any version of a system, one that is none too',
      os({ type: 'Linux', versions: [] }),
      runs('linux', '?'),
    ),
    fails('OS: another system', os({ type: 'Linux', versions: [] }), runs('macOS', '5.15.0')),
    fails('OS: a system that nobody knows', os({ type: 'Linux', versions: [] }), runs('toString', '5.15.0')),
    fails('OS: a system without a name', os({ type: 'Linux', versions: [] }), runs('', '')),
    passes('OS: the first of two ranges', os(windows), runs('Windows', '10.0.19045')),
    passes('OS: the second of two ranges', os(windows), runs('Windows', '12.1.0')),
    fails('OS: neither range', os(windows), runs('Windows', '11.0.0')),
    fails('OS: too old', os(windows), runs('Windows', '10.0.19040')),
    fails('OS: a version that is none', os(windows), runs('Windows', 'latest')),
    fails('OS: a version of four parts', os(windows), runs('Windows', '10.0.19045.1')),
    fails('OS: no version', os(windows), runs('Windows', '')),
    fails('OS: a range that is none', os({ type: 'Linux', versions: ['new'] }), runs('Linux', '5.15.0')),
    passes('OS: one good range of two', os({ type: 'Linux', versions: ['new', '5.x'] }), runs('Linux', '5.15.0')),
    passes('OS: a build number as the patch level', os(windows), runs('Windows', '10.0', '19045')),
    fails('OS: a build number that is too low', os(windows), runs('Windows', '10.0', '18000')),
    fails('OS: a build number beside a patch level does not count', os(windows), runs('Windows', '10.0.1', '19045')),
    fails('OS: a build that is no number', os(windows), runs('Windows', '10.0', 'x19045')),
    passes(
      'OS: another spelling of the system',
      os({ type: 'WindowsServer', versions: [] }),
      runs('Windows Server', '1'),
    ),
    passes('OS: upper case', os({ type: 'WindowsServer', versions: [] }), runs('WINDOWS_SERVER', '1')),
    passes(
      'OS: the name by which a Mac calls itself',
      os({ type: 'macOS', versions: ['>=13'] }),
      runs('darwin', '13.1.0'),
    ),
    fails('OS: Windows is no Windows Server', os({ type: 'WindowsServer', versions: [] }), runs('Windows', '10.0.1')),
    passes('OS: one of several systems', os(windows, { type: 'iOS', versions: ['17.x'] }), runs('iOS', '17.2.0')),

    fails('MAC: nothing was reported', mac('aa'), {}),
    fails('MAC: no address', mac('aa'), has()),
    passes('MAC: one of the addresses is listed', mac('02fc00aa1234', 'bb'), has('cc', '02fc00aa1234')),
    passes('MAC: in any spelling', mac('02fc00aa1234'), has('02:FC:00:AA:12:34')),
    fails('MAC: none is listed', mac('aa', 'bb'), has('cc', 'dd')),
    fails('MAC: a part of one is none', mac('02fc00aa1234'), has('02fc00')),
    fails('MAC: what has no digits is not equal to what has none', mac(''), has('', 'zz')),

    fails('DOMAIN: nothing was reported', domain('corp.example'), {}),
    passes('DOMAIN: listed', domain('a.example', 'corp.example'), isIn('corp.example')),
    passes('DOMAIN: in any case', domain('Corp.Example'), isIn('CORP.example')),
    fails('DOMAIN: another', domain('corp.example'), isIn('corp.example.org')),
    fails('DOMAIN: none, though the check lists none', domain(''), isIn('')),

    fails('PROCESS: nothing was reported', one(), {}),
    passes('PROCESS: it runs', one(), with_({})),
    passes('PROCESS: it runs, and its path was not told', one(), with_({ path: null })),
    fails('PROCESS: it does not run', one(), with_({ isRunning: false })),
    fails('PROCESS: another path', one(), with_({ path: BACKUP })),
    fails('PROCESS: reported for another check', one(), with_({ checkId: 'other' })),
    passes('PROCESS: a hash of the list', one({ hashes: ['aa', 'bb'] }), with_({ hash: 'bb' })),
    passes('PROCESS: a hash with separators', one({ hashes: ['AA:BB'] }), with_({ hash: 'aabb' })),
    fails('PROCESS: another hash', one({ hashes: ['aa'] }), with_({ hash: 'cc' })),
    fails('PROCESS: no hash', one({ hashes: ['aa'] }), with_({})),
    fails('PROCESS: no hash where none can be right', one({ hashes: ['?'] }), with_({ hash: '' })),
    passes('PROCESS: signed', one({ signerFingerprint: 'ab' }), with_({ signerFingerprints: ['cc', 'ab'] })),
    fails('PROCESS: signed by another', one({ signerFingerprint: 'ab' }), with_({ signerFingerprints: ['cc'] })),
    fails('PROCESS: not signed', one({ signerFingerprint: 'ab' }), with_({})),
    fails(
      'PROCESS: signed, and another hash',
      one({ signerFingerprint: 'ab', hashes: ['aa'] }),
      with_({ signerFingerprints: ['ab'], hash: 'bb' }),
    ),

    fails('AllOf: nothing was reported', several('AllOf'), {}),
    passes('AllOf: all run', several('AllOf'), with_({}, { path: BACKUP })),
    fails('AllOf: one does not run', several('AllOf'), with_({}, { path: BACKUP, isRunning: false })),
    fails('AllOf: one was not reported', several('AllOf'), with_({})),
    passes('AnyOf: one runs', several('AnyOf'), with_({}, { path: BACKUP, isRunning: false })),
    fails('AnyOf: none runs', several('AnyOf'), with_({ isRunning: false })),
    passes('OneOf: one runs', several('OneOf'), with_({})),
    passes('OneOf: more than one run', several('OneOf'), with_({}, { path: BACKUP })),
    fails('OneOf: nothing was reported', several('OneOf'), {}),
    fails('PROCESS_MULTI: a report without a path is of none of them', several('AnyOf'), with_({ path: null })),
    fails(
      'PROCESS_MULTI: reported for another check',
      several('AnyOf'),
      with_({ checkId: 'other' }, { checkId: 'other', path: BACKUP }),
    ),
    passes(
      'PROCESS_MULTI: hash and one of the signers',
      several('AllOf', { hashes: ['AA:11'], signerFingerprints: ['bb', 'cc'] }),
      with_({ hash: 'aa11', signerFingerprints: ['CC'] }),
    ),
    fails(
      'PROCESS_MULTI: no signer of the list',
      several('AllOf', { signerFingerprints: ['bb', 'cc'] }),
      with_({ signerFingerprints: ['dd'] }),
    ),

    fails('MFA: no code was given', mfa(), {}, 0),
    fails('MFA: no code was given to a check that asks for little', mfa({ ignoreLegacyEndpoints: true }), {}, 0),
    passes('MFA: a code without a limit', mfa(), { passedMfaAt: ago(1_000_000) }, -1),
    passes('MFA: a code in time', mfa({ timeoutSeconds: 60 }), { passedMfaAt: ago(20) }, 40),
    passes('MFA: a code at the last moment', mfa({ timeoutSeconds: 60 }), { passedMfaAt: ago(59.5) }, 1),
    fails('MFA: a code that is too old', mfa({ timeoutSeconds: 60 }), { passedMfaAt: ago(60) }, 0),
    passes('MFA: a limit beyond all times', mfa({ timeoutSeconds: 2 ** 53 - 1 }), { passedMfaAt: ago(5) }, -1),
    passes('MFA: woken, and not asked for it', mfa(), { passedMfaAt: ago(1000), wokenAt: ago(500) }, -1),
    passes('MFA: woken, within the grace', mfa({ promptOnWake: true }), woken, 200),
    fails('MFA: woken, and the grace is over', mfa({ promptOnWake: true }), { ...woken, wokenAt: ago(300) }, 0),
    passes('MFA: woken before the code', mfa({ promptOnWake: true }), { ...woken, wokenAt: ago(1001) }, -1),
    fails('MFA: woken, and no code ever', mfa({ promptOnWake: true }), { wokenAt: ago(10) }, 0),
    passes('MFA: unlocked, within the grace', mfa({ promptOnUnlock: true }), unlocked, 10),
    fails(
      'MFA: unlocked, and the grace is over',
      mfa({ promptOnUnlock: true }),
      { ...unlocked, unlockedAt: ago(301) },
      0,
    ),
    passes(
      'MFA: unlocked, asked for a wake only',
      mfa({ promptOnWake: true }),
      { ...unlocked, unlockedAt: ago(301) },
      -1,
    ),
    passes(
      'MFA: both, the sooner counts',
      mfa({ promptOnUnlock: true, promptOnWake: true }),
      { ...woken, ...unlocked },
      10,
    ),
    passes('MFA: the limit before the end of the grace', mfa({ promptOnWake: true, timeoutSeconds: 1050 }), woken, 50),
    passes('MFA: the grace before the limit', mfa({ promptOnWake: true, timeoutSeconds: 3600 }), woken, 200),
    fails('MFA: too old within the grace', mfa({ promptOnWake: true, timeoutSeconds: 900 }), woken, 0),
    passes(
      'MFA: too old, but of a client that reports no events',
      mfa({ timeoutSeconds: 60, ignoreLegacyEndpoints: true }),
      { passedMfaAt: ago(1000) },
      -1,
    ),
    fails(
      'MFA: too old, of a client that does report events',
      mfa({ timeoutSeconds: 60, ignoreLegacyEndpoints: true }),
      { passedMfaAt: ago(1000), wokenAt: ago(5000) },
      0,
    ),
  ];
}
