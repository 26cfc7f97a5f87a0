/** Looks at routers that may be other ones: in order, none forgotten. */
import { expect } from 'chai';
import { RouterChecks } from '../../fabric/model/router-checks.js';
import { until } from '../support/poll.js';

interface Read {
  readonly ids: readonly string[];
  answer(roles: readonly string[]): void;
  fail(): void;
}

describe('looks at routers', () => {
  const open = (everyMs?: number) => {
    const reads: Read[] = [];
    const state = new Map<string, readonly string[] | undefined>();
    const checks = new RouterChecks<{ id: string; roles: readonly string[] }>({
      read: (ids) =>
        new Promise((resolve, reject) => {
          reads.push({
            ids,
            answer: (roles) => {
              resolve(ids.filter((id) => id !== 'gone').map((id) => ({ id, roles })));
            },
            fail: () => {
              reject(new Error('the database is away'));
            },
          });
        }),
      isOurs: (id) => id !== 'strange',
      ours: () => ['r1', 'r2'],
      onRead: (id, router) => state.set(id, router?.roles),
      ...(everyMs === undefined ? {} : { everyMs }),
    });
    const firstRead = async () => {
      checks.schedule('r1');
      await until('it is read', () => reads.length === 1);
    };
    return { checks, reads, state, firstRead };
  };

  it('do not overtake each other: what a later one read stays', async () => {
    const { checks, reads, state, firstRead } = open();
    await firstRead();
    checks.schedule('r1');
    reads[0]?.answer(['#before']);
    await until('it is read once more', () => reads.length === 2);
    expect(state.get('r1')).to.deep.equal(['#before']);
    reads[1]?.answer([]);
    await until('it is known', () => state.get('r1')?.length === 0);
    await checks.close();
  });

  it('are one look for all that were due meanwhile, without those of others', async () => {
    const { checks, reads, state, firstRead } = open();
    await firstRead();
    for (const id of ['r2', 'strange', 'gone', 'r2']) checks.schedule(id);
    expect(reads[0]?.ids).to.deep.equal(['r1']);
    reads[0]?.answer([]);
    await until('the others are read', () => reads.length === 2);
    expect(reads[1]?.ids).to.deep.equal(['r2', 'gone']);
    reads[1]?.answer(['#a']);
    await until('they are known', () => state.has('gone'));
    await checks.close();
    expect([...state]).to.deep.equal([
      ['r1', []],
      ['r2', ['#a']],
      ['gone', undefined],
    ]);
  });

  it('that fail are made again at the next sign of life, and not before', async () => {
    const { checks, reads, state, firstRead } = open();
    await firstRead();
    reads[0]?.fail();
    await until('the beat tries again', () => {
      checks.retry();
      return reads.length === 2;
    });
    reads[1]?.answer(['#late']);
    await until('it is known', () => state.has('r1'));
    checks.retry();
    expect(reads).to.have.length(2);
    await checks.close();
  });

  it('are made at all routers now and then, whatever was announced', async () => {
    const { checks, reads } = open(5);
    await until('all are read', () => reads.length === 1);
    expect(reads[0]?.ids).to.deep.equal(['r1', 'r2']);
    reads[0]?.answer([]);
    await until('all are read again', () => reads.length === 2);
    reads[1]?.answer([]);
    await checks.close();
  });
});
