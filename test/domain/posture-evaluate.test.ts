/** Whether posture checks pass, by the rule alone; what users are told when they do not; what reports change. */
import { expect } from 'chai';
import { judge } from '../../domain/policy/access.js';
import { msUntilFlip, msUntilTick } from '../../domain/policy/service-view.js';
import type { Criteria } from '../../domain/posture/criteria.js';
import { evaluate } from '../../domain/posture/evaluate.js';
import type { AskedCheck } from '../../domain/posture/evaluate.js';
import { adviceFor, checkFailure } from '../../domain/posture/failures.js';
import { checksNamedBy, take } from '../../domain/posture/report.js';
import type { ProcessReport, Report } from '../../domain/posture/report.js';
import { NOTHING_KNOWN, NOTHING_REPORTED, readPostureReport } from '../../domain/posture/state.js';
import { CHECK_ID, postureCheckCases } from '../cases/posture.js';

const NOW = new Date('2026-01-01T12:00:00.000Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const at = new Date('2025-01-01T00:00:00.000Z');
const asked = (check: Criteria, id = CHECK_ID): AskedCheck => ({
  id,
  name: id,
  createdAt: at,
  updatedAt: at,
  tags: {},
  ...check,
});

describe('posture checks', () => {
  for (const { name, check, state, isPassing, timeoutRemaining = -1 } of postureCheckCases(NOW)) {
    it(`${isPassing ? 'pass' : 'fail'}: ${name}`, () => {
      const result = evaluate(asked(check), state, NOW);
      expect([result.isPassing, result.timeoutRemaining]).to.deep.equal([isPassing, timeoutRemaining]);
      if (isPassing && timeoutRemaining >= 0) {
        expect(result.until, 'an end').to.be.a('date');
        expect(evaluate(asked(check), state, result.until ?? NOW).isPassing, 'at its end').to.equal(false);
        const before = new Date((result.until ?? NOW).getTime() - 1);
        expect(evaluate(asked(check), state, before).isPassing, 'just before its end').to.equal(true);
      }
      if (isPassing) return;
      expect(adviceFor(asked(check), state, NOW)).to.match(/: \w/);
      const failure = checkFailure(asked(check), state, NOW);
      expect(failure).to.include({
        postureCheckId: CHECK_ID,
        postureCheckName: CHECK_ID,
        postureCheckType: check.typeId,
      });
      expect(failure.actualValue, 'is not what is expected').to.not.deep.equal(failure.expectedValue);
    });
  }

  it('fail for a device of which nothing is known, whatever they ask for', () => {
    for (const { name, check } of postureCheckCases(NOW))
      expect(evaluate(asked(check), NOTHING_KNOWN, NOW).isPassing, name).to.equal(false);
  });

  const mfa = (timeoutSeconds: number, id: string) =>
    asked(
      {
        typeId: 'MFA',
        criteria: { timeoutSeconds, promptOnWake: false, promptOnUnlock: false, ignoreLegacyEndpoints: false },
      },
      id,
    );
  it('let a policy pass while all of them do, until the first ends', () => {
    const checks = [mfa(-1, 'a'), mfa(100, 'b'), mfa(50, 'c')];
    const state = { ...NOTHING_KNOWN, passedMfaAt: NOW };
    const grant = {
      policyId: 'p',
      type: 'Dial',
      semantic: 'AnyOf',
      serviceRoles: [],
      ...judge(checks, state, NOW),
    } as const;
    expect([grant.isPassing, grant.until]).to.deep.equal([true, later(50)]);
    expect(judge(checks, state, later(50))).to.include({ isPassing: false, until: null });
    expect(judge([], NOTHING_KNOWN, NOW)).to.deep.equal({ isPassing: true, until: null, checks: [] });
    expect([msUntilFlip([grant], NOW), msUntilTick([grant], NOW)]).to.deep.equal([50_000, 1_000]);
    expect(msUntilTick([grant], new Date(NOW.getTime() + 10)), 'to the next whole second').to.equal(990);
    expect(msUntilFlip([], NOW)).to.equal(Infinity);
  });
});

describe('reports of devices', () => {
  const none = new Map<string, Criteria>();
  const first = (reports: readonly Report[]) => take(NOTHING_KNOWN, reports, none, NOW);
  const os: Report = { kind: 'OS', checkId: 'a', type: 'Linux', version: '5.1.0', build: null };
  const mac: Report = { kind: 'MAC', checkId: 'a', addresses: ['BB:11', 'aa11', 'zz'] };
  const domain: Report = { kind: 'DOMAIN', checkId: 'a', domain: 'Corp' };
  const woken: Report = { kind: 'ENDPOINT_STATE', woken: true, unlocked: false };
  const both: Report = { kind: 'ENDPOINT_STATE', woken: true, unlocked: true };

  it('are kept in one form, of each kind the last', () => {
    const known = first([{ ...os, version: '4.0.0' }, os, mac, domain]);
    const told = { checkId: 'a', at: NOW };
    expect(known).to.deep.equal({
      ...NOTHING_KNOWN,
      os: { ...told, type: 'Linux', version: '5.1.0', build: null },
      mac: { ...told, addresses: ['aa11', 'bb11'] },
      domain: { ...told, domain: 'Corp' },
    });
  });

  it('change nothing when they say what is known, for whichever check, also after they were stored', () => {
    const known = first([os, mac, domain, both]);
    const stored = { ...known, ...readPostureReport(JSON.parse(JSON.stringify(known))) };
    const same = [os, mac, domain].map((each) => ({ ...each, checkId: 'b' }));
    for (const state of [known, stored]) expect(take(state, [...same, both, woken], none, later(60))).to.equal(state);
    expect(take(known, [{ ...os, build: '1' }], none, later(60)).os?.at).to.deep.equal(later(60));
  });

  it('of events count from the first since the last code', () => {
    const known = first([woken]);
    expect([known.wokenAt, known.unlockedAt]).to.deep.equal([NOW, null]);
    const again = take(known, [both], none, later(60));
    expect([again.wokenAt, again.unlockedAt]).to.deep.equal([NOW, later(60)]);
    const answered = take({ ...again, passedMfaAt: later(70) }, [both], none, later(80));
    expect([answered.wokenAt, answered.unlockedAt]).to.deep.equal([later(80), later(80)]);
    const quiet: Report = { kind: 'ENDPOINT_STATE', woken: false, unlocked: false };
    expect(take(known, [quiet], none, later(90))).to.equal(known);
  });

  it('of processes are kept only as far as checks ask for them', () => {
    const process = { osType: 'Linux', hashes: [] } as const;
    const checks = new Map<string, Criteria>([
      ['one', { typeId: 'PROCESS', criteria: { process: { ...process, path: '/a' } } }],
      [
        'many',
        {
          typeId: 'PROCESS_MULTI',
          criteria: { semantic: 'AllOf', processes: [{ ...process, path: '/b', signerFingerprints: [] }] },
        },
      ],
      ['mac', { typeId: 'MAC', criteria: { macAddresses: ['aa'] } }],
    ]);
    const of = (checkId: string, path: string | null, fields: Partial<ProcessReport> = {}): Report => ({
      kind: 'PROCESS',
      checkId,
      path,
      isRunning: true,
      hash: 'AA:BB',
      signerFingerprints: ['CC:DD', ''],
      ...fields,
    });
    const reports = [
      of('one', '/a'),
      of('many', '/b'),
      of('many', '/a'),
      of('many', null),
      of('mac', '/a'),
      of('?', '/a'),
    ];
    expect(checksNamedBy([...reports, os])).to.deep.equal(['one', 'many', 'mac', '?']);
    const known = take(NOTHING_KNOWN, reports, checks, NOW);
    const kept = { at: NOW, isRunning: true, hash: 'aabb', signerFingerprints: ['ccdd'] };
    expect(known.processes).to.deep.equal([
      { checkId: 'one', path: '/a', ...kept },
      { checkId: 'many', path: '/b', ...kept },
    ]);
    const other = take(known, [of('one', '/elsewhere')], checks, later(1));
    expect(other.processes.map(({ path }) => path)).to.deep.equal(['/b', '/elsewhere']);
    expect(take(known, reports, checks, later(1))).to.equal(known);
  });
});

describe('what is stored of a device', () => {
  for (const document of [
    null,
    1,
    'x',
    [],
    {},
    { os: 1, mac: [], domain: 'x', processes: {} },
    { processes: [1, null, {}] },
  ])
    it(`is nothing when it is ${JSON.stringify(document)}`, () => {
      expect(readPostureReport(document)).to.deep.equal(NOTHING_REPORTED);
    });

  it('is read as far as it can be', () => {
    const time = NOW.toISOString();
    expect(
      readPostureReport({
        os: { at: time, type: 1 },
        mac: { at: 'odd' },
        domain: { at: time, domain: [] },
        processes: [{ at: time }],
      }),
    ).to.deep.equal({
      os: { checkId: '', at: NOW, type: '', version: '', build: null },
      mac: null,
      domain: { checkId: '', at: NOW, domain: '' },
      processes: [{ checkId: '', at: NOW, path: null, isRunning: false, hash: '', signerFingerprints: [] }],
    });
  });
});
