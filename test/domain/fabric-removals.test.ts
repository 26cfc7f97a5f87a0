/** Terminators that a router asks for and takes back: what waits is bounded, and each request is answered. */
import { expect } from 'chai';
import type { RouterChannel } from '../../fabric/channel/channel.js';
import { Removals } from '../../fabric/traffic/removals.js';
import type { FabricServices } from '../../fabric/services.js';
import { makeInTurn } from '../../fabric/traffic/terminator-requests.js';
import { ConcurrencyLimit } from '../../domain/scheduling/concurrency-limit.js';
import { CreateTerminatorResult } from '../../generated/fabric/edge_pb.js';
import { until } from '../support/poll.js';

describe('terminators that a router takes back', () => {
  const open = (bounds = { slice: 1_000, ids: 20_000, requests: 2_000 }) => {
    const statements: (readonly string[])[] = [];
    const answers: ((error?: Error) => void)[] = [];
    const removals = new Removals(
      (ids) =>
        new Promise((resolve, reject) => {
          statements.push(ids);
          answers.push((error) => {
            if (error === undefined) resolve();
            else reject(error);
          });
        }),
      bounds,
    );
    return { removals, statements, answers };
  };
  const outcome = (taken: Promise<void>) =>
    taken.then(
      () => 'gone',
      (error: unknown) => (error as Error & { kind?: string }).kind ?? (error as Error).message,
    );

  it('cost two statements, when seven hundred requests come while the first runs', async () => {
    const { removals, statements, answers } = open();
    const taken = Array.from({ length: 701 }, (_, index) => outcome(removals.take([`t${index}`, `t${index % 7}`])));
    answers[0]?.();
    await until('the others go together', () => answers.length === 2);
    answers[1]?.();
    expect(new Set(await Promise.all(taken))).to.deep.equal(new Set(['gone']));
    expect(statements.map(({ length }) => length)).to.deep.equal([1, 701]);
  });

  it('go in slices, and those of a statement that fails are refused, not those after it', async () => {
    const { removals, statements, answers } = open({ slice: 2, ids: 100, requests: 10 });
    const first = outcome(removals.take(['a', 'b', 'c']));
    const second = outcome(removals.take(['d']));
    answers[0]?.();
    await until('the second slice goes', () => answers.length === 2);
    answers[1]?.(new Error('the database is away'));
    await until('the next go', () => answers.length === 3);
    answers[2]?.();
    expect([await first, await second]).to.deep.equal(['the database is away', 'gone']);
    expect(statements).to.deep.equal([['a', 'b'], ['c'], ['d']]);
  });

  it('are refused beyond the bounds, each with an answer', async () => {
    const { removals, answers } = open({ slice: 10, ids: 5, requests: 3 });
    const running = outcome(removals.take(['a']));
    const taken = [['b', 'c'], ['d', 'e', 'f', 'g'], ['d'], ['e'], ['f']].map((ids) => outcome(removals.take(ids)));
    answers[0]?.();
    await until('those within the bounds go', () => answers.length === 2);
    answers[1]?.();
    expect(await running).to.equal('gone');
    expect(await Promise.all(taken)).to.deep.equal(['gone', 'tooManyRequests', 'gone', 'gone', 'tooManyRequests']);
  });
});

describe('terminators that a router asks for', () => {
  it('are refused as too many while sixteen mebibytes of requests wait, and made again after that', async () => {
    const gates = {
      terminators: new ConcurrencyLimit({ concurrent: 1, waiting: 100 }),
      making: new Map(),
      makingBytes: 0,
    };
    const services = { traffic: { gatesOf: () => gates } } as unknown as FabricServices;
    const channel = { routerId: 'r1' } as RouterChannel;
    const answers: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (address: string, bytes: number) => {
      const make = () => new Promise<void>((resolve) => ends.push(resolve));
      makeInTurn({ address, bytes, make }, channel, services, (refusal) => {
        answers.push(`${address} ${refusal === undefined ? 'made' : CreateTerminatorResult[refusal.result]}`);
      });
    };
    ask('a', 16 << 20);
    ask('b', 1);
    await until('one is refused', () => answers.length === 1);
    expect(answers).to.deep.equal(['b FAILED_BUSY']);
    ends[0]?.();
    await until('the other is made', () => answers.length === 2);
    ask('c', 16 << 20);
    await until('it is its turn', () => ends.length === 2);
    ends[1]?.();
    await until('it is made', () => answers.length === 3);
    expect(answers.slice(1)).to.deep.equal(['a made', 'c made']);
    expect([gates.makingBytes, gates.making.size]).to.deep.equal([0, 0]);
  });
});
