/** Devices with the same key are judged alike by every check, whatever they reported. */
import { expect } from 'chai';
import { DeviceKeys } from '../../domain/network-access/device-keys.js';
import { judge } from '../../domain/policy/access.js';
import type { AskedCheck } from '../../domain/posture/evaluate.js';
import { NOTHING_KNOWN, readPostureReport } from '../../domain/posture/state.js';

const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-02-02T00:00:00.000Z';
const NOW = new Date(LATER);
const base = { createdAt: NOW, updatedAt: NOW, tags: {}, name: 'check' };
const CHECKS: readonly AskedCheck[] = [
  { ...base, id: 'os', typeId: 'OS', criteria: { operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] } },
  { ...base, id: 'mac', typeId: 'MAC', criteria: { macAddresses: ['02fc00aa1234'] } },
  { ...base, id: 'domain', typeId: 'DOMAIN', criteria: { domains: ['corp.example.org'] } },
  {
    ...base,
    ...{ id: 'process', typeId: 'PROCESS' },
    criteria: { process: { osType: 'Linux', path: '/agent', hashes: ['ab'.repeat(32)], signerFingerprint: null } },
  } as unknown as AskedCheck,
];

const os = (version: string, at = AT) => ({ os: { at, type: 'Linux', version, build: null } });
const mac = (...addresses: string[]) => ({ mac: { at: AT, addresses } });
const agent = (isRunning: boolean, at = AT) => ({
  processes: [{ at, checkId: 'process', path: '/agent', isRunning, hash: 'ab'.repeat(32), signerFingerprints: [] }],
});

const keys = new DeviceKeys(CHECKS);
const verdicts = (document: unknown) =>
  CHECKS.map((check) => judge([check], { ...NOTHING_KNOWN, ...readPostureReport(document) }, NOW).isPassing);

describe('keys of devices', () => {
  const DOCUMENTS: readonly unknown[] = [
    ...[null, undefined, 'text', 3, {}, [], { os: null }, { os: 'Linux' }, { mac: { at: AT } }, { processes: {} }],
    ...[os('6.1.0'), os('4.0.0'), os('6.1.0', 'never'), os('6.1.0', LATER), { os: { at: AT } }],
    ...[mac(), mac('02fc00aa1234'), mac('02FC:00:AA:12:34'), mac('1'), mac('2', '02fc00aa1234')],
    { mac: { at: AT, addresses: [3, null, '02fc00aa1234'] } },
    { domain: { at: AT, domain: 'corp.example.org' } },
    { domain: { at: AT, domain: 'CORP.example.org' } },
    { domain: { at: AT, domain: 7 } },
    ...[agent(true), agent(false), agent(true, LATER), agent(true, 'never'), { processes: [null, 'x'] }],
    { ...os('6.1.0'), ...mac('02fc00aa1234'), ...agent(true) },
  ];

  it('are the same only where every check says the same', () => {
    for (const one of DOCUMENTS)
      for (const other of DOCUMENTS)
        if (keys.of(one) === keys.of(other)) expect(verdicts(one), `${keys.of(one)}`).to.deep.equal(verdicts(other));
  });

  it('are the same for devices that differ in times and in addresses that nobody wants', () => {
    expect(keys.of(os('6.1.0'))).to.equal(keys.of(os('6.1.0', LATER)));
    expect(keys.of(mac('1', '02fc00aa1234'))).to.equal(keys.of(mac('2', '3', '02fc00aa1234')));
    expect(keys.of(mac('1'))).to.equal(keys.of(mac('2')));
    expect(keys.of(agent(true))).to.equal(keys.of(agent(true, LATER)));
    expect(keys.of(os('6.1.0'))).to.not.equal(keys.of(os('4.0.0')));
    expect(keys.of(mac('1'))).to.not.equal(keys.of(mac('02fc00aa1234')));
  });
});
