/** Hashes of passwords, and the gate that bounds how many are made at once. */
import { expect } from 'chai';
import { ConcurrencyLimit } from '../../domain/scheduling/concurrency-limit.js';
import { createPasswordHasher } from '../../domain/auth/passwords.js';
import { DomainError } from '../../domain/errors.js';

/** A task that ends when the test says so. */
function held(): { task: () => Promise<string>; end: () => void; started: () => boolean } {
  let release = (): void => undefined;
  let isStarted = false;
  const done = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    task: async () => {
      isStarted = true;
      await done;
      return 'done';
    },
    end: () => release(),
    started: () => isStarted,
  };
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );
}

const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('gate', () => {
  it('turns away what finds neither a place nor room to wait, at once and with retry-after', async () => {
    const gate = new ConcurrencyLimit({ concurrent: 1, waiting: 1 });
    const [first, second] = [held(), held()];
    const running = [gate.run(first.task), gate.run(second.task)];
    let isRun = false;
    const error = await failure(
      gate.run(async () => {
        isRun = true;
      }),
    );
    expect(error)
      .to.be.instanceOf(DomainError)
      .and.to.deep.include({ kind: 'tooManyRequests', headers: { 'retry-after': '1' } });
    expect(isRun).to.equal(false);
    first.end();
    second.end();
    expect(await Promise.all(running)).to.deep.equal(['done', 'done']);
  });

  it('never runs more than it has places for', async () => {
    const gate = new ConcurrencyLimit({ concurrent: 2, waiting: 50 });
    let now = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 30 }, () =>
        gate.run(async () => {
          most = Math.max(most, ++now);
          await turn();
          now -= 1;
        }),
      ),
    );
    expect(most).to.equal(2);
  });

  it('serves in order of arrival, whoever comes when a place is free', async () => {
    const gate = new ConcurrencyLimit({ concurrent: 1, waiting: 10 });
    const order: number[] = [];
    const first = held();
    const running = [
      gate.run(first.task),
      gate.run(async () => {
        order.push(1);
      }),
      gate.run(async () => {
        order.push(2);
      }),
    ];
    first.end();
    running.push(
      gate.run(async () => {
        order.push(3);
      }),
    );
    await Promise.all(running);
    expect(order).to.deep.equal([1, 2, 3]);
  });

  it('admits as many as may run and wait, and refuses the next before it begins', async () => {
    const gate = new ConcurrencyLimit({ concurrent: 1, waiting: 1 });
    const [first, second] = [held(), held()];
    const begun: string[] = [];
    const admitted = [first, second].map(({ task }, index) =>
      gate.admit(async (inTurn) => {
        begun.push(`work ${index}`);
        await task();
        return inTurn(async () => index);
      }),
    );
    const refused = await failure(
      gate.admit(async () => {
        begun.push('refused');
      }),
    );
    expect(refused).to.include({ kind: 'tooManyRequests' });
    expect(begun).to.deep.equal(['work 0', 'work 1']);
    second.end();
    expect(await admitted[1]).to.equal(1);
    expect(await gate.run(async () => 'next')).to.equal('next');
    first.end();
    expect(await admitted[0]).to.equal(0);
  });

  it('frees the place of a task that fails', async () => {
    const gate = new ConcurrencyLimit({ concurrent: 1, waiting: 0 });
    await failure(
      gate.run(async () => {
        throw new Error('no');
      }),
    );
    expect(await gate.run(async () => 'next')).to.equal('next');
  });

  it('refuses to be built without places or with a negative queue', () => {
    expect(() => new ConcurrencyLimit({ concurrent: 0, waiting: 1 })).to.throw(RangeError);
    expect(() => new ConcurrencyLimit({ concurrent: 1.5, waiting: 1 })).to.throw(RangeError);
    expect(() => new ConcurrencyLimit({ concurrent: 1, waiting: -1 })).to.throw(RangeError);
  });
});

describe('password hasher', () => {
  const hasher = createPasswordHasher();

  it('hashes with Argon2id, 19 MiB, two passes, one lane, and a salt of its own', async () => {
    const [one, two] = await Promise.all([hasher.hash('secret'), hasher.hash('secret')]);
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.to.equal(two);
  });

  it('accepts the password that was hashed', async () =>
    expect(await hasher.verify(await hasher.hash('secret'), 'secret')).to.equal(true));

  for (const wrong of ['', 'Secret', 'secret ', 'secre', 'secret\0']) {
    it(`refuses ${JSON.stringify(wrong)} for another password`, async () => {
      expect(await hasher.verify(await hasher.hash('secret'), wrong)).to.equal(false);
    });
  }

  it('takes two spellings of one character for two passwords', async () => {
    expect(await hasher.verify(await hasher.hash('\u00e9'), 'e\u0301')).to.equal(false);
  });

  it('refuses every password of an unknown user', async () => {
    expect(await hasher.verify(undefined, 'secret')).to.equal(false);
    expect(await hasher.verify(undefined, '')).to.equal(false);
  });

  it('does the full work for an unknown user: it waits for its turn like anybody', async () => {
    const busy = createPasswordHasher({ concurrent: 1, waiting: 0 });
    const first = busy.verify(undefined, 'a');
    expect(await failure(busy.verify(undefined, 'b')))
      .to.be.instanceOf(DomainError)
      .and.to.include({ kind: 'tooManyRequests' });
    expect(await first).to.equal(false);
  });

  it('fails on a stored hash that is none, instead of calling the password wrong', async () => {
    expect(await failure(hasher.verify('not a hash', 'secret')))
      .to.be.instanceOf(Error)
      .and.not.to.be.instanceOf(DomainError);
  });

  it('takes a hash that was made with other parameters', async () => {
    const stored = await hasher.hash('secret');
    expect(await createPasswordHasher({ passes: 3 }).verify(stored, 'secret')).to.equal(true);
  });
});
