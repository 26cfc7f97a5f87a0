// Mocha's spec reporter, closed by one line that counts: "123 passed, 0 failed". In a run of several processes, where
// EDGE_TEST_RESULT names a file, the figures go there instead, with the seconds of each file, for one line of all.
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const { reporters, Runner } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.EDGE_TEST_RESULT;
    /** Seconds by file, with what its suites prepare and put away. */
    const seconds = {};
    let since = Date.now();
    const count = ({ file: of }) => {
      const now = Date.now();
      if (of !== undefined) {
        const name = relative(process.cwd(), of);
        seconds[name] = (seconds[name] ?? 0) + (now - since) / 1000;
      }
      since = now;
    };
    for (const event of ['EVENT_HOOK_END', 'EVENT_TEST_END']) runner.on(Runner.constants[event], count);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes = 0, failures = 0, pending = 0 } = this.stats;
      if (file !== undefined) {
        const failedTitles = this.failures.map((test) => test.fullTitle());
        writeFileSync(file, JSON.stringify({ passes, failures, pending, failedTitles, seconds }));
        return;
      }
      process.nextTick(() =>
        process.stdout.write(`\n${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`),
      );
    });
  }
};
