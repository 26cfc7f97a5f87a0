// Mocha's spec reporter, closed by one line that counts: "123 passed, 0 failed". In a run of several processes, where
// EDGE_TEST_RESULT names a file, the figures go there instead, for one line of all.
const { writeFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.EDGE_TEST_RESULT;
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes = 0, failures = 0, pending = 0 } = this.stats;
      if (file !== undefined) {
        const failedTitles = this.failures.map((test) => test.fullTitle());
        writeFileSync(file, JSON.stringify({ passes, failures, pending, failedTitles }));
        return;
      }
      process.nextTick(() =>
        process.stdout.write(`\n${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`),
      );
    });
  }
};
