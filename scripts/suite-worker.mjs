// One process of a run of all suites. It has a PostgreSQL server, runs each file that a message names, `{ file }`, and
// answers what that came to: `{ result: { passes, pending, failures: [{ title, error }] } }`. It ends in good order
// when its channel does, or at a signal.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Mocha from 'mocha';
import { mochaGlobalSetup, mochaGlobalTeardown, mochaHooks } from '../dist/test/support/setup.js';

const { timeout, slow, reporter } = JSON.parse(readFileSync('.mocharc.json', 'utf8'));
let runner;
let isOver = false;

async function run(file) {
  let result;
  const tell = (told) => {
    result = told;
  };
  const mocha = new Mocha({
    timeout,
    slow,
    reporter: resolve(reporter),
    reporterOptions: { tell },
    rootHooks: mochaHooks,
  });
  mocha.addFile(resolve(file));
  try {
    await mocha.loadFilesAsync();
  } catch (error) {
    console.error(error);
    return { passes: 0, pending: 0, failures: [{ title: file, error: String(error) }] };
  }
  await new Promise((done) => {
    runner = mocha.run(done);
  });
  runner.dispose();
  return result;
}

const fail = (error) => {
  console.error(error);
  process.exit(1);
};
/** All that is to be done, one after the other. */
let work = mochaGlobalSetup();
work.catch(fail);
const next = (step) => {
  work = work.then(step);
  work.catch(fail);
};

process.on('message', ({ file }) =>
  next(async () => {
    const result = isOver ? undefined : await run(file);
    if (process.connected) process.send({ result });
  }),
);

/** After the test that runs; at once when it is told again. */
const end = () => {
  if (isOver) process.exit(1);
  isOver = true;
  runner?.abort();
  next(mochaGlobalTeardown);
  next(() => process.exit());
};
process.on('disconnect', () => {
  if (!isOver) end();
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end);
// As mocha's command has it: no failure of a test that has ended.
process.on('unhandledRejection', (reason) => console.error('unhandled rejection:', reason));
