/** What dials are decided by, kept for some seconds: when it is used, and all that makes it be read again. */
import { expect } from 'chai';
import type { DialTarget } from '../../db/stores/dial-targets.js';
import type { ShownSession } from '../../db/stores/shown-sessions.js';
import { DialMemory } from '../../fabric/traffic/dial-memory.js';

const SESSION: ShownSession = {
  id: 's',
  apiSessionId: 'a',
  identityId: 'i',
  identityName: 'n',
  serviceId: 'v',
  type: 'Dial',
  isLasting: true,
  isRouterAllowed: true,
  encryptionRequired: false,
  strategy: 'smartrouting',
  maxIdleMs: 0,
  hostingCost: 0,
  hostingPrecedence: 'default',
};
const TARGET: DialTarget = {
  id: 't',
  routerId: 'r',
  binding: 'edge',
  address: 't',
  hostId: 'h',
  sessionId: 'b',
  cost: 0,
  precedence: 'default',
  elsewhereCost: 0,
  peerData: {},
};
const SERVICE = { serviceId: 'v', instanceId: '', routerId: 'r', max: 100 };

describe('the memory of dials', () => {
  let memory: DialMemory;
  let nowMs = 0;
  let reads = 0;
  beforeEach(() => {
    [nowMs, reads] = [0, 0];
    memory = new DialMemory(() => nowMs);
    memory.setTrusted(() => true);
  });
  const session = (found: ShownSession | undefined = SESSION, routerId = 'r') =>
    memory.session('token', routerId, () => {
      reads += 1;
      return Promise.resolve(found);
    });
  const targets = (found: readonly DialTarget[] = [TARGET], version = 1) =>
    memory.targets(SERVICE, version, () => {
      reads += 1;
      return Promise.resolve(found);
    });
  /** How many of two dials, with `act` between them, had to read. */
  const readsAround = async (act: () => void, ask: () => Promise<unknown>) => {
    await ask();
    act();
    await ask();
    return reads;
  };

  it('answers what was read', async () => {
    expect(await readsAround(() => undefined, session)).to.equal(1);
    expect(await session()).to.equal(SESSION);
    expect(await targets()).to.deep.equal([TARGET]);
    expect(await targets()).to.deep.equal([TARGET]);
    expect(reads).to.equal(2);
  });

  it('keeps no more than so many terminators in all', async () => {
    const many = Array.from({ length: 1_000 }, () => TARGET);
    const ask = (serviceId: string) =>
      memory.targets({ ...SERVICE, serviceId }, 1, () => {
        reads += 1;
        return Promise.resolve(many);
      });
    for (let index = 0; index < 20; index += 1) await ask(`service ${index}`);
    await ask('service 0');
    expect(reads).to.equal(20);
    await ask('one more');
    await ask('one more');
    await ask('service 0');
    expect(reads).to.equal(22);
  });

  it('knows each router by itself', async () => {
    await session();
    await session(SESSION, 'other');
    expect(reads).to.equal(2);
  });

  for (const [what, found] of [
    ['a session that is not known', undefined],
    ['one that this router may not be used for', { ...SESSION, isRouterAllowed: false }],
    ['one that depends on a device', { ...SESSION, isLasting: false }],
  ] as const)
    it(`does not keep ${what}`, async () => {
      await memory.session('x', 'r', () => Promise.resolve(found));
      await memory.session('x', 'r', () => {
        reads += 1;
        return Promise.resolve(found);
      });
      expect(reads).to.equal(1);
    });

  it('does not keep that a service has no terminators', async () => {
    expect(
      await readsAround(
        () => undefined,
        () => targets([]),
      ),
    ).to.equal(2);
  });

  it('reads sessions again after a change of anything, and after their end', async () => {
    for (const act of [
      () => {
        memory.forgetAll();
      },
      () => {
        memory.forgetSessions(['s']);
      },
    ]) {
      reads = 0;
      expect(await readsAround(act, session)).to.equal(2);
      memory.forgetAll();
    }
    reads = 0;
    expect(
      await readsAround(() => {
        memory.forgetSessions(['another']);
      }, session),
    ).to.equal(1);
  });

  it('reads terminators again when those of the service, or what is reached, are other ones', async () => {
    for (const serviceIds of [['v'], undefined]) {
      memory.forgetAll();
      reads = 0;
      expect(
        await readsAround(() => {
          memory.forgetTargets(serviceIds);
        }, targets),
      ).to.equal(2);
    }
    reads = 0;
    await targets([TARGET], 2);
    expect(reads).to.equal(1);
  });

  it('does not keep what was overtaken by a change', async () => {
    await memory.session('token', 'r', () => {
      memory.forgetSessions(['s']);
      return Promise.resolve(SESSION);
    });
    await session();
    expect(reads).to.equal(1);
  });

  it('keeps nothing while changes may go unheard, and nothing from before', async () => {
    await session();
    memory.setTrusted(() => false);
    expect(await readsAround(() => undefined, session)).to.equal(3);
    memory.setTrusted(() => true);
    await session();
    expect(reads).to.equal(4);
  });

  it('reads again what it has known for some seconds', async () => {
    expect(await readsAround(() => (nowMs += 5_000), session)).to.equal(2);
  });

  it('is bounded', async () => {
    for (let count = 0; count < 10_001; count += 1)
      await memory.session(`token ${count}`, 'r', () => Promise.resolve({ ...SESSION, id: `s${count}` }));
    await memory.session('token 0', 'r', () => {
      reads += 1;
      return Promise.resolve(SESSION);
    });
    expect(reads).to.equal(1);
  });
});
