// Mocha's spec reporter, closed by one line that counts: "123 passed, 0 failed". With the option `tell`, as in a run of
// several processes, what the tests came to is told to that function instead, for one line of all.
const { reporters, Runner } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    this.tell = options.reporterOptions?.tell;
    const failures = [];
    const { EVENT_TEST_FAIL, EVENT_RUN_END } = Runner.constants;
    runner.on(EVENT_TEST_FAIL, (test, error) =>
      failures.push({ title: test.fullTitle(), error: String(error.message) }),
    );
    runner.once(EVENT_RUN_END, () => {
      const { passes = 0, pending = 0 } = this.stats;
      const line = `${passes} passed, ${failures.length} failed${pending > 0 ? `, ${pending} skipped` : ''}`;
      if (this.tell !== undefined) this.tell({ passes, pending, failures });
      else process.nextTick(() => process.stdout.write(`\n${line}\n`));
    });
  }

  /** Mocha's own end: counts, and each failure as a whole. */
  epilogue() {
    if (this.tell === undefined || this.stats.failures > 0) super.epilogue();
  }
};
