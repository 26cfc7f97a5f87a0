/** Schemas are checked on a thread of their own: others go on meanwhile, and not without end. */
import { expect } from 'chai';
import { createSchemaThread } from '../../domain/config/schema-thread.js';
import { isSmallSchema } from '../../domain/config/schema-shape.js';
import type { SchemaThread, SchemaThreadOptions } from '../../domain/config/schema-thread.js';
import { DomainError } from '../../domain/errors.js';

/** It takes a tenth of a second to compile. */
const LARGE = {
  properties: Object.fromEntries(
    Array.from({ length: 240 }, (_, i) => [`p${i}`, { type: 'string', pattern: `^[a-z]{1,9}${i}$` }]),
  ),
};
/** Too little to take long, but no schema with a pattern is taken for small. */
const PATTERN = { pattern: '^a$' };
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
    await thread.checkSchema(PATTERN);
    expect(await refusalOf(thread.checkSchema({ ...PATTERN, type: 'bogus' }))).to.deep.include({
      kind: 'invalidField',
    });
    await thread.checkData(type({ type: 'object' }), {});
    const { kind, field } = await refusalOf(thread.checkData(type({ type: 'object' }), 'text'));
    expect([kind, field?.field]).to.deep.equal(['invalidField', '(root)']);
  });

  it('leaves the event loop alone: turns go by while one large schema is compiled', async () => {
    const thread = open();
    await thread.checkSchema(PATTERN);
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

  it('compiles a small schema at once, whatever waits for the thread', async () => {
    const thread = open({ waitingSchemas: 0 });
    const large = thread.checkSchema(LARGE);
    await thread.checkSchema({ type: 'object', properties: { port: { type: 'integer' } } });
    expect(await refusalOf(thread.checkSchema({ type: 'bogus' }))).to.deep.include({ kind: 'invalidField' });
    expect(await refusalOf(thread.checkSchema(PATTERN))).to.deep.include({ kind: 'tooManyRequests' });
    await large;
  });

  it('takes a schema for small by its values, wherever they stand, and with no pattern', () => {
    const values = (n: number) => ({ enum: Array.from({ length: n - 2 }, () => 1) });
    expect([48, 49].map((n) => isSmallSchema(values(n)))).to.deep.equal([true, false]);
    expect(isSmallSchema({ items: { patternProperties: {} } })).to.equal(false);
    expect(isSmallSchema({ items: [{ pattern: 'a' }] })).to.equal(false);
  });

  it('checks data between two schemas, and turns away schemas when too many wait', async () => {
    const thread = open({ waitingSchemas: 2 });
    const order: string[] = [];
    const note = (word: string) => (): void => void order.push(word);
    const schemas = ['one', 'two', 'three'].map((word) => thread.checkSchema(LARGE).then(note(word)));
    const excess = refusalOf(thread.checkSchema(LARGE));
    const data = thread.checkData(type({}), {}).then(note('data'));
    const refusal = await excess;
    expect([refusal.kind, refusal.headers]).to.deep.equal(['tooManyRequests', { 'retry-after': '1' }]);
    expect(order).to.deep.equal([]);
    await Promise.all([...schemas, data]);
    expect(order.filter((word) => word !== 'data')).to.deep.equal(['one', 'two', 'three']);
    expect(order.indexOf('data')).to.be.below(order.indexOf('two'));
    await thread.checkSchema(PATTERN);
  });

  it('turns away data when too much waits', async () => {
    const thread = open({ waitingData: 1 });
    const outcomes = await Promise.allSettled([1, 2, 3].map((value) => thread.checkData(type({}), value)));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('fails what runs when it ends, and starts again', async () => {
    const thread = open();
    await thread.checkSchema(PATTERN);
    const cut = thread.checkSchema(LARGE).then(
      () => 'done',
      (error: unknown) => (error as Error).message,
    );
    await new Promise(setImmediate);
    await thread.close();
    expect(await cut).to.equal('the thread that checks schemas ended');
    await thread.checkSchema(PATTERN);
  });
});
