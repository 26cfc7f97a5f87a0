/** Schemas are checked on a thread of their own: others go on meanwhile, and not without end. */
import { expect } from 'chai';
import { createSchemaThread } from '../../domain/config/schema-thread.js';
import type { SchemaThread, SchemaThreadOptions } from '../../domain/config/schema-thread.js';
import { DomainError } from '../../domain/errors.js';

/** It takes a tenth of a second to compile. */
const LARGE = {
  properties: Object.fromEntries(
    Array.from({ length: 240 }, (_, i) => [`p${i}`, { type: 'string', pattern: `^[a-z]{1,9}${i}$` }]),
  ),
};
const type = (schema: object) => ({ id: 'type', updatedAt: new Date(1), schema });

describe('thread of config schemas', () => {
  const threads: SchemaThread[] = [];
  const open = (options: Partial<SchemaThreadOptions> = {}) => {
    const thread = createSchemaThread({ waitingSchemas: 16, waitingData: 16, ...options });
    threads.push(thread);
    return thread;
  };
  after(() => Promise.all(threads.map((thread) => thread.close())));

  const refusalOf = async (work: Promise<void>): Promise<DomainError> => {
    const error = await work.then(
      () => undefined,
      (fault: unknown) => fault,
    );
    if (!(error instanceof DomainError)) throw new Error(`not refused: ${String(error)}`);
    return error;
  };

  it('passes on what is wrong with a schema and with data', async () => {
    const thread = open();
    await thread.checkSchema({ type: 'object' });
    expect(await refusalOf(thread.checkSchema({ type: 'bogus' }))).to.deep.include({ kind: 'invalidField' });
    await thread.checkData(type({ type: 'object' }), {});
    const { kind, field } = await refusalOf(thread.checkData(type({ type: 'object' }), 'text'));
    expect([kind, field?.field]).to.deep.equal(['invalidField', '(root)']);
  });

  it('leaves the event loop alone: turns go by while one large schema is compiled', async () => {
    const thread = open();
    await thread.checkSchema({});
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await thread.checkSchema(LARGE);
    await thread.checkData(type(LARGE), { p1: 'abc1' });
    isOver = true;
    expect(turns).to.be.above(20);
  });

  it('checks data between two schemas, and turns away schemas when too many wait', async () => {
    const thread = open({ waitingSchemas: 2 });
    const order: string[] = [];
    const note = (word: string) => (): void => void order.push(word);
    const schemas = ['one', 'two', 'three'].map((word) => thread.checkSchema(LARGE).then(note(word)));
    const excess = refusalOf(thread.checkSchema({}));
    const data = thread.checkData(type({}), {}).then(note('data'));
    const refusal = await excess;
    expect([refusal.kind, refusal.headers]).to.deep.equal(['tooManyRequests', { 'retry-after': '1' }]);
    expect(order).to.deep.equal([]);
    await Promise.all([...schemas, data]);
    expect(order.filter((word) => word !== 'data')).to.deep.equal(['one', 'two', 'three']);
    expect(order.indexOf('data')).to.be.below(order.indexOf('two'));
    await thread.checkSchema({});
  });

  it('turns away data when too much waits', async () => {
    const thread = open({ waitingData: 1 });
    const outcomes = await Promise.allSettled([1, 2, 3].map((value) => thread.checkData(type({}), value)));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('fails what runs when it ends, and starts again', async () => {
    const thread = open();
    await thread.checkSchema({});
    const cut = thread.checkSchema(LARGE).then(
      () => 'done',
      (error: unknown) => (error as Error).message,
    );
    await new Promise(setImmediate);
    await thread.close();
    expect(await cut).to.equal('the thread that checks schemas ended');
    await thread.checkSchema({});
  });
});
